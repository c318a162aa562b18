/**
 * `KLIEG_LIMITS`: an operator's JSON file with other values for the bounds of `limits.ts` (but the
 * engine's) and the table of `plans.ts`. Read when these modules are, because every thread and
 * process has them; the start reports its faults.
 */
import { readFileSync } from "node:fs";

interface Overrides {
  readonly values: Readonly<Record<string, unknown>>;
  fault: string | undefined;
}

const overrides = read(process.env["KLIEG_LIMITS"]?.trim());

/** Returns a sentence for the operator, or undefined when every override was understood. */
export function limitsFault(): string | undefined {
  return overrides.fault;
}

/** Returns `shipped` with the operator's values filled in, for the sections it has. */
export function overridden<T extends object>(shipped: T): T {
  const names = Object.keys(overrides.values).filter((name) => Object.hasOwn(shipped, name));
  return names.length === 0 ? shipped : (mergeOverrides(shipped, overrides.values, "") as T);
}

/** Reports overrides of sections that exist in neither table. */
export function checkSections(known: readonly string[]): void {
  for (const name of Object.keys(overrides.values))
    if (!known.includes(name)) wrong(`has no section named ${name}`);
}

function mergeOverrides(shipped: object, values: object, path: string): object {
  const result: Record<string, unknown> = { ...shipped };
  for (const [name, value] of Object.entries(values)) {
    const before = result[name];
    const place = path === "" ? name : `${path}.${name}`;
    if (path === "" && before === undefined) continue;
    if (typeof before === "object" && before !== null && isObject(value))
      result[name] = mergeOverrides(before, value, place);
    else if (typeof before === "number" && isAmount(value)) result[name] = value;
    else wrong(`cannot set ${place} to ${JSON.stringify(value)}`);
  }
  return result;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isAmount(value: unknown): boolean {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

function read(file: string | undefined): Overrides {
  if (file === undefined || file === "") return { values: {}, fault: undefined };
  try {
    const values: unknown = JSON.parse(readFileSync(file, "utf8"));
    if (isObject(values)) return { values: { ...values }, fault: undefined };
  } catch (error) {
    const why = error instanceof SyntaxError ? "is not valid JSON" : "cannot be read";
    return {
      values: {},
      fault: `KLIEG_LIMITS names ${file}, which ${why}; correct it or unset it.`,
    };
  }
  return {
    values: {},
    fault: `KLIEG_LIMITS names ${file}, which is not a JSON object; correct it.`,
  };
}

function wrong(what: string): void {
  overrides.fault ??= `KLIEG_LIMITS ${what}; the names are those of config/limits.ts and plans.ts.`;
}
