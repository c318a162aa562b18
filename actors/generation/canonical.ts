import type { ModelEntry } from "../../config/catalogue.ts";

/**
 * Equal requests have equal canonical bodies: keys sorted, no nulls, no defaults, NFC, shortest
 * numbers.
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

/** The same for a nested request: its model by id, without its defaults. */
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

/** Makes the canonical body of one kind of request, without its confirmation token. */
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
