/** `klieg preview`: a folder as a film in the browser, while it is worked on. */
import { parseArgs } from "node:util";
import { type Command, onlyArgument, UsageError, wholeNumber } from "../command.ts";

/** Needs no service: the page plays what a render would film. */
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
    if (port > 65_535) throw new UsageError(`--port is ${port}; no such port.`);
    // Other commands do not wait for what only this one needs.
    const { serveFolder } = await import("./serve-folder.ts");
    await serveFolder(folder, port, session);
  },
};
