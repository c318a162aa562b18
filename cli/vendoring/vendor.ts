/** Copies scripts and styles that a composition loads from elsewhere into its folder, once. */
import { parseArgs } from "node:util";
import { type Command, onlyArgument } from "../command.ts";

export const vendor: Command = {
  name: "vendor",
  usage: "<folder>",
  summary: "Download the remote scripts and styles of a composition into its folder.",
  options: [],
  async run(args, session) {
    const { positionals } = parseArgs({ args: [...args], allowPositionals: true, options: {} });
    const folder = onlyArgument(positionals, "the folder");
    const { vendorPages } = await import("./vendor-pages.ts");
    await vendorPages(folder, (line) => session.terminal.print(line));
  },
};
