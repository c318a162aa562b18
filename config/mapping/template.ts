/**
 * The template language of mappings: JSON in which `"$name"` stands for a field of the request,
 * `{ "$string": name }` for the same as text, `{ "$map": name, "values": {...} }` for its
 * translation, and `$$` for a dollar. All else is literal. What a field holds is never read as a
 * template.
 */
import { check, type Static, Type } from "../schema.ts";
import type { KnownFields } from "./fields.ts";

export type Part =
  | { readonly kind: "literal"; readonly value: unknown }
  | { readonly kind: "field"; readonly name: string }
  | { readonly kind: "text"; readonly name: string }
  | { readonly kind: "map"; readonly name: string; readonly values: Values }
  | { readonly kind: "list"; readonly items: readonly unknown[] }
  | { readonly kind: "object"; readonly members: readonly (readonly [string, unknown])[] }
  /** The catalogue with it is refused. */
  | { readonly kind: "wrong"; readonly what: string };

type Values = Readonly<Record<string, unknown>>;

const FieldAsText = Type.Object({ $string: Type.String() }, { additionalProperties: false });
const Translation = Type.Object(
  { $map: Type.String(), values: Type.Record(Type.String(), Type.Unknown()) },
  { additionalProperties: false },
);
const isFieldAsText = check<Static<typeof FieldAsText>>(FieldAsText);
const isTranslation = check<Static<typeof Translation>>(Translation);

/** Parses one value of a template. */
export function readPart(template: unknown): Part {
  if (typeof template === "string") return readText(template);
  if (typeof template !== "object" || template === null)
    return { kind: "literal", value: template };
  if (Array.isArray(template)) return { kind: "list", items: template };
  if (isFieldAsText(template)) return { kind: "text", name: template.$string };
  if (isTranslation(template)) return { kind: "map", name: template.$map, values: template.values };
  const entries = Object.entries(template);
  const form = entries.map(([name]) => name).find((name) => /^\$(?!\$)/.test(name));
  if (form !== undefined) return { kind: "wrong", what: `is not a valid form of ${form}` };
  return {
    kind: "object",
    members: entries.map(([name, value]) => [withoutEscapes(name), value]),
  };
}

function readText(text: string): Part {
  return /^\$(?!\$)/.test(text)
    ? { kind: "field", name: text.slice(1) }
    : { kind: "literal", value: withoutEscapes(text) };
}

function withoutEscapes(text: string): string {
  return text.replaceAll("$$", () => "$");
}

/** Returns the template's faults, each of which continues "... has a mapping that". */
export function templateFaults(template: unknown, known: KnownFields, path = ""): string[] {
  const part = readPart(template);
  const at = path === "" ? "" : ` at ${path}`;
  const inner = (name: string | number) => (path === "" ? `${name}` : `${path}/${name}`);
  switch (part.kind) {
    case "literal":
      return [];
    case "wrong":
      return [`${part.what}${at}`];
    case "list":
      return part.items.flatMap((item, index) => templateFaults(item, known, inner(index)));
    case "object":
      return part.members.flatMap(([name, value]) => templateFaults(value, known, inner(name)));
    case "field":
      if (known.isValue(part.name) || known.isAsset(part.name)) return [];
      return [`names the unknown field $${part.name}${at} (a dollar is written $$)`];
    case "text":
      return known.isText(part.name) ? [] : [`writes the unknown field ${part.name}${at} as text`];
    case "map":
      return mapFaults(part.name, part.values, known).map((fault) => `${fault}${at}`);
  }
}

/** Every value that the model lists must have a translation. */
function mapFaults(name: string, values: Values, known: KnownFields): string[] {
  if (!known.isText(name)) return [`translates the unknown field ${name}`];
  const missing = known.options(name).find((option) => !Object.hasOwn(values, option));
  return missing === undefined ? [] : [`has no translation of the ${name} ${missing}`];
}
