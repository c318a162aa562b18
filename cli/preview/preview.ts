/** `klieg preview`: shows a folder as a film in the browser while it is being edited. */
import { parseArgs } from "node:util";
import { type Command, onlyArgument, UsageError, wholeNumber } from "../command.ts";

/** Needs no service: the page plays what a render would record. */
export const preview: Command = {
  name: "preview",
  usage: "<folder> [--port N]",
  summary: "Preview a composition's folder in the browser while you work on it.",
  options: ["--port N  the port of this machine to serve it on (any free one)"],
  async run(args, session) {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { port: { type: "string" } },
    });
    const folder = onlyArgument(positionals, "the folder");
    const port = wholeNumber(values.port, "--port") ?? 0;
    if (port > 65_535) throw new UsageError(`--port is ${port}; set it to a port from 0 to 65535.`);
    // Loaded here, so that other commands need not wait for modules that only this one needs.
    const { serveFolder } = await import("./serve-folder.ts");
    await serveFolder(folder, port, session);
  },
};
