/**
 * Makes examples for schemas that have none of their own: the required members, with values that
 * their names, formats and bounds suggest. A test holds every example against its schema.
 */
import type { Json, Members } from "./json.ts";
import { examples } from "./published-examples.ts";

const uuid = "0199c0de-7000-7000-8000-000000000001";
const instant = "2026-04-15T12:00:00.000Z";

/** Values by the name of the member or parameter, where its schema alone says too little. */
const valuesByName: Readonly<Record<string, Json>> = {
  client_id: "klieg-cli",
  cursor: "MjAyNi0wNC0xNQ",
  detail: "The farm node restarted.",
  display_name: "Harbor at dusk",
  email: "ada@klieg.example",
  filename: "harbor.mp4",
  grant_type: "refresh_token",
  invariant: "wallet",
  label: "dawn",
  message: "The model provider could not do the work.",
  mime_type: "image/png",
  model: "default",
  name: "Harbor",
  path: "index.html",
  plan: "studio",
  prompt: "A lighthouse in heavy rain, seen from the sea at dusk",
  release: "0.1.0",
  rest: "index.html",
  scope: "generate",
  slug: "harbor",
  title: "Harbor campaign",
  token: "q83vEjRWeJq83vEjRWeJ",
  url: "https://klieg.example/objects/0199c0de.png",
  user_code: "BCDF-GHJK",
};

/** Returns a value of a schema whose member or parameter has the name. */
export function sampleValue(schema: Json, name = ""): Json {
  const {
    type,
    title,
    const: constant,
    enum: values,
    anyOf,
    items,
    default: usual,
  } = asMembers(schema);
  const known = Object.values(examples[String(title)] ?? {})[0];
  if (known !== undefined) return known.value;
  if (constant !== undefined) return constant;
  if (usual !== undefined) return usual;
  if (Array.isArray(values)) return values[0];
  if (Array.isArray(anyOf)) return sampleValue(anyOf[0], name);
  if (type === "object") return sampleObject(asMembers(schema));
  if (type === "array") return [sampleValue(items, name.replace(/s$/, ""))];
  if (type === "integer" || type === "number") return sampleNumber(asMembers(schema));
  if (type === "boolean") return true;
  if (type === "string") return sampleText(asMembers(schema), name);
  return null;
}

function sampleObject({ properties, required, minProperties }: Members): Json {
  const all = Object.entries(asMembers(properties));
  const names = Array.isArray(required) ? required : [];
  const least = typeof minProperties === "number" ? minProperties : 0;
  const chosen = all.filter(
    ([name], at) => names.includes(name) || (names.length === 0 && at < Math.max(least, 1)),
  );
  return Object.fromEntries(chosen.map(([name, schema]) => [name, sampleValue(schema, name)]));
}

function sampleNumber({ minimum, exclusiveMinimum }: Members): number {
  if (typeof exclusiveMinimum === "number") return exclusiveMinimum + 1;
  return typeof minimum === "number" ? Math.max(minimum, 1) : 1;
}

function sampleText({ format }: Members, name: string): Json {
  if (format === "uuid") return uuid;
  if (format === "date-time") return instant;
  if (format === "date") return instant.slice(0, 10);
  const known = valuesByName[name];
  if (known !== undefined) return known;
  if (/(^|_)id$/.test(name)) return uuid;
  return /(^|_)url$/.test(name) ? valuesByName["url"] : "harbor";
}

function asMembers(value: Json): Members {
  return typeof value === "object" && value !== null ? (value as Members) : {};
}
