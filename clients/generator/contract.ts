/**
 * The surface joined with the published contract: what a template writes out.
 *
 * 1. Nothing here belongs to a language. Names are written with underscores, types with capitals.
 * 2. A type is `isGiven` when a caller passes it, directly or inside another.
 */
import { type Field, getShape, isMembers, type Members, namesIn, type Shape } from "./shape.ts";
import { repeatable, surface, targets } from "./surface.ts";

export interface Contract {
  /** Types ordered so that each is defined before it is used, as far as possible. */
  readonly types: readonly NamedType[];
  readonly resources: readonly Resource[];
}

export interface NamedType {
  readonly name: string;
  readonly shape: Shape;
  readonly isGiven: boolean;
}

export interface Resource {
  /** Name of the resource; "" for the client itself. */
  readonly name: string;
  readonly methods: readonly Method[];
}

export interface Method {
  readonly name: string;
  readonly summary: string;
  readonly verb: string;
  /** Path of the operation; its placeholders are listed in `parameters`. */
  readonly path: string;
  readonly parameters: readonly Parameter[];
  /** Required query parameters; the others are fields of `query`. */
  readonly needed: readonly Field[];
  /** Optional query parameters; `query` names the type that has them as fields. */
  readonly queryFields: readonly Field[];
  readonly query: string | undefined;
  readonly body: Body | undefined;
  readonly answer: Answer;
  /** Whether the request may be sent again when it gets no answer. */
  readonly isRepeatable: boolean;
  /** Whether the request carries an Idempotency-Key. */
  readonly isSubmit: boolean;
  /** Whether the request may name the version that it changes (If-Match). */
  readonly takesMatch: boolean;
}

interface Parameter {
  readonly name: string;
  readonly choices: readonly string[] | undefined;
}

export type Body =
  | { readonly kind: "json"; readonly type: string; readonly isRequired: boolean }
  | { readonly kind: "bytes"; readonly mediaType: string };

export type Answer =
  | { readonly kind: "json"; readonly type: string }
  | { readonly kind: "bytes" }
  | { readonly kind: "nothing" };

/** Reads the document; throws if the surface names an operation that is not published. */
export function readContract(document: Members): Contract {
  const schemas = at(document, "components", "schemas");
  const shapes = new Map(Object.entries(schemas).map(([name, schema]) => [name, getShape(schema)]));
  const given = new Set<string>();
  const reader: Reader = { document, shapes, given };
  const resources = Object.entries(surface).map(([name, methods]) => ({
    name,
    methods: Object.entries(methods).map(([method, operation]) =>
      readMethod(reader, { resource: name, method, operation }),
    ),
  }));
  const types = [...shapes].map(([name, shape]) => ({ name, shape, isGiven: given.has(name) }));
  return { types, resources };
}

/** State that is extended as the methods are read. */
interface Reader {
  readonly document: Members;
  readonly shapes: Map<string, Shape>;
  readonly given: Set<string>;
}

interface Row {
  readonly resource: string;
  readonly method: string;
  readonly operation: string;
}

function readMethod(reader: Reader, row: Row): Method {
  const [verb = "", path = ""] = row.operation.split(" ");
  const operation = operationAt(reader.document, verb, path);
  const parameters = list(operation["parameters"]);
  const isIn = (place: string) => parameters.filter((parameter) => parameter["in"] === place);
  const headers = isIn("header").map((parameter) => String(parameter["name"]));
  const asked = isIn("query").map((parameter) => ({
    name: String(parameter["name"]),
    shape: getShape(parameter["schema"]),
    isRequired: parameter["required"] === true,
  }));
  const optional = asked.filter(({ isRequired }) => !isRequired);
  const isSubmit = headers.includes("Idempotency-Key");
  return {
    name: row.method,
    summary: `${String(operation["summary"])}.`,
    verb,
    path,
    parameters: [...path.matchAll(/\{([a-z_]+)\}/g)].map(([, name = ""]) => ({
      name,
      choices: name === "target" ? targets : undefined,
    })),
    needed: asked.filter(({ isRequired }) => isRequired),
    queryFields: optional,
    query:
      optional.length === 0
        ? undefined
        : give(reader, `${typeName(row)}Query`, { kind: "record", fields: optional }),
    body: readBody(reader, row, operation),
    answer: readAnswer(operation),
    isRepeatable: isSubmit || verb === "GET" || verb === "PUT" || isListed(row.operation),
    isSubmit,
    takesMatch: headers.includes("If-Match"),
  };
}

function isListed(operation: string): boolean {
  return repeatable.includes(operation);
}

/** Builds a type's name: `organizations` and `add_member` give OrganizationsAddMember. */
function typeName({ resource, method }: Row): string {
  const words = `${resource}_${method}`.split("_").filter((word) => word !== "");
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}

/** Names a nameless shape, and marks it and all it mentions as passed by callers. */
function give(reader: Reader, name: string, shape: Shape): string {
  if (!reader.shapes.has(name)) reader.shapes.set(name, shape);
  markGiven(reader, name);
  return name;
}

function markGiven(reader: Reader, name: string): void {
  if (reader.given.has(name)) return;
  reader.given.add(name);
  const shape = reader.shapes.get(name);
  for (const inner of shape === undefined ? [] : namesIn(shape)) markGiven(reader, inner);
}

function readBody(reader: Reader, row: Row, operation: Members): Body | undefined {
  const body = operation["requestBody"];
  if (!isMembers(body)) return undefined;
  const content = at(body, "content");
  const json = content["application/json"];
  const [mediaType = ""] = Object.keys(content);
  if (!isMembers(json)) return { kind: "bytes", mediaType };
  const shape = getShape(json["schema"]);
  if (shape.kind === "record" && shape.fields.length === 0) return undefined;
  const name = shape.kind === "named" ? shape.name : `${typeName(row)}Request`;
  return {
    kind: "json",
    type: give(reader, name, shape),
    isRequired: body["required"] === true,
  };
}

function readAnswer(operation: Members): Answer {
  const responses = Object.entries(at(operation, "responses"));
  const [, success] = responses.find(([status]) => status.startsWith("2")) ?? [];
  const content = isMembers(success) ? success["content"] : undefined;
  if (!isMembers(content)) return { kind: "nothing" };
  const json = content["application/json"];
  if (!isMembers(json)) return { kind: "bytes" };
  const shape = getShape(json["schema"]);
  if (shape.kind !== "named")
    throw new Error(`${String(operation["summary"])} has no named response.`);
  return { kind: "json", type: shape.name };
}

/** Published operations that a row of the surface stands for: two if it has a `{target}`. */
export function listOperations(operation: string): readonly string[] {
  if (!operation.includes("{target}")) return [operation];
  return targets.map((target) => operation.replace("{target}", target));
}

/** The contract tells uploads from assets by one more path segment in braces. */
export const publishedAs: Readonly<Record<string, string>> = {
  "/assets/uploads/{id}": "/assets/{collection}/{id}",
};

/**
 * Returns each published operation of the API as the surface names it, such as `GET
 * /assets/uploads/{id}`. Addresses outside the API are for people, proxies and signed links.
 */
export function listPublishedOperations(document: Members): readonly string[] {
  const named = new Map(Object.entries(publishedAs).map(([path, published]) => [published, path]));
  const verbs = ["get", "post", "put", "patch", "delete"];
  return Object.entries(at(document, "paths")).flatMap(([path, operations]) =>
    verbs
      .filter((verb) => isMembers(operations) && verb in operations && !("servers" in operations))
      .map((verb) => `${verb.toUpperCase()} ${named.get(path) ?? path}`),
  );
}

function operationAt(document: Members, verb: string, path: string): Members {
  const [one = path] = listOperations(path);
  return at(document, "paths", publishedAs[one] ?? one, verb.toLowerCase());
}

function at(from: Members, ...keys: readonly string[]): Members {
  let found = from;
  for (const key of keys) {
    const next = found[key];
    if (!isMembers(next)) throw new Error(`The contract has no ${keys.join(" ")}.`);
    found = next;
  }
  return found;
}

function list(value: unknown): readonly Members[] {
  return Array.isArray(value) ? value.filter(isMembers) : [];
}
