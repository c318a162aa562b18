/** Reads the command line: the options of every scenario, and each scenario's own. */
import { parseArgs } from "node:util";
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

/** Defaults of a scenario's own options: a count, several counts, or text that may be absent. */
type Defaults = Readonly<Record<string, number | readonly number[] | undefined>>;

type OptionValue<Default> = Default extends number
  ? number
  : Default extends readonly number[]
    ? readonly number[]
    : string | undefined;

export type OptionValues<Own extends Defaults> = {
  readonly [Name in keyof Own]: OptionValue<Own[Name]>;
};

/**
 * Reads `--name value` for each name of `defaults`; the last one of a name counts. Throws
 * `UsageError`, or what `parseArgs` throws at an option that is not one of them.
 */
export function readOptions<Own extends Defaults>(
  args: readonly string[],
  defaults: Own,
): OptionValues<Own> {
  const options = Object.fromEntries(
    Object.keys(defaults).map((name) => [name, { type: "string" } as const]),
  );
  const { values } = parseArgs({ args: [...args], options });
  const read = (name: string, initial: Defaults[string]) => {
    const text = values[name];
    if (text === undefined || initial === undefined) return text ?? initial;
    return typeof initial === "number" ? readCount(name, text) : readCounts(name, text);
  };
  return Object.fromEntries(
    Object.entries(defaults).map(([name, initial]) => [name, read(name, initial)]),
  ) as OptionValues<Own>;
}

/** Throws `UsageError` unless it is a whole number above 0. */
export function readCount(name: string, text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new UsageError(`--${name} is "${text}"; give it a whole number above 0.`);
}

/** Whole numbers above 0 with commas between; throws `UsageError`. */
export function readCounts(name: string, text: string): number[] {
  return text.split(",").map((part) => readCount(name, part));
}

/** All of `known` unless the command line names some with commas between; "" names none. */
export function chooseNames<Name extends string>(
  text: string | undefined,
  known: readonly Name[],
): readonly Name[] {
  const names = text?.split(",").filter((name) => name !== "") ?? known;
  const unknown = names.find((name) => !known.some((each) => each === name));
  if (unknown !== undefined)
    throw new UsageError(`There is no "${unknown}" here, but ${known.join(", ")}.`);
  return known.filter((name) => names.includes(name));
}
