/** Schemas as people read them: a type in one line, and a table of members. */
import type { Members } from "../../documents/json.ts";
import { html, joinMarkup, type Markup } from "../../look/markup.ts";

const prefix = "#/components/schemas/";

/** Returns the names of the types that a schema refers to, directly. */
export function listReferences(node: unknown): readonly string[] {
  if (Array.isArray(node)) return node.flatMap(listReferences);
  if (typeof node !== "object" || node === null) return [];
  const { $ref: reference } = node as Members;
  if (typeof reference === "string") return [reference.slice(prefix.length)];
  return Object.values(node).flatMap(listReferences);
}

/** Describes a schema in one line; named types link to their section on the same page. */
export function typeMarkup(schema: Members): Markup {
  const { $ref: reference, type, enum: values, anyOf, items, properties, format } = schema;
  if (typeof reference === "string") {
    const name = reference.slice(prefix.length);
    return html`<a href="#${name}">${name}</a>`;
  }
  if ("const" in schema) return html`<code>${JSON.stringify(schema["const"])}</code>`;
  if (Array.isArray(values))
    return joinMarkup(
      values.map((value) => html`<code>${JSON.stringify(value)}</code>`),
      " or ",
    );
  if (Array.isArray(anyOf)) return joinMarkup(anyOf.map(typeMarkup), " or ");
  if (type === "array") return html`array of ${typeMarkup((items ?? {}) as Members)}`;
  if (type === "object" && properties !== undefined) return html`object`;
  if (type === "object") return html`object with any members`;
  if (type === undefined) return html`any value`;
  return html`${String(type)}${format === undefined ? "" : ` (${String(format)})`}`;
}

/** Returns what bounds a schema sets, in words; empty if none. */
export function describeBounds(schema: Members): string {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, multipleOf } = schema;
  const said = [
    describeRange(minimum, maximum, ""),
    describeRange(minLength, maxLength, " characters"),
    describeRange(minItems, maxItems, " items"),
    multipleOf === undefined ? "" : `a multiple of ${String(multipleOf)}`,
    "default" in schema ? `default ${JSON.stringify(schema["default"])}` : "",
    typeof schema["description"] === "string" ? schema["description"] : "",
  ];
  return said.filter((part) => part !== "").join("; ");
}

function describeRange(least: unknown, most: unknown, unit: string): string {
  if (least !== undefined && most !== undefined)
    return least === most
      ? `${String(least)}${unit}`
      : `${String(least)} to ${String(most)}${unit}`;
  if (least !== undefined) return `at least ${String(least)}${unit}`;
  return most === undefined ? "" : `at most ${String(most)}${unit}`;
}

/** A row of a table of parameters or members. */
export interface MemberRow {
  readonly name: string;
  readonly schema: Members;
  readonly isRequired: boolean;
  readonly note?: string;
}

export function memberTable(head: string, rows: readonly MemberRow[]): Markup {
  const lines = rows.map(({ name, schema, isRequired, note }) => {
    const said = [isRequired ? "required" : "", note ?? "", describeBounds(schema)];
    const text = said.filter((part) => part !== "").join("; ");
    return html`<tr><td><code>${name}</code><td>${typeMarkup(schema)}<td>${text}`;
  });
  return html`<table tabindex="0">
<thead><tr><th scope="col">${head}<th scope="col">Type<th scope="col">Notes</thead>
<tbody>${joinMarkup(lines)}</tbody></table>`;
}

/** Lists the members of an object's schema; those of nested objects carry their path. */
export function listMembers(schema: Members, before = ""): readonly MemberRow[] {
  const { properties, required } = schema;
  const names = Array.isArray(required) ? required : [];
  return Object.entries((properties ?? {}) as Record<string, Members>).flatMap(([name, member]) => {
    const row = { name: `${before}${name}`, schema: member, isRequired: names.includes(name) };
    return [
      row,
      ...listMembers(findObject(member), `${before}${name}${"items" in member ? "[]" : ""}.`),
    ];
  });
}

/** Returns the object inside a list or beside null, or the schema itself. */
function findObject(schema: Members): Members {
  const { anyOf, items } = schema;
  if (Array.isArray(anyOf)) return anyOf.find((one: Members) => "properties" in one) ?? {};
  return typeof items === "object" && items !== null ? (items as Members) : schema;
}
