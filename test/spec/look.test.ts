/** The stylesheets and the mark, as pages name them and as they stand. */
import t from "tap";
import { openInProcess } from "./in-process-service.ts";

t.test("GET /look/look.css has an entity tag, and is not sent twice", async (t) => {
  const house = await openInProcess(t);
  const { status, headers, text } = await house.stranger.get("/look/look.css");
  t.equal(status, 200);
  t.equal(headers["content-type"], "text/css; charset=utf-8");
  t.equal(headers["cache-control"], undefined);
  t.match(text, /--accent: #a8421b/);
  const known = { "if-none-match": headers["etag"] ?? "" };
  t.equal((await house.stranger.get("/look/look.css", known)).status, 304);
});

t.test("what a page names carries its digest and may be kept for good", async (t) => {
  const house = await openInProcess(t);
  const { text } = await house.stranger.get("/device");
  const named = [...text.matchAll(/(?:href|src)="(\/look\/[^"]+)"/g)].map(([, path]) => path ?? "");
  t.equal(named.length, 4, "two stylesheets, the icon, the mark");
  for (const path of named) {
    const { status, headers } = await house.stranger.get(path);
    t.equal(status, 200, path);
    t.match(path, /-[0-9a-f]{12}\.(css|svg)$/);
    t.equal(headers["cache-control"], "public, max-age=31536000, immutable");
  }
});

t.test("GET /look/{file} answers 404 for what is no file of the look", async (t) => {
  const house = await openInProcess(t);
  for (const name of ["look-000000000000.css", "look-files.js", "..%2fpage.js", "markup.ts"])
    t.equal((await house.stranger.get(`/look/${name}`)).status, 404, name);
});
