/**
 * Holds every answer of the specification's tests against the published OpenAPI document, with a
 * validator that knows nothing of how the document was made.
 */
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import ajvFormats from "ajv-formats";
import { openapi } from "../../http/openapi.ts";
import { routeTable } from "../../http/route-table.ts";

type Members = Readonly<Record<string, unknown>>;

const document = openapi({ version: "0.0.0", baseUrl: "http://klieg.test/v1" }, routeTable);
const ajv = new Ajv2020({ strict: false, validateFormats: true });
ajvFormats.default(ajv);
ajv.addSchema(document, "contract");

/** Paths with their templates as patterns; literal paths before those that take anything. */
const templates = Object.keys(member(document, "paths"))
  .map((path) => ({ path, pattern: patternOf(path) }))
  .sort((a, b) => a.path.split("{").length - b.path.split("{").length);

const validators = new Map<string, ValidateFunction>();

/** What is wrong with an answer, or undefined. `path` is without the query. */
export function breach(
  method: string,
  path: string,
  status: number,
  contentType: string | undefined,
  json: unknown,
): string | undefined {
  const inside = path.startsWith("/v1") ? path.slice("/v1".length) : path;
  const template = templates.find(({ pattern }) => pattern.test(inside));
  const verb = (method === "HEAD" ? "GET" : method).toLowerCase();
  if (template === undefined) return status === 404 ? undefined : `${path} is not published`;
  const place = ["paths", template.path, verb];
  const operation = at(place);
  if (operation === undefined) return undefined;
  const responses = member(operation, "responses");
  const isNamed = Object.hasOwn(responses, String(status));
  const named = isNamed ? String(status) : `${Math.floor(status / 100)}XX`;
  const response = responses[named];
  if (response === undefined) return `${method} ${template.path} does not publish ${status}`;
  const isRefusal = named.endsWith("XX");
  const content = member(
    isRefusal ? at(["components", "responses", "Refusal"]) : response,
    "content",
  );
  const mediaType = contentType?.split(";")[0] ?? "";
  if (json === undefined) return undefined;
  const found = content[mediaType];
  if (found === undefined)
    return `${method} ${template.path} ${status}: ${mediaType} is not published`;
  if (member(found, "schema") === undefined || !("schema" in (found as Members))) return undefined;
  const pointer = isRefusal
    ? ["components", "responses", "Refusal", "content", mediaType, "schema"]
    : [...place, "responses", named, "content", mediaType, "schema"];
  const validate = validatorOf(pointer);
  if (validate(json) === true) return undefined;
  return `${method} ${template.path} ${status}: ${ajv.errorsText(validate.errors)}`;
}

function validatorOf(pointer: readonly string[]): ValidateFunction {
  const ref = `contract#/${pointer.map(escaped).join("/")}`;
  const known = validators.get(ref) ?? ajv.compile({ $ref: ref });
  validators.set(ref, known);
  return known;
}

function escaped(segment: string): string {
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

function patternOf(path: string): RegExp {
  const literal = path.replaceAll(/[.*+?^$()|[\]\\]/g, "\\$&");
  return new RegExp(
    `^${literal.replaceAll(/\{rest\}/g, ".+").replaceAll(/\{[a-z_]+\}/g, "[^/]+")}$`,
  );
}
