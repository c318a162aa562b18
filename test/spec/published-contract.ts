/**
 * Holds every answer of the specification's tests against the published OpenAPI document, with a
 * validator that knows nothing of how the document was made.
 */
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import ajvFormats from "ajv-formats";
import { openapi } from "../../http/documents/openapi.ts";
import { publishedHeaders } from "../../http/documents/published-headers.ts";
import { isPublished } from "../../http/documents/tags.ts";
import { routeTable } from "../../http/route-table.ts";

type Members = Readonly<Record<string, unknown>>;

const document = openapi({ version: "0.0.0", baseUrl: "http://klieg.test/v1" }, routeTable);
const ajv = new Ajv2020({ strict: false, validateFormats: true });
ajvFormats.default(ajv);
ajv.addSchema(document, "contract");

/** Path templates as patterns, with literal paths before those that take anything. */
const templates = Object.keys(member(document, "paths"))
  .map((path) => ({
    path,
    // The root has one entry for both, within the prefix and outside.
    isOutside: Object.hasOwn(member(member(document, "paths"), path), "servers"),
    pattern: buildPattern(path),
  }))
  .sort((a, b) => a.path.split("{").length - b.path.split("{").length);

const validators = new Map<string, ValidateFunction>();

/** Returns an answer's fault, or undefined. `path` is without the query, headers lower-case. */
export function breach(
  method: string,
  path: string,
  status: number,
  headers: Readonly<Record<string, string | undefined>>,
  json: unknown,
): string | undefined {
  if (!isPublished({ path })) return undefined;
  const isInside = path.startsWith("/v1/");
  const inside = isInside ? path.slice("/v1".length) : path;
  const template = templates.find(
    (one) => one.pattern.test(inside) && (inside === "/" || one.isOutside !== isInside),
  );
  const verb = (method === "HEAD" ? "GET" : method).toLowerCase();
  if (template === undefined) return status === 404 ? undefined : `${path} is not published`;
  const place = ["paths", template.path, verb];
  const operation = at(place);
  if (operation === undefined) return undefined;
  const response = responseAt([...place, "responses", String(status)]);
  if (response === undefined) return `${method} ${template.path} does not publish ${status}`;
  const wrongHeader = headerBreach(member(at(response), "headers"), headers);
  if (wrongHeader !== undefined) return `${method} ${template.path} ${status}: ${wrongHeader}`;
  if (json === undefined) return undefined;
  const mediaType = headers["content-type"]?.split(";")[0] ?? "";
  const content = member(at(response), "content");
  const found = content[mediaType];
  if (found === undefined && Object.hasOwn(content, "*/*")) return undefined;
  if (found === undefined)
    return `${method} ${template.path} ${status}: ${mediaType} is not published`;
  if (!Object.hasOwn(found as Members, "schema")) return undefined;
  const validate = createValidator([...response, "content", mediaType, "schema"]);
  if (validate(json) === true) return undefined;
  return `${method} ${template.path} ${status}: ${ajv.errorsText(validate.errors)}`;
}

/** Finds a header that is missing though it is always there, or that the operation lacks. */
function headerBreach(
  named: Members,
  given: Readonly<Record<string, string | undefined>>,
): string | undefined {
  for (const name of Object.keys(publishedHeaders)) {
    const isGiven = given[name.toLowerCase()] !== undefined;
    if (isGiven && !Object.hasOwn(named, name)) return `${name} is not published`;
    const isRequired = Object.hasOwn(named, name) && publishedHeaders[name]?.["required"] === true;
    if (isRequired && !isGiven) return `${name} is missing`;
  }
  return undefined;
}

/** Finds where the response stands: at the operation, or among the components it refers to. */
function responseAt(place: readonly string[]): readonly string[] | undefined {
  const found = at(place);
  if (found === undefined) return undefined;
  const { $ref } = found as { readonly $ref?: string };
  return $ref === undefined ? place : planSegments($ref);
}

/** Returns what is wrong with a frame of an event stream, or undefined. */
export function frameBreach(frame: object): string | undefined {
  const kinds = ["JobFrame", "RenderFrame", "SessionFrame"];
  const validators = kinds.map((kind) => createValidator(["components", "schemas", kind]));
  return validators.some((validate) => validate(frame) === true)
    ? undefined
    : `no stream publishes ${JSON.stringify(frame)}`;
}

export interface PublishedExample {
  readonly place: string;
  readonly schema: string;
  readonly wrong: string | undefined;
}

/** Lists every example of a body, with the schema that it stands at and what breaks it. */
export function listPublishedExamples(): readonly PublishedExample[] {
  const found: PublishedExample[] = [];
  const visit = (node: unknown, path: readonly string[]) => {
    if (typeof node !== "object" || node === null) return;
    const { schema, examples } = node as { schema?: Members; examples?: Members };
    if (schema !== undefined && examples !== undefined)
      for (const [name, example] of Object.entries(examples)) {
        const { $ref } = example as { readonly $ref?: string };
        const { value } = ($ref === undefined ? example : at(planSegments($ref))) as Members;
        const validate = createValidator([...path, "schema"]);
        const wrong = validate(value) === true ? undefined : ajv.errorsText(validate.errors);
        found.push({ place: [...path, name].join(" "), schema: `${schema["$ref"]}`, wrong });
      }
    for (const [name, member] of Object.entries(node)) visit(member, [...path, name]);
  };
  visit(member(document, "paths"), ["paths"]);
  visit(at(["components", "responses"]), ["components", "responses"]);
  return found;
}

function planSegments(ref: string): readonly string[] {
  return ref.slice("#/".length).split("/");
}

function createValidator(pointer: readonly string[]): ValidateFunction {
  const ref = `contract#/${pointer.map(escapeSegment).join("/")}`;
  const known = validators.get(ref) ?? ajv.compile({ $ref: ref });
  validators.set(ref, known);
  return known;
}

function escapeSegment(segment: string): string {
  return encodeURIComponent(segment.replaceAll("~", "~0").replaceAll("/", "~1"));
}

function at(path: readonly string[]): unknown {
  let node: unknown = document;
  for (const segment of path) node = (node as Members | undefined)?.[segment];
  return node;
}

function member(node: unknown, name: string): Members {
  return ((node as Members | undefined)?.[name] ?? {}) as Members;
}

function buildPattern(path: string): RegExp {
  const literal = path.replaceAll(/[.*+?^$()|[\]\\]/g, "\\$&");
  return new RegExp(
    `^${literal.replaceAll(/\{rest\}/g, ".+").replaceAll(/\{[a-z_]+\}/g, "[^/]+")}$`,
  );
}
