/** The response headers of the contract, and which of them an answer carries. */
import type { Route } from "../route.ts";

type Members = Readonly<Record<string, unknown>>;

function text(description: string, example: string, more: Members = {}): Members {
  return { description, schema: { type: "string", ...more }, example };
}

/** Response headers; the component names are the headers' own. */
export const publishedHeaders: Readonly<Record<string, Members>> = {
  "X-Request-Id": {
    ...text(
      "Identifies this request in the log; the value that the request sent, if any.",
      "req-9f-1",
    ),
    required: true,
  },
  Location: { ...text("The URL of the object.", "http://klieg.example/v1/jobs/1"), required: true },
  ETag: text("The version, for If-None-Match and If-Match.", '"v7"'),
  RateLimit: text(
    "What remains of the rate class's quota, and the seconds until it resets.",
    '"read";r=9;t=8',
  ),
  "RateLimit-Policy": text("The quota of the rate class and its window.", '"read";q=600;w=60'),
  "Retry-After": {
    description: "Seconds after which the request may be repeated.",
    schema: { type: "integer", minimum: 0 },
    example: 17,
  },
  "Retry-After-Reset": text("When the daily quota resets.", "2026-05-01T00:00:00.000Z", {
    format: "date-time",
  }),
  Allow: text("The methods that this path allows.", "GET"),
  "WWW-Authenticate": text("How to authenticate.", 'Bearer realm="klieg", error="invalid_token"'),
  Deprecation: text("When the model's deprecation takes effect (RFC 9745).", "@1777593600"),
  Sunset: text("When the model will be removed (RFC 8594).", "Fri, 01 May 2026 00:00:00 GMT"),
  Link: text(
    "The model's successor (RFC 5829).",
    '<http://klieg.example/v1/models/studio-image>; rel="successor-version"',
  ),
  "Content-Range": text("The byte range that this response contains.", "bytes 0-1023/4096"),
};

const rated = ["RateLimit", "RateLimit-Policy"];

/** Creations that answer with `Location`; everything accepted for later does too. */
const located = [
  "POST /v1/assets",
  "POST /v1/compositions",
  "POST /v1/compositions/{id}/clone",
  "POST /v1/organizations",
  "POST /v1/agent/sessions",
];

/** Changes that answer with the new version as `ETag`. */
const tagged = [
  "POST /v1/compositions",
  "POST /v1/compositions/{id}/clone",
  "PATCH /v1/compositions/{id}",
  "POST /v1/compositions/{id}/bundle",
  "PUT /v1/compositions/{id}/file",
  "PUT /uploads/{scope}/{id}/{part}",
];

/** Operations about a model, which may be deprecated; submits carry these headers too. */
const dated = ["POST /v1/jobs/cost", "GET /v1/models/{id}"];

export function describeHeaders(route: Route, status: number): Members {
  const operation = `${route.method} ${route.path}`;
  const isTagged = Object.hasOwn(route.answers, 304) || tagged.includes(operation);
  const isLocated = status === 202 || (status === 201 && located.includes(operation));
  return refsTo([
    "X-Request-Id",
    ...(isLocated || status === 302 || status === 303 ? ["Location"] : []),
    ...(isTagged ? ["ETag"] : []),
    ...(status === 206 || status === 416 ? ["Content-Range"] : []),
    ...(route.rate === undefined ? [] : rated),
    ...(route.isSubmit || dated.includes(operation) ? ["Deprecation", "Sunset", "Link"] : []),
    ...(headersByStatus[status] ?? []),
  ]);
}

/** Refusals are shared by operations, so a header is listed if any of these carries it. */
export function headersOfRefusal(status: number): Members {
  const isCounted = ![401, 405, 414, 431].includes(status);
  return refsTo(["X-Request-Id", ...(isCounted ? rated : []), ...(headersByStatus[status] ?? [])]);
}

const headersByStatus: Readonly<Record<number, readonly string[]>> = {
  401: ["WWW-Authenticate"],
  405: ["Allow"],
  429: ["Retry-After", "Retry-After-Reset"],
  503: ["Retry-After"],
};

function refsTo(names: readonly string[]): Members {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
