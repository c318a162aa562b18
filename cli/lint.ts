import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { count } from "../actors/count.ts";
import type { Bundle } from "../timeline/bundle.ts";
import type { Diagnostic } from "../timeline/diagnostics.ts";
import { type Command, CommandError, onlyArgument } from "./command.ts";
import { folderFiles } from "./folder-files.ts";

/** Needs no service: the timeline is computed here, as it would be for a render. */
export const lint: Command = {
  name: "lint",
  usage: "<folder> [--json]",
  summary: "Check a composition's folder without rendering it.",
  options: ["--json  print the effective timeline with its diagnostics as JSON"],
  async run(args, session) {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { json: { type: "boolean", default: false } },
    });
    const folder = onlyArgument(positionals, "the folder");
    const bundle = await folderBundle(folder);
    const { checkBundle } = await import("./compositions/check-bundle.ts");
    const timeline = checkBundle(bundle);
    const { diagnostics } = timeline;
    const { print } = session.terminal;
    if (values.json) print(JSON.stringify(timeline));
    else for (const { severity, message } of diagnostics) print(`${severity}: ${message}`);
    const errors = diagnostics.filter(({ severity }) => severity === "error").length;
    if (errors > 0)
      throw new CommandError(`${folder} cannot be rendered: ${count(errors, "error")}.`);
    if (!values.json) print(`${folder}: ${summary(timeline.clips.length, diagnostics)}`);
  },
};

function summary(clips: number, diagnostics: readonly Diagnostic[]): string {
  return `${count(clips, "clip")}, ${count(diagnostics.length, "warning")}`;
}

/** Reads a folder's files as a bundle. Throws `CommandError` when it cannot be read. */
async function folderBundle(folder: string): Promise<Bundle> {
  const files = await folderFiles(folder);
  return {
    entry: "index.html",
    has: (path) => files.has(path),
    read(path) {
      const file = files.get(path);
      return file === undefined ? undefined : readFileSync(file, "utf8");
    },
  };
}
