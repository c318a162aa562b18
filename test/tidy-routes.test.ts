/**
 * Every route has what a route must have: schemas, an entry in the published document, a test of
 * the specification. Each test lists the routes that lack it.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { getPublishedPath, openapi } from "../http/documents/openapi.ts";
import { isPublished } from "../http/documents/tags.ts";
import type { Route } from "../http/route.ts";
import { routeTable } from "../http/route-table.ts";

/** Tests run compiled; the sources of the specification's tests stand beside `dist`. */
const folder = join(import.meta.dirname, "../../test/spec");
const texts = readdirSync(folder)
  .filter((name) => name.endsWith(".ts"))
  .map((name) => readFileSync(join(folder, name), "utf8"));

/** Routes that change something and whose path says everything that they need. */
const bodiless = [
  "POST /v1/jobs/{id}/sse-ticket",
  "POST /v1/assets/{id}/restore",
  "POST /v1/renders/{id}/sse-ticket",
  "POST /v1/compositions/{id}/preview",
  "POST /v1/agent/sessions/{id}/events-ticket",
];

function getName({ method, path }: Route): string {
  return `${method} ${path}`;
}

function listLacking(has: (route: Route) => boolean): string[] {
  return routeTable.filter((route) => !has(route)).map(getName);
}

t.test("each route has a schema for each of its answers", async (t) => {
  const wrong = listLacking(({ answers }) => {
    const statuses = Object.keys(answers).map(Number);
    // An answer without a body, or of another media type, says so.
    const isStated = Object.values(answers).every((answer) => {
      return answer === null || typeof answer === "string" || Object.keys(answer).length > 0;
    });
    return isStated && statuses.some((status) => status >= 200 && status < 400);
  });
  t.strictSame(wrong, []);
});

t.test("each route that takes a body has a schema that names all of it", async (t) => {
  const wrong = listLacking((route) => {
    const { method, body, streamBytesMax } = route;
    if (method === "GET" || method === "DELETE") return body === undefined;
    // The route reads the body as it arrives.
    if (streamBytesMax !== undefined) return body === undefined;
    if (body === undefined) return bodiless.includes(getName(route));
    return Object.keys(body.schema).length > 0 && body.bytesMax > 0;
  });
  t.strictSame(wrong, []);
});

t.test("each route for programs has an entry in the published document", async (t) => {
  const { paths } = openapi({ version: "0", baseUrl: "http://klieg.test/v1" }, routeTable);
  const published = paths as Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  const wrong = listLacking(
    (route) =>
      !isPublished(route) ||
      published[getPublishedPath(route)]?.[route.method.toLowerCase()] !== undefined,
  );
  t.strictSame(wrong, []);
});

t.test("each route has a test of the specification that names its method and path", async (t) => {
  const wrong = listLacking(({ method, path }) => {
    const verb = new RegExp(`\\b${method}\\b|\\.${method.toLowerCase()}\\b`);
    const place = new RegExp(`${pathPattern(path)}(?=["'\`?\\s,;]|$)`, "m");
    return texts.some((text) => verb.test(text) && place.test(text));
  });
  t.strictSame(wrong, []);
});

/** Matches any text for a segment in braces and any path for `{rest}`. Titles leave `/v1` out. */
function pathPattern(path: string): string {
  const parts = path.replace(/^\/v1/, "").split(/(\{\w+\})/);
  return parts
    .map((part) => {
      if (part === "{rest}") return "[^\"'`\\s]+";
      return part.startsWith("{") ? "[^/\"'`\\s]+" : part.replace(/[.*+?^$()|[\]\\]/g, "\\$&");
    })
    .join("");
}
