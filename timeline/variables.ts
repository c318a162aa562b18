import { limits } from "../config/limits.ts";
import type { Findings, Place } from "./diagnostics.ts";
import type { Element } from "./markup.ts";

export type Variables = Readonly<Record<string, unknown>>;

/** Reads the defaults that `data-composition-variables` of a file's `html` or root declares. */
export function readDeclaredVariables(
  elements: readonly (Element | undefined)[],
  path: string,
  findings: Findings,
): Variables {
  const variables: Record<string, unknown> = {};
  for (const element of elements) {
    const text = element?.attributes[declared];
    if (text === undefined) continue;
    const place = { path, element, attribute: declared };
    const value = parse(text, place, findings);
    if (!Array.isArray(value)) {
      if (value !== undefined)
        findings.addWarning("invalid_value", place, "is ignored: it is not a list");
      continue;
    }
    for (const entry of value.slice(0, limits.timeline.variablesMax)) {
      const { id, default: initial } = asObject(entry);
      if (typeof id === "string" && id !== "") variables[id] = initial;
    }
  }
  return variables;
}

/** Reads what a host passes in, which overrides the defaults one by one. */
export function readPassedVariables(host: Element, path: string, findings: Findings): Variables {
  const text = host.attributes[passed];
  if (text === undefined) return {};
  const place = { path, element: host, attribute: passed };
  const value = parse(text, place, findings);
  if (Array.isArray(value)) findings.addWarning("invalid_value", place, "is ignored: it is a list");
  if (Array.isArray(value)) return {};
  return Object.fromEntries(Object.entries(asObject(value)).slice(0, limits.timeline.variablesMax));
}

/** Counts the characters of all variables that these elements declare and pass. */
export function readWrittenLength(...elements: readonly Element[]): number {
  return [...new Set(elements)].reduce(
    (sum, { attributes }) =>
      sum + (attributes[declared]?.length ?? 0) + (attributes[passed]?.length ?? 0),
    0,
  );
}

const declared = "data-composition-variables";
const passed = "data-variable-values";

function parse(text: string, place: Place, findings: Findings): unknown {
  try {
    return JSON.parse(text);
  } catch {
    findings.addWarning("invalid_value", place, "is ignored: it is not valid JSON");
    return undefined;
  }
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

/** Returns the address that a variable holds: the text itself or `{ url }`. */
export function addressIn(value: unknown): string | undefined {
  if (typeof value === "string") return value === "" ? undefined : value;
  const { url } = asObject(value);
  return typeof url === "string" && url !== "" ? url : undefined;
}
