/**
 * The published contract (OpenAPI 3.1), made from the very rows and schemas that serve. A schema
 * with a title becomes a component; everything else stands where it is used.
 */
import { Problem } from "../actors/contract/problem.ts";
import type { Type } from "../config/schema.ts";
import { noParameters } from "./query.ts";
import type { Answers, Route } from "./route.ts";

type Json = unknown;
type Members = Readonly<Record<string, Json>>;

export interface Published {
  readonly version: string;
  /** With the version prefix. */
  readonly baseUrl: string;
}

const prefix = "/v1";

export function openapi({ version, baseUrl }: Published, routes: readonly Route[]): Members {
  const components = new Components();
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    const isInside = route.path.startsWith(`${prefix}/`);
    const path = isInside ? route.path.slice(prefix.length) : route.path;
    const place = isInside ? {} : { servers: [{ url: originOf(baseUrl) }] };
    const operation = { [route.method.toLowerCase()]: operationOf(route, components) };
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
    tags: tagsOf(routes),
    security: [{ bearer: [] }],
    paths,
    components: {
      securitySchemes: { bearer: { type: "http", scheme: "bearer" } },
      responses: { Refusal: refusalOf(components) },
      schemas: components.schemas,
    },
  };
}

function originOf(baseUrl: string): string {
  return baseUrl.slice(0, -prefix.length);
}

/** The first segment of a path says what it is about. */
function tagOf({ path }: Route): string {
  const segments = path.split("/").filter((segment) => segment !== "" && segment !== "v1");
  return segments[0]?.split(":")[0]?.replace(/^\./, "") ?? "service";
}

function tagsOf(routes: readonly Route[]): Members[] {
  const names = [...new Set(routes.map(tagOf))].sort();
  return names.map((name) => ({ name, description: `Everything under ${name}.` }));
}

function operationOf(route: Route, components: Components): Members {
  const { access, summary, body, streamBytesMax } = route;
  const parameters = [...pathParameters(route), ...queryParameters(route, components)];
  if (route.takesKey) parameters.push(idempotencyKey);
  return {
    operationId: operationIdOf(route),
    summary,
    description: `${summary}. ${accessOf(access)}`,
    tags: [tagOf(route)],
    ...(access === "open" ? { security: [] } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: bodyOf(body, components) }),
    ...(streamBytesMax === undefined ? {} : { requestBody: streamOf(route, components) }),
    responses: responsesOf(route.answers, components),
  };
}

function operationIdOf({ method, path }: Route): string {
  const words = path.split(/[^A-Za-z0-9]+/).filter((word) => word !== "" && word !== "v1");
  const name = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
  return method.toLowerCase() + (name === "" ? "Root" : name);
}

function accessOf(access: Route["access"]): string {
  if (access === "open") return "Needs no bearer.";
  return access === "bearer" ? "Any valid bearer." : `Needs the scope ${access}.`;
}

function pathParameters({ path }: Route): Members[] {
  return [...path.matchAll(/\{([a-z_]+)\}/g)].map(([, name = ""]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
}

function queryParameters({ query }: Route, components: Components): Members[] {
  if (query === noParameters) return [];
  return Object.entries(query).map(([name, { schema, isRequired = false }]) => ({
    name,
    in: "query",
    required: isRequired,
    schema: components.shown(schema),
  }));
}

const idempotencyKey: Members = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  schema: { type: "string", minLength: 1, maxLength: 255 },
};

function bodyOf(body: NonNullable<Route["body"]>, components: Components): Members {
  const { mediaType = "application/json" } = body;
  const content = { [mediaType]: { schema: components.shown(body.schema) } };
  return { required: requiresMembers(body.schema), content };
}

/** A body whose members are all optional may be left out. */
function requiresMembers(schema: Type.TSchema): boolean {
  return "required" in schema && Array.isArray(schema.required) && schema.required.length > 0;
}

function streamOf({ streamBody }: Route, components: Components): Members {
  const entries = Object.entries(streamBody).map(([mediaType, schema]) => [
    mediaType,
    schema === null ? {} : { schema: components.shown(schema) },
  ]);
  return { required: true, content: Object.fromEntries(entries) };
}

function responsesOf(answers: Answers, components: Components): Members {
  const responses: Record<string, Json> = {};
  for (const [status, answer] of Object.entries(answers))
    responses[status] = {
      description: descriptions[status] ?? "As asked",
      ...(Number(status) < 400 ? contentOf(answer, components) : eitherOf(answer, components)),
    };
  return { ...responses, "4XX": refusal, "5XX": refusal };
}

const refusal = { $ref: "#/components/responses/Refusal" };

const descriptions: Readonly<Record<string, string>> = {
  200: "Done",
  201: "Created",
  202: "Accepted",
  204: "Done; there is nothing to say",
  206: "A part",
  302: "Elsewhere",
  303: "See the page",
  304: "Not changed",
  400: "Refused",
  401: "Refused",
};

function contentOf(answer: Answers[number] | undefined, components: Components): Members {
  if (answer === null || answer === undefined) return {};
  if (typeof answer === "string") return { content: { [answer]: {} } };
  return { content: { "application/json": { schema: components.shown(answer) } } };
}

/** A refusal in the words of another standard, or a problem object before it got that far. */
function eitherOf(answer: Answers[number] | undefined, components: Components): Members {
  const { content } = contentOf(answer, components);
  return { content: { ...(content as Members | undefined), ...problemContent(components) } };
}

function refusalOf(components: Components): Members {
  return { description: "Refused", content: problemContent(components) };
}

function problemContent(components: Components): Members {
  return { "application/problem+json": { schema: components.shown(Problem) } };
}

class Components {
  readonly schemas: Record<string, Json> = {};

  /** The schema as JSON, with references in the place of what has a title. */
  shown(schema: Type.TSchema): Json {
    return this.replaced(JSON.parse(JSON.stringify(schema)) as Json);
  }

  private replaced(node: Json): Json {
    if (Array.isArray(node)) return node.map((item) => this.replaced(item));
    if (typeof node !== "object" || node === null) return node;
    const members = Object.fromEntries(
      Object.entries(node).map(([name, member]) => [name, this.replaced(member)]),
    );
    const { title } = members;
    if (typeof title !== "string") return members;
    this.schemas[title] ??= members;
    return { $ref: `#/components/schemas/${title}` };
  }
}
