/** The only module that uses TypeBox: schemas, compiled checks, and faults that name the field. */
import { type Static, Type } from "typebox";
import { Compile } from "typebox/compile";
import { Settings } from "typebox/system";
import { oneLinePattern, oneLineRule } from "./one-line.ts";

export { type Static, Type };

/** `pointer` is an RFC 6901 pointer to the member at fault. */
export interface Fault {
  readonly pointer: string;
  readonly detail: string;
}

export interface Check<T> {
  (value: unknown): value is T;
  /** Collects the faults; only for values that failed, as it costs fifty times the check. */
  faults(value: unknown): readonly Fault[];
  /** Compiles the check now instead of at its first use; a large one takes tens of milliseconds. */
  compile(): void;
}

const faultsMax = 20;
const pointerMax = 256;
Settings.Set({ maxErrors: faultsMax });

/** Returns a check that is compiled when it is used first: most threads use few of theirs. */
export function check<T>(schema: Type.TSchema): Check<T> {
  let compiled: ReturnType<typeof Compile> | undefined;
  const compile = () => (compiled ??= Compile(schema));
  const test = (value: unknown): value is T => compile().Check(value);
  return Object.assign(test, {
    faults: (value: unknown) => toFaults(compile().Errors(value)),
    compile: () => void compile(),
  });
}

/** Shortens a user-chosen name before it is repeated in a fault. */
function cut(pointer: string): string {
  return pointer.length <= pointerMax ? pointer : `${pointer.slice(0, pointerMax)}...`;
}

type Finding = ReturnType<ReturnType<typeof Compile>["Errors"]>[number];

function toFaults(findings: readonly Finding[]): Fault[] {
  const byPointer = new Map<string, string>();
  for (const finding of findings)
    for (const { pointer, detail } of toFault(finding)) {
      if (byPointer.size === faultsMax) break;
      if (!byPointer.has(pointer)) byPointer.set(pointer, detail);
    }
  return [...byPointer].map(([pointer, detail]) => ({ pointer: cut(pointer), detail }));
}

function toFault({ keyword, instancePath, message, params }: Finding): Fault[] {
  const at = (names: unknown, detail: string) =>
    (names as string[])
      .slice(0, faultsMax)
      .map((name) => ({ pointer: `${instancePath}/${escapePointer(name)}`, detail }));
  const given = params as Readonly<Record<string, unknown>>;
  switch (keyword) {
    case "required":
      return at(given["requiredProperties"], "is required");
    case "additionalProperties":
      return at(given["additionalProperties"], "is not a known field");
    case "boolean":
      return [{ pointer: instancePath, detail: "is not a known field" }];
    case "pattern":
      if (String(given["pattern"]) !== oneLinePattern) break;
      return [{ pointer: instancePath, detail: oneLineRule }];
    case "enum":
      return [
        { pointer: instancePath, detail: `must be one of ${listValues(given["allowedValues"])}` },
      ];
  }
  return [{ pointer: instancePath, detail: message }];
}

/** Escapes a member's name as a segment of an RFC 6901 pointer. */
export function escapePointer(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

function listValues(values: unknown): string {
  return (values as unknown[]).map(String).join(", ");
}
