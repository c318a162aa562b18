/** Calls of the Go client, with literals of its types. */
import { exportName } from "./go.ts";
import type { Call, JsonBody } from "./sample-call.ts";
import type { Shape } from "./shape.ts";

/** Shapes of the contract's types, by name. */
export type Types = ReadonlyMap<string, Shape>;

export function writeGoCall(call: Call, types: Types): string {
  const { resource, method, values, body, hasQuery, isAnswered } = call;
  const given = [
    "ctx",
    ...values.map((value) => JSON.stringify(value)),
    ...(body === "bytes" ? ["content"] : []),
    ...(typeof body === "object" ? [writeBody(body, types)] : []),
    ...(hasQuery ? ["nil"] : []),
  ].join(", ");
  const place = resource === "" ? "client" : `client.${goResource(resource)}`;
  return `${isAnswered ? "answer, err" : "err"} := ${place}.${exportName(method)}(${given})`;
}

function writeBody({ json, type, isOptional }: JsonBody, types: Types): string {
  const literal = writeLiteral(json, { kind: "named", name: type }, type, types);
  return isOptional ? `&${literal}` : literal;
}

function goResource(resource: string): string {
  return resource === "oauth" ? "OAuth" : exportName(resource);
}

/** Writes a value as a literal of its type; `path` names the type of a nested record. */
function writeLiteral(value: unknown, shape: Shape, path: string, types: Types): string {
  switch (shape.kind) {
    case "named":
      return writeLiteral(value, types.get(shape.name) ?? shape, shape.name, types);
    case "list": {
      const items = (value as readonly unknown[]).map((one) =>
        writeLiteral(one, shape.of, `${path}Item`, types),
      );
      return `[]${getTypeName(shape.of, `${path}Item`)}{${items.join(", ")}}`;
    }
    case "map":
    case "anything":
      return writeAny(value);
    case "record":
      return writeRecord(value as Readonly<Record<string, unknown>>, shape, path, types);
    case "union": {
      const only = shape.of.filter(({ kind }) => kind !== "null");
      const [inner] = only;
      if (value === null) return "nil";
      if (inner === undefined || only.length > 1) return writeAny(value);
      return point(writeLiteral(value, inner, path, types), inner);
    }
    case "text":
    case "integer":
    case "number":
    case "boolean":
    case "null":
    case "literals":
      return value === null ? "nil" : JSON.stringify(value);
  }
}

function writeRecord(
  value: Readonly<Record<string, unknown>>,
  shape: Shape & { readonly kind: "record" },
  path: string,
  types: Types,
): string {
  if (shape.fields.length === 0) return writeAny(value);
  const fields = shape.fields.filter(({ name }) => value[name] !== undefined);
  const members = fields.map((field) => {
    const inner = `${path}${exportName(field.name)}`;
    const literal = writeLiteral(value[field.name], field.shape, inner, types);
    const shown = field.isRequired ? literal : point(literal, field.shape);
    return `${exportName(field.name)}: ${shown}`;
  });
  const line = `klieg.${path}{${members.join(", ")}}`;
  if (line.length <= 70) return line;
  return `klieg.${path}{\n${members.map((one) => `\t${one.replaceAll("\n", "\n\t")},\n`).join("")}}`;
}

/** Optional members are pointers, unless their type has a nil of its own. */
function point(literal: string, shape: Shape): string {
  if (literal === "nil" || literal.startsWith("&") || literal.startsWith("klieg.Ptr"))
    return literal;
  if (["list", "map", "anything", "union"].includes(shape.kind)) return literal;
  if (literal.startsWith("klieg.")) return `&${literal}`;
  if (shape.kind === "integer") return `klieg.Ptr[int64](${literal})`;
  return shape.kind === "number" ? `klieg.Ptr[float64](${literal})` : `klieg.Ptr(${literal})`;
}

function getTypeName(shape: Shape, path: string): string {
  switch (shape.kind) {
    case "named":
      return `klieg.${shape.name}`;
    case "record":
      return `klieg.${path}`;
    case "integer":
      return "int64";
    case "number":
      return "float64";
    case "boolean":
      return "bool";
    case "text":
    case "literals":
      return "string";
    case "list":
      return `[]${getTypeName(shape.of, `${path}Item`)}`;
    case "map":
    case "anything":
    case "union":
    case "null":
      return "any";
  }
}

function writeAny(value: unknown): string {
  if (value === null) return "nil";
  if (Array.isArray(value)) return `[]any{${value.map(writeAny).join(", ")}}`;
  if (typeof value !== "object") return JSON.stringify(value);
  const members = Object.entries(value as object).map(
    ([name, member]) => `${JSON.stringify(name)}: ${writeAny(member)}`,
  );
  return `map[string]any{${members.join(", ")}}`;
}
