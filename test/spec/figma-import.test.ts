import type { Node } from "@figma/rest-api-spec";
import t, { type Test } from "tap";
import type { Static } from "../../config/schema.ts";
import type { AssetPage } from "../../contract/asset.ts";
import type { Composition } from "../../contract/composition.ts";
import type { FigmaImport } from "../../contract/figma.ts";
import type { Caller, Refused, Reply } from "./caller.ts";
import { make, page } from "./composition-steps.ts";
import { type FigmaDouble, json, node, openFigma, solid, text } from "./figma-double.ts";
import { type InProcess, openInProcess } from "./in-process-service.ts";

const secret = "figd_a-token-of-the-design-host";

/** A frame at 1000, 500 with a picture, a group with a text and a star in it, and a text. */
const frame = node("FRAME", "1:2", [1_000, 500, 640, 360], {
  name: "Title",
  fills: [solid(0, 0, 1)],
  children: [
    node("RECTANGLE", "1:3", [1_000, 500, 640, 360]),
    node("GROUP", "1:4", [1_020, 520, 200, 100], {
      opacity: 0.5,
      children: [
        node("STAR", "1:5", [1_120, 540, 50, 50], { opacity: 0.5 }),
        text("1:6", [1_020, 520, 80, 24], "Kites"),
      ],
    }),
    text("1:7", [1_100, 700, 300, 72], "Up high", {
      rotation: Math.PI / 6,
      style: { fontSize: 60, lineHeightPx: 72, letterSpacing: 2 },
    }),
    node("ELLIPSE", "1:8", [1_010, 510, 10, 10], { visible: false }),
  ],
});

interface Stage {
  readonly house: InProcess;
  readonly caller: Caller;
  readonly figma: FigmaDouble;
  readonly id: string;
}

async function open(t: Test, design: Node = frame): Promise<Stage> {
  const figma = await openFigma(t, design);
  const house = await openInProcess(t, { figmaUrl: figma.url });
  const caller = await house.account();
  return { house, caller, figma, id: await make(caller, {}) };
}

const place = { file_key: "AbC123", node_id: "1-2" };

function importInto<T = FigmaImport>({ caller, id }: Stage, body: object = {}): Promise<Reply<T>> {
  const request = { access_token: secret, ...place, ...body };
  return caller.post<T>(`/v1/compositions/${id}/imports/figma`, request);
}

t.test("a frame becomes its layers, back to front, in pixels from its corner", async (t) => {
  const stage = await open(t);
  const { status, json: found } = await importInto(stage);
  t.equal(status, 200);
  const { warnings, layers } = found;
  t.strictSame(found.frame, {
    node_id: "1:2",
    name: "Title",
    width: 640,
    height: 360,
    background_color: "#0000ff",
  });
  t.strictSame(warnings, []);
  t.match(layers, [
    { kind: "image", node_id: "1:3", x: 0, y: 0, width: 640, height: 360, opacity: 1 },
    { kind: "image", node_id: "1:5", x: 120, y: 40, width: 50, height: 50, opacity: 0.25 },
    { kind: "text", node_id: "1:6", text: "Kites", opacity: 0.5, rotation: 0 },
    { kind: "text", node_id: "1:7", text: "Up high", rotation: 30, letter_spacing: 2 },
  ]);
  t.strictSame(layers[2], {
    kind: "text",
    node_id: "1:6",
    name: "text 1:6",
    x: 20,
    y: 20,
    width: 80,
    height: 24,
    opacity: 0.5,
    text: "Kites",
    rotation: 0,
    font_family: "Inter",
    font_postscript_name: "Inter-Bold",
    font_weight: 700,
    italic: false,
    font_size: 20,
    line_height_px: 24,
    letter_spacing: 0,
    text_align: "left",
    text_align_vertical: "top",
    text_case: "original",
    color: "#ff8000",
    start: 0,
    duration_seconds: 5,
  });
});

t.test("its calls are one for the nodes, one for the pictures, and one a picture", async (t) => {
  const stage = await open(t);
  await importInto(stage, { scale: 3 });
  const [nodes, images, ...pictures] = stage.figma.asked;
  t.match(nodes, { path: "/v1/files/AbC123/nodes", query: { ids: "1:2" } });
  t.match(images, { path: "/v1/images/AbC123" });
  t.strictSame(images?.query, {
    ids: "1:3,1:5",
    format: "png",
    scale: "3",
    use_absolute_bounds: "true",
  });
  t.strictSame(pictures.map(({ path }) => path).sort(), ["/v1/pictures/1:3", "/v1/pictures/1:5"]);
});

t.test("the token goes to the design host's API alone, and stays nowhere", async (t) => {
  const stage = await open(t);
  stage.figma.answers.pictures = (response, { path }) => {
    const there = `${stage.figma.url}/v1/pictures/elsewhere`;
    if (path.endsWith("elsewhere")) response.writeHead(404).end();
    else response.writeHead(302, { location: there }).end();
  };
  const { status, text: said } = await importInto<Refused>(stage);
  t.equal(status, 502);
  t.notMatch(said, secret);
  for (const { path, headers } of stage.figma.asked) {
    const isApi = /^\/v1\/(files|images)\//.test(path);
    t.equal(headers["x-figma-token"], isApi ? secret : undefined, path);
  }
  const { requests, faults } = stage.house;
  t.notMatch(JSON.stringify({ requests, faults }), secret);
});

t.test("pictures are assets of the caller, and read as imported", async (t) => {
  const stage = await open(t);
  const { layers } = (await importInto(stage)).json;
  const ids = layers.flatMap((layer) => (layer.kind === "image" ? [layer.asset_id] : []));
  type Page = Static<typeof AssetPage>;
  const { items } = (await stage.caller.get<Page>("/v1/assets?source=import")).json;
  t.strictSame(items.map(({ id }) => id).sort(), [...ids].sort());
  t.match(items[1], { mime_type: "image/png", display_name: /^(rectangle|star) 1:.\.png$/ });
});

t.test("links to files and branches name a node too", async (t) => {
  const stage = await open(t);
  const asked = { file_key: null, node_id: null };
  for (const [url, path] of [
    ["https://www.figma.com/design/AbC/Kites?node-id=1-2&t=x", "/v1/files/AbC/nodes"],
    ["https://www.figma.com/file/AbC/Kites?node-id=1%3A2", "/v1/files/AbC/nodes"],
    ["https://www.figma.com/design/AbC/branch/XyZ/Kites?node-id=1-2", "/v1/files/XyZ/nodes"],
  ] as const) {
    const before = stage.figma.asked.length;
    t.equal((await importInto(stage, { ...asked, url })).status, 200, url);
    t.match(stage.figma.asked[before], { path, query: { ids: "1:2" } });
  }
});

t.test("what is hidden is left out unless asked for", async (t) => {
  const stage = await open(t);
  const { layers } = (await importInto(stage, { include_hidden: true })).json;
  t.match(layers[4], { kind: "image", node_id: "1:8" });
});

t.test("a picture that the host cannot draw is a warning", async (t) => {
  const stage = await open(t);
  stage.figma.undrawn.add("1:5");
  const { layers, warnings } = (await importInto(stage)).json;
  t.strictSame(
    layers.map(({ node_id }) => node_id),
    ["1:3", "1:6", "1:7"],
  );
  t.match(warnings, [/star 1:5 \(1:5\): could not be drawn/]);
});

t.test("a request for an import is checked, and a refusal names the field", async (t) => {
  const stage = await open(t);
  const link = "https://www.figma.com/design/AbC/Kites";
  for (const [body, pointer] of [
    [{ access_token: undefined }, "/access_token"],
    [{ access_token: "two words" }, "/access_token"],
    [{ file_key: undefined }, "/url"],
    [{ node_id: undefined }, "/node_id"],
    [{ node_id: "a" }, "/node_id"],
    [{ file_key: "../me" }, "/file_key"],
    [{ url: `${link}?node-id=1-2` }, "/file_key"],
    [{ file_key: undefined, node_id: undefined, url: link }, "/url"],
    [{ file_key: undefined, node_id: undefined, url: "https://x.com/a?node-id=1-2" }, "/url"],
    [{ scale: 5 }, "/scale"],
    [{ scale: 0.4 }, "/scale"],
    [{ start: -1 }, "/start"],
    [{ duration_seconds: 0 }, "/duration_seconds"],
    [{ insert: "yes" }, "/insert"],
    [{ color: "red" }, "/color"],
  ] as const) {
    const { status, json: refused } = await importInto<Refused>(stage, body);
    t.equal(status, 400, JSON.stringify(body));
    t.equal(refused.errors?.[0]?.pointer, pointer, JSON.stringify(body));
  }
  t.strictSame(stage.figma.asked, [], "the host is not asked");
});

t.test("at most 40 layers are imported", async (t) => {
  const children = Array.from({ length: 41 }, (_, at) =>
    node("RECTANGLE", `2:${at + 1}`, [1_000, 500, 10, 10]),
  );
  const stage = await open(t, node("FRAME", "1:2", [1_000, 500, 640, 360], { children }));
  const { status, json: refused } = await importInto<Refused>(stage);
  t.equal(status, 400);
  t.match(refused.errors?.[0], { pointer: "/node_id", detail: /41 layers; at most 40/ });
});

t.test("what the host refuses is refused in its terms", async (t) => {
  const stage = await open(t);
  const missing = await importInto<Refused>(stage, { node_id: "9:9" });
  t.match(missing, { status: 404, json: { detail: /no such node/ } });
  for (const [theirs, ours] of [
    [403, 403],
    [404, 404],
    [429, 429],
    [400, 502],
    [500, 502],
    [302, 502],
  ] as const) {
    stage.figma.answers.files = (response) => {
      const headers = { "retry-after": "17", location: `${stage.figma.url}/v1/pictures/1` };
      response.writeHead(theirs, headers).end("{}");
    };
    const { status, headers } = await importInto<Refused>(stage);
    t.equal(status, ours, `${theirs}`);
    if (ours === 429) t.equal(headers["retry-after"], "17");
  }
});

t.test("a host that answers nonsense, too much or nothing is a failure of the host", async (t) => {
  const stage = await open(t);
  const nodes = (value: unknown) => ({ nodes: { "1:2": { document: value } } });
  for (const answer of ["<html>", "[]", '"x"', "{}", JSON.stringify({ nodes: [] })])
    t.ok([404, 502].includes((await answerWith(answer)).status), answer);
  for (const document of [null, 5, [], {}, { id: 5, children: {} }])
    t.equal((await answerWith(JSON.stringify(nodes(document)))).status, 400);
  const deep = `${'{"children":['.repeat(5_000)}{}${"]}".repeat(5_000)}`;
  t.equal((await answerWith(`{"nodes":{"1:2":{"document":${deep}}}}`)).status, 400);
  stage.figma.answers.files = (response) => response.destroy();
  t.equal((await importInto(stage)).status, 502);
  stage.figma.answers.files = (response) => {
    response.writeHead(200, { "content-length": "100" });
    response.write("{");
    response.destroy();
  };
  t.equal((await importInto(stage)).status, 502);
  delete stage.figma.answers.files;
  for (const images of [[], 5, { "1:3": 5 }, { "1:3": "file:///etc/passwd" }]) {
    stage.figma.answers.images = (response) => json(response, 200, { err: null, images });
    t.ok([200, 502].includes((await importInto(stage)).status));
  }
  delete stage.figma.answers.images;
  stage.figma.answers.pictures = (response) => response.writeHead(200).end("no picture");
  const { status, text: said } = await importInto(stage);
  t.equal(status, 502, said);

  async function answerWith(body: string) {
    stage.figma.answers.files = (response) => response.writeHead(200).end(body);
    return importInto(stage);
  }
});

t.test("nothing of an import that fails stays", async (t) => {
  const stage = await open(t);
  stage.figma.answers.pictures = (response, { path }) => {
    if (path.endsWith("1:5")) response.writeHead(500).end();
    else json(response, 200, {});
  };
  t.equal((await importInto(stage)).status, 502);
  await stage.house.settle();
  type Page = Static<typeof AssetPage>;
  t.strictSame((await stage.caller.get<Page>("/v1/assets")).json.items, []);
});

t.test("an import changes the composition only where it is asked to insert", async (t) => {
  const stage = await open(t);
  await importInto(stage);
  const { files } = (await stage.caller.get<Composition>(`/v1/compositions/${stage.id}`)).json;
  t.strictSame(files, []);
});

async function readFile({ caller, id }: Stage, path: string): Promise<string> {
  return (await caller.get(`/v1/compositions/${id}/file?path=${path}`)).text;
}

t.test("inserted layers are clips of a new page and added texts, in one revision", async (t) => {
  const stage = await open(t);
  const before = (await stage.caller.get<Composition>(`/v1/compositions/${stage.id}`)).json;
  const { json: found } = await importInto(stage, { insert: true, start: 1, duration_seconds: 2 });
  t.match(found.warnings, [/text 1:7 \(1:7\): is a picture, .* no rotation, letter spacing/]);
  t.match(found.layers[3], { kind: "image", node_id: "1:7" });
  const after = (await stage.caller.get<Composition>(`/v1/compositions/${stage.id}`)).json;
  t.equal(after.revision, before.revision + 1);
  t.match(after, { width: 640, height: 360, duration_seconds: 3 });
  const timeline = await stage.caller.get<object>(`/v1/compositions/${stage.id}/timeline`);
  t.match(timeline.json, {
    diagnostics: [],
    clips: [
      { id: "figma-1-3", kind: "image", start_seconds: 1, end_seconds: 3 },
      { id: "figma-1-5", kind: "image", start_seconds: 1, end_seconds: 3 },
      { id: "figma-1-7", kind: "image", start_seconds: 1, end_seconds: 3 },
      { id: "figma-1-6", kind: "text", text: "Kites" },
    ],
  });
  t.match(await readFile(stage, "index.html"), "left: 120px; top: 40px; width: 50px; height: 50px");
  t.match(JSON.parse(await readFile(stage, "klieg-edits.json")), {
    version: 1,
    texts: [
      {
        id: "figma-1-6",
        text: "Kites",
        start: 1,
        duration: 2,
        x: 20,
        y: 20,
        font_family: '"Inter", sans-serif',
        font_size: 20,
        font_weight: 700,
        color: "#ff800080",
        align: "left",
      },
    ],
  });
});

t.test("what a composition has already stays as it is beside inserted layers", async (t) => {
  const stage = await open(t);
  const inside = '<img id="figma-1-3" src="a.png" data-start="0" data-duration="2">';
  const edits = { version: 1, mine: { kept: true }, texts: [oldText], tracks: {} };
  const files = { "index.html": page({ inside }), "klieg-edits.json": JSON.stringify(edits) };
  const id = await make(stage.caller, { ...files, "a.txt": "kite" });
  const { json: found } = await importInto({ ...stage, id }, { insert: true });
  t.match(found.warnings.join("\n"), /frame is larger than the composition's 320 x 180/);
  t.match(found.warnings.join("\n"), /the film ends at 2 s; the layers are there until 5 s/);
  const written = await readFile({ ...stage, id }, "index.html");
  t.ok(written.startsWith(page({ inside }).slice(0, -"</div>".length)), "behind what was there");
  t.match(written, 'id="figma-1-3-2"');
  const after = JSON.parse(await readFile({ ...stage, id }, "klieg-edits.json"));
  t.match(after, { mine: { kept: true }, texts: [oldText, { text: "Kites" }] });
  const { files: all = [], total_bytes: bytes } = (
    await stage.caller.get<Composition>(`/v1/compositions/${id}`)
  ).json;
  t.strictSame(
    all.map(({ path }) => path),
    ["a.txt", "index.html", "klieg-edits.json"],
  );
  t.equal(
    bytes,
    all.reduce((sum, file) => sum + file.size_bytes, 0),
  );
});

const oldText = { id: "t1", text: "mine", start: 0, duration: 1 };

t.test("what cannot be inserted whole is not inserted, and leaves nothing", async (t) => {
  const stage = await open(t);
  type Page = Static<typeof AssetPage>;
  for (const files of [
    { "index.html": "<p>no root</p>" },
    { "index.html": page(), "klieg-edits.json": "{" },
  ]) {
    const id = await make(stage.caller, files);
    const { status, json: refused } = await importInto<Refused>({ ...stage, id }, { insert: true });
    t.equal(status, 409);
    t.match(refused.detail, /^Nothing was inserted: (index.html|klieg-edits.json) /);
    t.equal(await readFile({ ...stage, id }, "index.html"), files["index.html"]);
    await stage.house.settle();
    t.strictSame((await stage.caller.get<Page>("/v1/assets")).json.items, []);
  }
});

t.test("a picture in front of a text is behind it after an insertion, which is said", async (t) => {
  const children = [
    text("1:3", [1_000, 500, 100, 24], "Below"),
    node("RECTANGLE", "1:4", [1_050, 500, 100, 100]),
    node("RECTANGLE", "1:5", [1_300, 700, 100, 100]),
  ];
  const stage = await open(t, node("FRAME", "1:2", [1_000, 500, 640, 360], { children }));
  const { warnings } = (await importInto(stage, { insert: true })).json;
  t.match(warnings, [/^rectangle 1:4 \(1:4\): is in front of the text text 1:3/]);
  t.equal(warnings.length, 1);
});
