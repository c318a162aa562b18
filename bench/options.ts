/** Options common to all scenarios. Unknown options are left for the scenario to read. */
import { UsageError } from "./scenario.ts";

export interface CommonOptions {
  readonly jsonFile?: string;
  readonly htmlFile?: string;
  readonly againstFile?: string;
  readonly isQuick: boolean;
  /** Arguments left for the scenario. */
  readonly rest: readonly string[];
}

export const commonUsage = [
  "--quick          about a minute a scenario; with all, ten minutes",
  "--json FILE      writes the result",
  "--html FILE      writes the report: one page without network or script",
  "--against FILE   compares with the JSON of an earlier run",
] as const;

const files = { "--json": "jsonFile", "--html": "htmlFile", "--against": "againstFile" } as const;

/** Throws `UsageError`. */
export function readCommonOptions(args: readonly string[]): CommonOptions {
  const found: { -readonly [name in (typeof files)[keyof typeof files]]?: string } = {};
  const rest: string[] = [];
  let isQuick = false;
  const each = args.values();
  for (const arg of each) {
    const [name = "", ...value] = arg.split("=");
    if (arg === "--quick") isQuick = true;
    else if (isFileOption(name)) {
      const file = value.length > 0 ? value.join("=") : each.next().value;
      if (!file || file.startsWith("--")) throw new UsageError(`${name} needs a file's name.`);
      found[files[name]] = file;
    } else rest.push(arg);
  }
  return { ...found, isQuick, rest };
}

function isFileOption(name: string): name is keyof typeof files {
  return Object.hasOwn(files, name);
}
