import t from "tap";
import { guides } from "../../http/docs/guides.ts";
import { problemTypes } from "../../http/problems/problem-types.ts";
import { openInProcess } from "./in-process-service.ts";

const places = [...guides.map(({ slug }) => slug), "api", "problems"].map(
  (slug) => `/docs/${slug}`,
);

t.test(
  "GET /docs, /docs/{guide}, /docs/api and /docs/problems are pages of this service",
  async (t) => {
    const house = await openInProcess(t);
    const { text: first } = await house.stranger.get("/docs");
    t.equal(first, (await house.stranger.get("/docs/start")).text);
    const links = new Set<string>();
    for (const path of places) {
      const { status, headers, text } = await house.stranger.get(path);
      t.equal(status, 200, path);
      t.match(headers["content-type"], "text/html");
      const policy = headers["content-security-policy"] ?? "";
      t.match(policy, /^default-src 'none'; script-src 'self'; /);
      t.notMatch(policy, /http|\*/, "nothing of other hosts");
      for (const [, place = ""] of text.matchAll(/(?:href|src)="([^"#]*)/g)) links.add(place);
      for (const [, anchor = ""] of text.matchAll(/href="#([^"]*)"/g))
        t.ok(text.includes(`id="${anchor}"`), `${path} has ${anchor}`);
    }
    t.ok(links.size > 15);
    for (const link of [...links].filter((link) => link !== "" && link !== "/console")) {
      const { status, headers } = await house.stranger.get(link);
      t.equal(status, 200, link);
      if (!link.startsWith("/docs/files/")) continue;
      t.match(headers["cache-control"], "immutable", link);
    }
    t.match(await house.stranger.get("/docs/unknown"), { status: 404 });
    t.match(await house.stranger.get("/docs/files/unknown.js"), { status: 404 });
  },
);

t.test("GET /docs/api/{tag} has each operation of the tag with a sample of curl", async (t) => {
  const house = await openInProcess(t);
  const { text: overview } = await house.stranger.get("/docs/api");
  const { json } = await house.stranger.get<PublishedDocument>("/v1/openapi.json");
  for (const operations of Object.values(json.paths))
    for (const { tags: [tag = ""] = [], operationId } of Object.values(operations))
      if (operationId !== undefined) {
        const path = `/docs/api/${tag.toLowerCase()}`;
        t.match(overview, `href="${path}#${operationId}"`);
        const { text } = await house.stranger.get(path);
        t.match(text, `<h2 id="${operationId}">`);
      }
  t.match((await house.stranger.get("/docs/api/jobs")).text, "curl -N &quot;$KLIEG_URL/v1/jobs/");
  t.match(await house.stranger.get("/docs/api/nothing"), { status: 404 });
});

interface PublishedDocument {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { tags?: string[]; operationId?: string }>>>
  >;
}

t.test("GET /docs/search.json has each section of the guides and each problem", async (t) => {
  const house = await openInProcess(t);
  const path = "/docs/search.json";
  const { json } = await house.stranger.get<{ url: string; title: string; text: string }[]>(path);
  const sections = json.filter(({ url }) => url.startsWith("/docs/"));
  t.equal(json.length - sections.length, problemTypes.length);
  t.match(
    sections.find(({ url }) => url === "/docs/api/jobs#getJobsId"),
    { page: "API reference", text: "GET /jobs/{id}" },
  );
  t.match(
    sections.find(({ url }) => url === "/docs/client#what-to-repeat"),
    { title: "What to repeat", text: /^Send an Idempotency-Key with every submit/ },
  );
  for (const { url, title } of sections) {
    const [page = "", anchor] = url.split("#");
    const { text } = await house.stranger.get(page);
    t.ok(text.includes(`id="${anchor}"`), `${url}: ${title}`);
  }
});
