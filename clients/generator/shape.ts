/**
 * Reduces a JSON Schema of the published contract to what a type can express. Bounds, formats and
 * patterns are left to the service to check.
 */

export type Members = Readonly<Record<string, unknown>>;

export type Shape =
  | { readonly kind: "text" | "integer" | "number" | "boolean" | "null" | "anything" }
  | { readonly kind: "literals"; readonly values: readonly (string | number | boolean)[] }
  | { readonly kind: "list"; readonly of: Shape }
  | { readonly kind: "map"; readonly of: Shape }
  | { readonly kind: "record"; readonly fields: readonly Field[] }
  | { readonly kind: "union"; readonly of: readonly Shape[] }
  | { readonly kind: "named"; readonly name: string };

export interface Field {
  readonly name: string;
  readonly shape: Shape;
  readonly isRequired: boolean;
}

const refPrefix = "#/components/schemas/";
const plain = ["integer", "number", "boolean", "null"] as const;

/** Throws for a keyword whose meaning would be lost. */
export function getShape(schema: unknown): Shape {
  if (!isMembers(schema)) throw new Error(`${JSON.stringify(schema)} is not a schema.`);
  const { $ref: ref, type, anyOf, enum: values, items } = schema;
  if (typeof ref === "string") return { kind: "named", name: ref.slice(refPrefix.length) };
  if ("const" in schema) return { kind: "literals", values: [literal(schema["const"])] };
  if (Array.isArray(values)) return { kind: "literals", values: values.map(literal) };
  if (Array.isArray(anyOf)) return { kind: "union", of: anyOf.map(getShape) };
  if (type === "object") return objectShape(schema);
  if (type === "array") return { kind: "list", of: getShape(items ?? {}) };
  if (type === "string") return { kind: "text" };
  const kind = plain.find((name) => name === type);
  if (kind !== undefined) return { kind };
  if (Object.keys(schema).every((key) => annotations.includes(key))) return { kind: "anything" };
  throw new Error(`${JSON.stringify(schema).slice(0, 200)} cannot be expressed as a type.`);
}

const annotations = ["title", "description", "examples"];

function objectShape(schema: Members): Shape {
  const { properties, patternProperties, additionalProperties, required } = schema;
  const names = Array.isArray(required) ? required : [];
  if (isMembers(properties) && Object.keys(properties).length > 0)
    return {
      kind: "record",
      fields: Object.entries(properties).map(([name, field]) => ({
        name,
        shape: getShape(field),
        isRequired: names.includes(name),
      })),
    };
  if (isMembers(patternProperties)) {
    const [first = {}] = Object.values(patternProperties);
    return { kind: "map", of: getShape(first) };
  }
  if (isMembers(additionalProperties)) return { kind: "map", of: getShape(additionalProperties) };
  if (additionalProperties === false || isMembers(properties))
    return { kind: "record", fields: [] };
  return { kind: "map", of: { kind: "anything" } };
}

function literal(value: unknown): string | number | boolean {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean")
    return value;
  throw new Error(`${JSON.stringify(value)} is not a literal.`);
}

export function isMembers(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the type names that a shape mentions. */
export function namesIn(shape: Shape): readonly string[] {
  switch (shape.kind) {
    case "named":
      return [shape.name];
    case "list":
    case "map":
      return namesIn(shape.of);
    case "union":
      return shape.of.flatMap(namesIn);
    case "record":
      return shape.fields.flatMap((field) => namesIn(field.shape));
    case "literals":
    case "text":
    case "integer":
    case "number":
    case "boolean":
    case "null":
    case "anything":
      return [];
  }
}
