import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import t, { type Test } from "tap";
import { effectiveTimeline } from "../../timeline/timeline.ts";
import { runCommand } from "./run-command.ts";

const served: Readonly<Record<string, readonly [type: string, body: string]>> = {
  "/gsap@3/gsap.min.js": ["text/javascript", "window.gsap = 1;"],
  "/css2?family=Inter:wght@400;700&display=swap": [
    "text/css",
    "@import 'more.css'; @font-face{font-family:Inter;src:url(/inter.woff2)}",
  ],
  "/more.css": ["text/css", "b{background:url(data:image/png;base64,AA)}"],
  "/inter.woff2": ["font/woff2", "letters"],
  "/three/build/three.module.js": [
    "text/javascript",
    "import { core } from './three.core.js'; export const three = core;",
  ],
  "/three/build/three.core.js": [
    "text/javascript",
    "import './three.module.js'; export const core = 3;",
  ],
  "/three/addons/controls.js": [
    "text/javascript",
    "import { three } from 'three'; export const controls = three;",
  ],
  "/three/addons/unused.js": ["text/javascript", ""],
};
const sha384 = (text: string) => `sha384-${createHash("sha384").update(text).digest("base64")}`;

async function contentServer(t: Test): Promise<string> {
  const server = createServer(({ url = "" }, response) => {
    const [type, body] = served[url] ?? [];
    response.writeHead(type === undefined ? 404 : 200, { "content-type": type ?? "text/plain" });
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.teardown(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const vendor = (folder: string) => runCommand(["vendor", folder]);

const page = (head: string) => `<!doctype html><html><head>${head}</head>
  <body style="background:#000"><div data-composition-id="m" data-width="320" data-height="180"
  data-duration="2"></div></body></html>`;

t.test(
  "klieg vendor takes remote scripts and styles into the folder, with integrity",
  async (t) => {
    const origin = await contentServer(t);
    const sheet = `${origin}/css2?family=Inter:wght@400;700&amp;display=swap`;
    const script = `<script defer src="${origin}/gsap@3/gsap.min.js"></script>`;
    const folder = t.testdir({
      "index.html": page(
        `${script}<link rel="stylesheet" href='${sheet}'><script src="own.js"></script>`,
      ),
      "own.js": "",
      parts: { "card.html": `<template>${script}</template>` },
    });
    const { code, out, said } = await vendor(folder);
    t.strictSame([code, said], [0, []]);
    t.equal(out.at(-1), `${folder}: 4 fetched`);
    const files = new Map(
      readdirSync(`${folder}/vendor`).map((name) => [
        name.replace(/-[0-9a-f]{8}\./, "."),
        { name, text: readFileSync(`${folder}/vendor/${name}`, "utf8") },
      ]),
    );
    t.strictSame([...files.keys()].sort(), ["css2.css", "gsap.min.js", "inter.woff2", "more.css"]);
    const written = readFileSync(`${folder}/index.html`, "utf8");
    const gsap = files.get("gsap.min.js");
    const css = files.get("css2.css");
    const tag = `integrity="${sha384("window.gsap = 1;")}" defer src="vendor/${gsap?.name}"`;
    t.ok(written.includes(`<script ${tag}></script>`), written);
    t.ok(
      written.includes(`<link integrity="${sha384(css?.text ?? "")}" rel="stylesheet"`),
      written,
    );
    t.ok(css?.text.includes(`url(${files.get("inter.woff2")?.name})`));
    t.ok(readFileSync(`${folder}/parts/card.html`, "utf8").includes(`<script ${tag}></script>`));
    const paths = [...files.values()].map(({ name }) => `vendor/${name}`);
    const { diagnostics } = effectiveTimeline({
      entry: "index.html",
      has: (path) => path === "own.js" || paths.includes(path),
      read: (path) => (path === "index.html" ? written : undefined),
    });
    t.strictSame(diagnostics, [], "nothing is remote or missing any more");
    t.strictSame((await vendor(folder)).out, [`${folder}: nothing is remote`]);
  },
);

t.test("klieg vendor follows modules, in circles and by import maps too (F10)", async (t) => {
  const origin = await contentServer(t);
  const map = {
    three: `${origin}/three/build/three.module.js`,
    "three/addons/": `${origin}/three/addons/`,
    own: "./own.js",
  };
  const folder = t.testdir({
    "index.html": page(
      `<script type="importmap">${JSON.stringify({ imports: map })}</script>
      <script type="module">import { three } from "three"; import("own");</script>`,
    ),
    "own.js": `import { controls } from "three/addons/controls.js";`,
    parts: { "deep.mjs": `export * from "${origin}/gsap@3/gsap.min.js";` },
  });
  const { code, out, said } = await vendor(folder);
  t.strictSame([code, said], [0, []]);
  t.equal(out.at(-1), `${folder}: 4 fetched`);
  const names = readdirSync(`${folder}/vendor`);
  const makeName = (stem: string) => names.find((name) => name.startsWith(`${stem}-`)) ?? "";
  const text = (name: string) => readFileSync(`${folder}/vendor/${name}`, "utf8");
  const [module, core, controls] = ["three.module", "three.core", "controls"].map(makeName) as [
    string,
    string,
    string,
  ];
  t.equal(text(module), `import { core } from './${core}'; export const three = core;`);
  t.equal(text(core), `import './${module}'; export const core = 3;`);
  const written = readFileSync(`${folder}/index.html`, "utf8");
  const [, json = ""] = /importmap">([^<]*)</.exec(written) ?? [];
  t.strictSame(JSON.parse(json), {
    imports: {
      own: "./own.js",
      three: `./vendor/${module}`,
      "three/addons/controls.js": `./vendor/${controls}`,
    },
    integrity: {
      [`./vendor/${module}`]: sha384(text(module)),
      [`./vendor/${controls}`]: sha384(text(controls)),
    },
  });
  t.equal(
    readFileSync(`${folder}/parts/deep.mjs`, "utf8"),
    `export * from "../vendor/${makeName("gsap.min")}";`,
  );
  t.strictSame((await vendor(folder)).out, [`${folder}: nothing is remote`]);
});

t.test("what cannot be fetched, or is not what the page says, is named", async (t) => {
  const origin = await contentServer(t);
  const gone = t.testdir({ "index.html": page(`<script src="${origin}/gone.js"></script>`) });
  t.match(await vendor(gone), {
    code: 1,
    said: [/gone\.js could not be fetched: the answer is 404/],
  });
  const url = `${origin}/gsap@3/gsap.min.js`;
  const other = page(`<script src="${url}" integrity="${sha384("else")}"></script>`);
  const folder = t.testdir({ "index.html": other });
  t.match(await vendor(folder), {
    code: 1,
    said: [/does not match the page's integrity attribute/],
  });
  t.equal(readFileSync(`${folder}/index.html`, "utf8"), other);
});
