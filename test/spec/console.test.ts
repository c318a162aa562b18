/** The console's page and its files; `test/console` covers what it does in a browser. */
import t from "tap";
import { openInProcess } from "./in-process-service.ts";

const policy =
  "default-src 'none'; script-src 'nonce-N'; style-src 'self'; " +
  "connect-src 'self' https://klieg.example; img-src 'self' https://klieg.example blob:; " +
  "media-src 'self' https://klieg.example blob:; frame-src 'self'; base-uri 'none'; " +
  "form-action 'none'; frame-ancestors 'none'";

t.test("GET /console is a page for each of its addresses, under a strict policy", async (t) => {
  const house = await openInProcess(t);
  for (const path of ["/console", "/console/jobs/1?from=a+link", "/console/compositions"]) {
    const { status, headers, text } = await house.stranger.get(path);
    t.equal(status, 200, path);
    t.equal(headers["content-type"], "text/html; charset=utf-8");
    const written = headers["content-security-policy"] ?? "";
    t.equal(written.replace(/'nonce-[\w-]{22}'/, "'nonce-N'"), policy);
    t.notMatch(text, /<script(?![^>]* src=)|<style|style="|onclick|https?:/, "nothing inline");
  }
});

t.test("GET /console-files/{file} may be kept for good, and there is no other file", async (t) => {
  const house = await openInProcess(t);
  const { text } = await house.stranger.get("/console/jobs");
  const files = [...text.matchAll(/"(\/console-files\/[^"]+)"/g)].map(([, path]) => path ?? "");
  t.equal(files.length, 2, "a stylesheet and a script");
  for (const path of files) {
    const { status, headers } = await house.stranger.get(path);
    t.equal(status, 200, path);
    t.equal(headers["cache-control"], "public, max-age=31536000, immutable");
    const known = { "if-none-match": headers["etag"] ?? "" };
    t.equal((await house.stranger.get(path, known)).status, 304);
  }
  t.equal((await house.stranger.get("/console-files/main.js")).status, 404);
  t.equal((await house.stranger.get("/console-files/..%2fmain.js")).status, 404);
});
