/**
 * The published contract (OpenAPI 3.1), generated from the routes and schemas that the service
 * uses. A schema with a title becomes a component; all others are inlined.
 */
import { omitUndefined } from "../../config/defined.ts";
import type { Type } from "../../config/schema.ts";
import { noParameters } from "../request/query.ts";
import type { Route } from "../route.ts";
import type { Json, Members } from "./json.ts";
import { bytes, Components } from "./published-components.ts";
import { describeResponses } from "./published-responses.ts";
import { sampleValue } from "./sample-values.ts";
import { findTag, isPublished, tags } from "./tags.ts";

export interface Published {
  readonly version: string;
  /** Base URL of the API, including the version prefix. */
  readonly baseUrl: string;
}

const prefix = "/v1";

export function openapi({ version, baseUrl }: Published, all: readonly Route[]): Members {
  const routes = all.filter(isPublished);
  const components = new Components(baseUrl);
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    const isInside = route.path.startsWith(`${prefix}/`);
    const path = getPublishedPath(route);
    const place = isInside ? {} : { servers: [{ url: getOrigin(baseUrl) }] };
    const operation = { [route.method.toLowerCase()]: describeOperation(route, path, components) };
    paths[path] = { ...place, ...paths[path], ...operation };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Klieg",
      version,
      description: "On-prem media generation: durable jobs, exact credits, a render farm.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
      contact: { name: "The operator of this service", url: baseUrl },
    },
    servers: [{ url: baseUrl }],
    tags: listTags(routes),
    security: [{ bearer: [] }],
    paths,
    components: {
      securitySchemes: { bearer: { type: "http", scheme: "bearer" } },
      headers: components.headers,
      responses: components.responses,
      examples: components.examples,
      schemas: components.schemas,
    },
  };
}

/**
 * Tools that read path templates take `/assets/{id}/content` and `/assets/uploads/{id}` for the
 * same path; a parameter with a single value tells them apart.
 */
const unambiguous: Readonly<Record<string, string>> = {
  "/assets/uploads/{id}": "/assets/{collection}/{id}",
};
const constantSegments: Readonly<Record<string, Members>> = { collection: { const: "uploads" } };

/** Path of a route as the document names it. */
export function getPublishedPath({ path }: Pick<Route, "path">): string {
  const inside = path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : path;
  return unambiguous[inside] ?? inside;
}

function getOrigin(baseUrl: string): string {
  return baseUrl.slice(0, -prefix.length);
}

/** Lists the tags that have operations. */
function listTags(routes: readonly Route[]): Members[] {
  const used = new Set(routes.map(findTag));
  return tags.flatMap(({ name, description }) => (used.has(name) ? [{ name, description }] : []));
}

function describeOperation(route: Route, path: string, components: Components): Members {
  const { access, summary, body, streamBytesMax } = route;
  const parameters = [...pathParameters(path), ...queryParameters(route, components)];
  if (route.takesKey) parameters.push(idempotencyKey);
  const responses = describeResponses(route, components);
  if (Object.hasOwn(responses, 412)) parameters.push(ifMatch);
  if (Object.hasOwn(responses, 304)) parameters.push(ifNoneMatch);
  return {
    operationId: getOperationId(route),
    summary,
    description: `${summary}. ${describeAccess(access)}`,
    tags: [findTag(route)],
    ...(access === "open" ? { security: [] } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...omitUndefined({ requestBody: body && describeBody(body, components) }),
    ...(streamBytesMax === undefined ? {} : { requestBody: describeStream(route, components) }),
    responses,
  };
}

function getOperationId({ method, path }: Route): string {
  const words = path.split(/[^A-Za-z0-9]+/).filter((word) => word !== "" && word !== "v1");
  const name = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
  return method.toLowerCase() + (name === "" ? "Root" : name);
}

function describeAccess(access: Route["access"]): string {
  if (access === "open") return "Requires no bearer token.";
  return access === "bearer" ? "Requires any valid bearer token." : `Requires the scope ${access}.`;
}

function pathParameters(path: string): Members[] {
  return [...path.matchAll(/\{([a-z_]+)\}/g)].map(([, name = ""]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string", ...constantSegments[name] },
    example: sampleValue({ type: "string", ...constantSegments[name] }, name),
  }));
}

function queryParameters({ query }: Route, components: Components): Members[] {
  if (query === noParameters) return [];
  return Object.entries(query).map(([name, { schema, isRequired = false }]) => ({
    name,
    in: "query",
    required: isRequired,
    schema: components.showSchema(schema),
    ...(isRequired ? { example: sampleValue(schema, name) } : {}),
  }));
}

const idempotencyKey: Members = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  schema: { type: "string", minLength: 1, maxLength: 255 },
  example: "harbor-dawn-1",
};

const ifMatch: Members = {
  name: "If-Match",
  in: "header",
  required: false,
  description: "The ETag of the version to change.",
  schema: { type: "string" },
  example: '"5f0c1d2e"',
};

const ifNoneMatch: Members = {
  name: "If-None-Match",
  in: "header",
  required: false,
  description: "The ETag of the version you have; the answer is 304 while it is the newest.",
  schema: { type: "string" },
  example: '"5f0c1d2e"',
};

function describeBody(body: NonNullable<Route["body"]>, components: Components): Members {
  const { mediaType = "application/json" } = body;
  const content = components.body(mediaType, body.schema);
  return { required: requiresMembers(body.schema), content };
}

/** Whether a body is required: it may be left out when all of its members are optional. */
function requiresMembers(schema: Type.TSchema): boolean {
  return "required" in schema && Array.isArray(schema.required) && schema.required.length > 0;
}

function describeStream({ streamBody }: Route, components: Components): Members {
  const entries = Object.entries(streamBody).map(([mediaType, schema]) => [
    mediaType,
    schema === null
      ? { schema: bytes }
      : { schema: components.showSchema(schema), example: sampleValue(schema) },
  ]);
  return { required: true, content: Object.fromEntries(entries) };
}
