/** What may import what. Each test lists the imports that break its rule. */
import { dirname, join } from "node:path";
import t from "tap";
import {
  folders,
  isRoot,
  listImports,
  listSpecifiers,
  product,
  type Source,
  sources,
} from "./source-tree.ts";

/** Path prefixes for folders that may import less than all that stand before them. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  config: ["package.json"],
  providers: ["config/", "engine/", "actors/"],
  // Code that runs in the pages of films and code that makes them: for farm and previews.
  film: ["config/", "timeline/"],
  // Farm nodes meet the service in the task port, whose messages are the engine's.
  "render-farm": ["config/", "engine/", "timeline/", "actors/asset/media-type.ts", "film/"],
  // Whatever the console can do, a client can do.
  console: ["clients/typescript/src/", "film/preview/messages.ts"],
  // The generator reads what routes publish. What users install imports nothing; see below.
  clients: ["http/documents/openapi.ts", "http/docs/api/api-document.ts", "http/route-table.ts"],
  bench: [
    "config/",
    "contract/",
    "clients/typescript/src/",
    "cli/folder-",
    // The peers use the same browser and tools.
    "render-farm/browser/browser.ts",
    "render-farm/browser/chromium-path.ts",
    "render-farm/programs/find-tool.ts",
    // Hostile bytes, slow providers, NATS and S3 servers are the same as the tests'.
    "test/hostile/",
    "test/providers/",
    "test/nats-server.ts",
    "test/s3/swift.ts",
  ],
};

/** Inside these two folders the same rule holds for what they contain, from the ground up. */
const innerOrder: Readonly<Record<string, readonly string[]>> = {
  actors: [
    "reply.ts",
    "table-codes.ts",
    "count.ts",
    "pricing.ts",
    "refusal.ts",
    "protocol",
    "row-codecs.ts",
    "generation",
    "job",
    "asset",
    "composition",
    "render",
    "measuring",
    "set",
    "share",
    "studio",
    "account",
    "ticket",
    "directory",
    "tombstone",
    "agent",
    "domain.ts",
  ],
  http: [
    "backup-files.ts",
    "backup-requests.ts",
    "exchange",
    "transport",
    "auth",
    "problems",
    "request",
    "request-log.ts",
    "service.ts",
    "short-threads.ts",
    "route.ts",
    "look",
    "placing.ts",
    "match.ts",
    "route-tree.ts",
    "metrics",
    "paging",
    "documents",
    "docs",
    "sign-in",
    "providers",
    "accounts",
    "bootstrap.ts",
    "streams",
    "token-reset.ts",
    "jobs",
    "assets",
    "operations",
    "api.ts",
    "cluster",
    "stopping.ts",
    "compositions",
    "shares",
    "exports",
    "previews",
    "health-watch.ts",
    "wiring.ts",
    "agents",
    "console",
    "route-table.ts",
    "main.ts",
  ],
};

/** Packages that more than one file imports, and why. */
const packageExceptions: Readonly<Record<string, readonly string[]>> = {
  // The peer is the same library without the service, against which the bench measures.
  "uWebSockets.js": ["http/transport/server.ts", "bench/peers/bare-uws.ts"],
  // The service reads third-party archives from its object store, the command line its own file.
  yauzl: ["http/compositions/bundle-archive.ts", "cli/compositions/archived-manifest.ts"],
};
const testPackages = [
  "acorn",
  "axe-core",
  "tap",
  "tap-parser",
  "fast-check",
  "typescript",
  "ajv",
  "ajv-formats",
  "gltf-validator",
  "eventsource",
  "openapi-typescript",
  "@figma/rest-api-spec",
  "yaml",
  // The TypeScript client, as a third-party project has it.
  "klieg",
  // The vendors' clients, which judge the simulators.
  "@fal-ai/client",
  "openai",
  "replicate",
];
/** Packages of both ends of a connection: the service is one end, a simulator the other. */
const sharedPackages = ["ws"];

t.test("the sources are found", async (t) => {
  t.ok(sources.length > 100, `${sources.length} files`);
});

t.test("no arrow runs up: a folder imports only itself and folders before it", async (t) => {
  const floor = (path: string) => folders.findIndex((folder) => path.startsWith(`${folder}/`));
  const wrong = product
    .filter(({ folder }) => folder !== "bench")
    .flatMap((source) =>
      listImports(source)
        .filter((to) => floor(to) > floor(source.path))
        .map((to) => `${source.path} imports ${to}`),
    );
  t.strictSame(wrong, []);
});

t.test("folders import only what the dependency rule allows", async (t) => {
  const wrong = product
    .filter(({ path }) => !isRoot(path))
    .flatMap((source) =>
      listImports(source)
        .filter((to) => to.split("/")[0] !== source.folder)
        .filter(
          (to) => mayImport[source.folder]?.some((allowed) => to.startsWith(allowed)) === false,
        )
        .map((to) => `${source.path} imports ${to}`),
    );
  t.strictSame(wrong, []);
});

for (const [folder, order] of Object.entries(innerOrder))
  t.test(`no arrow runs up inside ${folder}/`, async (t) => {
    const inside = product.filter((source) => source.folder === folder);
    const room = (path: string) => path.split("/")[1] ?? "";
    const rooms = new Set(inside.map(({ path }) => room(path)));
    t.strictSame([...rooms].sort(), [...order].sort(), "each is in the order, once");
    const wrong = inside.flatMap((source) =>
      listImports(source)
        .filter((to) => to.startsWith(`${folder}/`))
        .filter((to) => order.indexOf(room(to)) > order.indexOf(room(source.path)))
        .map((to) => `${source.path} imports ${to}`),
    );
    t.strictSame(wrong, []);
  });

t.test("a client that users install stands on nothing but itself", async (t) => {
  const home = "clients/typescript/src/";
  const wrong = sources
    .filter(({ path }) => path.startsWith(home))
    .flatMap((source) =>
      listSpecifiers(source.tree)
        .filter((to) => !to.startsWith(".") || !join(dirname(source.path), to).startsWith(home))
        .map((to) => `${source.path} imports ${to}`),
    );
  t.strictSame(wrong, []);
});

t.test("the service does not call itself: http imports no client", async (t) => {
  const wrong = sources
    .filter(({ folder }) => folder === "http")
    .flatMap((source) =>
      listImports(source)
        .filter((to) => to.startsWith("clients/"))
        .map((to) => `${source.path} imports ${to}`),
    );
  t.strictSame(wrong, []);
});

t.test("http and render-farm meet only in the task port", async (t) => {
  const wrong = product.flatMap(({ path, folder, tree }) =>
    folder === "http" || folder === "render-farm"
      ? listImports({ path, tree })
          .filter((to) => to.startsWith(folder === "http" ? "render-farm/" : "http/"))
          .filter(() => !isRoot(path))
          .map((to) => `${path} imports ${to}`)
      : [],
  );
  t.strictSame(wrong, []);
});

t.test("only a main.ts imports adapters", async (t) => {
  const wrong = product
    .filter(({ path }) => !isRoot(path) && !path.startsWith("engine/adapters/"))
    .flatMap((source) =>
      listImports(source)
        .filter((to) => to.startsWith("engine/adapters/"))
        .map((to) => `${source.path} imports ${to}`),
    );
  t.strictSame(wrong, []);
});

t.test("nobody imports a main.ts", async (t) => {
  const wrong = sources.flatMap((source) =>
    listImports(source)
      .filter(isRoot)
      .map((to) => `${source.path} imports ${to}`),
  );
  t.strictSame(wrong, []);
});

t.test("no circle of imports, types included", async (t) => {
  const importsByPath = new Map(sources.map((source) => [source.path, listImports(source)]));
  const inCircles = [...importsByPath.keys()].filter((path) => reaches(importsByPath, path, path));
  t.strictSame(inCircles, []);
});

t.test("actors keep nothing in their modules: what they know is in heads and rows", async (t) => {
  const kept = sources
    .filter(({ path, folder }) => folder === "actors" && !isRoot(path))
    .filter(({ text }) => /^(?:export )?let /m.test(text))
    .map(({ path }) => path);
  t.strictSame(kept, []);
});

t.test("each npm package has one importing file", async (t) => {
  const importers = new Map<string, Set<string>>();
  for (const source of product)
    for (const name of packages(source))
      importers.set(name, (importers.get(name) ?? new Set()).add(source.path));
  const wrong = [...importers].filter(([name, paths]) => {
    const allowed = packageExceptions[name];
    return paths.size > 1 && ![...paths].every((path) => allowed?.includes(path));
  });
  t.strictSame(
    wrong.map(([name, paths]) => `${name}: ${[...paths].join(", ")}`),
    [],
  );
});

t.test("tests import the test packages, and nothing else from npm", async (t) => {
  const wrong = sources.flatMap((source) =>
    packages(source)
      .filter((name) => !sharedPackages.includes(name))
      .filter((name) => (source.folder === "test") !== testPackages.includes(name))
      .filter((name) => source.folder === "test" || testPackages.includes(name))
      .map((name) => `${source.path} imports ${name}`),
  );
  t.strictSame(wrong, []);
});

function reaches(
  importsByPath: ReadonlyMap<string, readonly string[]>,
  from: string,
  to: string,
): boolean {
  const found = new Set(importsByPath.get(from));
  for (const path of found) for (const next of importsByPath.get(path) ?? []) found.add(next);
  return found.has(to);
}

function packages({ tree }: Source): string[] {
  return listSpecifiers(tree)
    .filter((specifier) => !specifier.startsWith(".") && !specifier.startsWith("node:"))
    .map((name) =>
      name
        .split("/")
        .slice(0, name.startsWith("@") ? 2 : 1)
        .join("/"),
    );
}
