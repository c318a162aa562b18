/** What README.md and the guides say of the API, against the routes and limits that there are. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { limits } from "../../config/limits.ts";
import { guides } from "../../http/docs/guides.ts";
import { routeTable } from "../../http/route-table.ts";

const root = join(import.meta.dirname, "../../..");
const paths = [
  "README.md",
  ...guides.map(({ slug }) => `docs/${slug}.md`),
  "clients/typescript/README.md",
  "clients/python/README.md",
];
const pages = paths.map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));

/** Answered by other listeners than the API's. */
const elsewhere = ["GET /metrics"];

t.test("E11: every route that a page names is in the contract, with its parameters", async (t) => {
  const named = /\b(GET|POST|PUT|PATCH|DELETE) (\/[\w./:{}-]*)(?:\?([\w]+)=)?/g;
  for (const { path: page, text } of pages)
    for (const [all, method = "", given = "", parameter] of text.matchAll(named)) {
      const path = given.startsWith("/v1") ? given : `/v1${given}`;
      const route = routeTable.find((one) => one.method === method && one.path === path);
      const isKnown = route !== undefined || elsewhere.includes(`${method} ${given}`);
      t.ok(isKnown, `${page}: ${all}`);
      if (parameter !== undefined && parameter !== "ticket")
        t.ok(Object.hasOwn(route?.query ?? {}, parameter), `${page}: ${all}`);
    }
});

t.test("E11: the waits that a page allows are those that the service allows", async (t) => {
  const said = pages.flatMap(({ text }) =>
    [...text.matchAll(/\/wait`, at most (\d+) s/g)].map(([, seconds]) => Number(seconds)),
  );
  t.strictSame(said, [limits.jobs.waitSecondsMax]);
});
