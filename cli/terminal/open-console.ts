/** `klieg open`: opens the console in the browser of this machine. */
import { parseArgs } from "node:util";
import { type Command, UsageError } from "../command.ts";

export const openConsole: Command = {
  name: "open",
  usage: "[VIEW]",
  summary: "Open the console in the browser, optionally at a view such as jobs or compositions.",
  options: [],
  async run(args, { origin, openBrowser, terminal }) {
    const { positionals } = parseArgs({ args: [...args], options: {}, allowPositionals: true });
    const [view = "", ...others] = positionals;
    if (others.length > 0 || !/^[\w-]*$/.test(view))
      throw new UsageError("Name at most one view, such as jobs.");
    const address = new URL(`/console${view === "" ? "" : `/${view}`}`, await origin()).href;
    terminal.print(address);
    if (!(await openBrowser(address)))
      terminal.say("No browser could be opened; open this address yourself.\n");
  },
};
