import type { ModelEntry } from "../../config/catalogue.ts";

/**
 * Serializes requests so that equal ones give equal text: keys sorted, no nulls, no defaults, NFC,
 * shortest numbers.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.normalize("NFC"));
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined && member !== null)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`);
  return `{${members.join(",")}}`;
}

type Members = Readonly<Record<string, unknown>>;

/** Removes defaults from a nested request, and names its model by id. */
export function withoutDefaults(
  request: Members,
  model: ModelEntry,
  fixedDefaults: Members,
): Members {
  const named = Object.entries(request).filter(
    ([name, value]) => value !== (model.defaults[name] ?? fixedDefaults[name]),
  );
  return { ...Object.fromEntries(named), model: model.id };
}

/** Returns a function that makes canonical bodies of one kind, without the confirmation token. */
export function createCanonicalizer(
  properties: Members,
  fixedDefaults: Members,
): (request: Members, model: ModelEntry) => string {
  const names = Object.keys(properties)
    .filter((name) => name !== "confirmation_token")
    .sort();
  return (request, model) => {
    let members = "";
    for (const name of names) {
      const value = name === "model" ? model.id : request[name];
      if (value === undefined || value === (model.defaults[name] ?? fixedDefaults[name])) continue;
      members += `${members === "" ? "" : ","}"${name}":${canonicalJson(value)}`;
    }
    return `{${members}}`;
  };
}
