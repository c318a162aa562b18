/** `klieg reshard`: gives a store more shards, so that more threads can share its work. */
import { parseArgs } from "node:util";
import { type Command, onlyArgument, UsageError, wholeNumber } from "../command.ts";

const shardsMax = 128;

export const reshard: Command = {
  name: "reshard",
  usage: "<count>",
  summary: "Add shards to the store of the stopped service or cluster.",
  options: [],
  async run(args, { settings, stoppedNode, terminal }) {
    const { positionals } = parseArgs({ args: [...args], allowPositionals: true });
    const given = onlyArgument(positionals, "number of shards afterwards");
    const count = wholeNumber(given, "The count") ?? 0;
    if (count < 2 || count > shardsMax || (count & (count - 1)) !== 0)
      throw new UsageError(
        `The count is ${count}; set it to a power of two from 2 to ${shardsMax}.`,
      );
    const { dataDir } = settings();
    const { reshard } = await stoppedNode();
    await reshard(dataDir, count, (sentence) => terminal.say(`${sentence}\n`));
    terminal.print(`${dataDir} now has ${count} shards; start the service.`);
  },
};
