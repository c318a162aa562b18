/** Checks what README.md and the guides say of the API against its routes and limits. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { limits } from "../../config/limits.ts";
import { guides, readChapter } from "../../http/docs/guides.ts";
import { openapi } from "../../http/documents/openapi.ts";
import { routeTable } from "../../http/route-table.ts";

const root = join(import.meta.dirname, "../../..");
const paths = [
  "README.md",
  ...guides.map(({ slug }) => `docs/${slug}.md`),
  "clients/typescript/README.md",
  "clients/python/README.md",
];
const pages = paths.map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));

/** Routes that other listeners than the API's answer. */
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

/** Names with underscores that are not the API's, by what they belong to. */
const foreign: Readonly<Record<string, readonly string[]>> = {
  "the file of providers": ["allow_private", "allowed_hosts", "callback_addresses"],
  "settings of NATS and nginx": ["sync_interval", "proxy_http_version", "proxy_pass"],
  "the client for Python": ["on_progress", "on_upload", "retry_after"],
};

t.test("E11: every member, parameter and code that a page names is in the contract", async (t) => {
  const contract = JSON.stringify(
    openapi({ version: "0", baseUrl: "http://klieg.test/v1" }, routeTable),
  );
  const used = new Set<string>();
  for (const { path: page, text } of pages) {
    const prose = text.replaceAll(/^```[\s\S]*?^```$/gm, "");
    for (const [, code = ""] of prose.matchAll(/`([^`\n]+)`/g))
      for (const [name] of code.matchAll(/(?<![\w./-])[a-z]+(?:_[a-z0-9]+)+(?![\w.-])/g)) {
        used.add(name);
        const isForeign = Object.values(foreign).some((names) => names.includes(name));
        t.ok(isForeign || contract.includes(`"${name}"`), `${page}: ${name}`);
      }
  }
  t.strictSame(
    Object.values(foreign)
      .flat()
      .filter((name) => !used.has(name)),
    [],
  );
});

t.test("E11: every link of a guide to another leads to a page and its section", async (t) => {
  const chapters = guides.map(({ slug }) => readChapter(slug));
  for (const { slug, html } of chapters)
    for (const [, link = ""] of html.matchAll(/ href="([^"]*)"/g)) {
      t.notMatch(link, /\.md(?:#|$)|^\.\./, `${slug}: ${link}`);
      const [, page, section] = /^(?:\/docs\/([a-z-]+))?(?:#(.*))?$/.exec(link) ?? [];
      if (page === "api" || page === "problems" || (page ?? section) === undefined) continue;
      const target = chapters.find((one) => one.slug === (page ?? slug));
      t.ok(target, `${slug}: ${link}`);
      if (section !== undefined) t.match(target?.html, `id="${section}"`, `${slug}: ${link}`);
    }
});

t.test("every link of README.md to a file leads to one", async (t) => {
  const readme = pages[0]?.text ?? "";
  for (const [, path = ""] of readme.matchAll(/\]\(([\w./-]+)\)/g))
    t.ok(existsSync(join(root, path)), path);
  t.ok(readme.split("\n").length <= 151, "it has at most 150 lines");
});
