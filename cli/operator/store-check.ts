/** `klieg store check`: reports what is wrong with the files of a store that is not in use. */
import { parseArgs } from "node:util";
import { count } from "../../actors/count.ts";
import { type Command, CommandError } from "../command.ts";

export const storeCheck: Command = {
  name: "store check",
  usage: "[--repair]",
  summary: "Check the stopped service's data directory, on the machine that has it.",
  options: ["--repair   rebuild tables where the journal holds every record"],
  async run(args, { settings, checkStore, terminal }) {
    const { values } = parseArgs({ args: [...args], options: { repair: { type: "boolean" } } });
    const { dataDir } = settings();
    const findings = await checkStore(dataDir, values.repair === true);
    for (const { sentence } of findings) terminal.print(sentence);
    const left = findings.filter(({ kind }) => kind === "damage").length;
    if (left > 0)
      throw new CommandError(`The store in ${dataDir} is damaged in ${count(left, "place")}.`);
    terminal.say(`The store in ${dataDir} is intact.\n`);
  },
};
