/** Routes of the service's documents: its links, its contract, and a page per problem type. */
import { createHash } from "node:crypto";
import { ProblemPage, RootLinks } from "../../contract/document.ts";
import { type Answer, json } from "../exchange/answer.ts";
import { requireFound } from "../exchange/refusal-error.ts";
import { problemTypes } from "../problems/problem-types.ts";
import { withETag } from "../request/etag.ts";
import { negotiateType } from "../request/negotiation.ts";
import { type Call, type Route, route } from "../route.ts";
import { frontPage } from "./front-page.ts";
import { openapi } from "./openapi.ts";
import { problemPage } from "./problem-page.ts";

/** `all` returns every route of the service, including these. */
export function documentRoutes(all: () => readonly Route[]): readonly Route[] {
  let document: string | undefined;
  return [
    route("GET", "/v1/", {
      summary: "Links to the documents of this service",
      answers: { 200: RootLinks },
      access: "open",
      run: links,
    }),
    route("GET", "/", {
      summary: "What this is, for whoever opens it in a browser",
      answers: { 200: RootLinks },
      access: "open",
      run: front,
    }),
    route("GET", "/v1/openapi.json", {
      summary: "This document",
      answers: { 200: "application/json", 304: null },
      access: "open",
      anyOrigin: true,
      run: ({ service, request }) => {
        document ??= JSON.stringify(openapi(service, all()));
        const digest = createHash("sha256").update(document).digest("base64url");
        return withETag(request, `"${digest.slice(0, 22)}"`, document);
      },
    }),
    route("GET", "/v1/problems/{slug}", {
      summary: "What a problem type means, and what to do about it",
      answers: { 200: ProblemPage },
      access: "open",
      anyOrigin: true,
      run: explain,
    }),
  ];
}

/** Answers browsers with a page, and other clients with the links. */
function front(call: Call): Answer {
  const { service, request } = call;
  const form = negotiateType(request.headers["accept"], ["application/json", "text/html"]);
  if (form !== "text/html") return links(call);
  return frontPage(new URL(service.baseUrl).origin, service.version);
}

function links({ service: { baseUrl, version } }: Call): Answer {
  const { origin } = new URL(baseUrl);
  return json(200, {
    release: version,
    documentation: `${origin}/docs`,
    openapi: `${baseUrl}/openapi.json`,
    problems: `${baseUrl}/problems/validation`,
    models: `${baseUrl}/models`,
    health: `${origin}/healthz`,
  });
}

function explain({ service, request, id }: Call): Answer {
  const explained = requireFound(problemTypes.find(({ slug }) => slug === id));
  const type = `${service.baseUrl}/problems/${explained.slug}`;
  const form = negotiateType(request.headers["accept"], ["application/json", "text/html"]);
  if (form === "text/html") return problemPage(explained);
  const { title, statuses, meaning, remedy } = explained;
  return json(200, { type, title, status: statuses[0], statuses, meaning, remedy });
}
