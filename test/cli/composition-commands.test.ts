import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { Klieg } from "../../clients/typescript/src/klieg.ts";
import { runCommand } from "./run-command.ts";
import { type Answer, events, frame, json, standIn } from "./stand-in.ts";

const film = Buffer.from("a film");
const kites = {
  id: "c1",
  name: "Kites",
  revision: 3,
  width: 320,
  height: 180,
  duration_seconds: 2,
};
const accepted = { id: "r1", composition_id: "c1", status: "queued", progress: null, warnings: [] };
const made = {
  ...accepted,
  status: "succeeded",
  progress: 1,
  asset_id: "a9",
  warnings: ["block 1: last frame held 2 s"],
  width: 320,
  height: 180,
  duration_seconds: 2,
};
const upload = (id: string) => json(201, { id, status: "ready" });
const sign: Answer = (response, asked) => {
  const url = `http://${asked.headers.host}/objects/a9`;
  json(200, { id: "a9", signed_url: url })(response, asked);
};
const bytes =
  (content: string): Answer =>
  (response) =>
    response.writeHead(200).end(content);

async function run(t: Test, script: Readonly<Record<string, readonly Answer[]>>, args: string[]) {
  const { origin, asked } = await standIn(t, script);
  const client = async () => new Klieg({ url: origin, token: "x", surface: "cli" });
  const { code, out, said } = await runCommand(args, { client });
  return { code, out, said: said.join(""), asked };
}

const rendering = {
  "POST /v1/renders/blocks": [json(202, accepted)],
  "POST /v1/renders/r1/sse-ticket": [json(201, { ticket: "s" })],
  "GET /v1/renders/r1/sse": [events(frame("complete", { status: "succeeded" }))],
  "GET /v1/renders/r1": [json(200, made)],
  "GET /v1/assets/a9": [sign],
  "GET /objects/a9": [bytes("a film")],
};

t.test(
  "klieg blocks uploads what the JSON names, each file once, and saves the film",
  async (t) => {
    const id = "019d9000-0000-7000-8000-000000000000";
    const blocks = [
      { clip_asset_id: "sea.mp4", narration_asset_id: "voice.mp3" },
      { clip_asset_id: id, gap_seconds: 1 },
      { clip_asset_id: "sea.mp4" },
    ];
    const folder = t.testdir({
      "film.json": JSON.stringify({ blocks, fit: "cover" }),
      "sea.mp4": "sea",
      "voice.mp3": "voice",
    });
    const output = join(folder, "out.mp4");
    const script = { ...rendering, "POST /v1/assets": [upload("a1"), upload("a2")] };
    const args = ["blocks", join(folder, "film.json"), "-o", output];
    const { code, out, said, asked } = await run(t, script, args);
    t.equal(code, 0, said);
    t.strictSame(readFileSync(output), film);
    t.strictSame(out, [`${output}  320 x 180, 2 s, 1 KiB, composition c1`]);
    t.match(said, /warning: block 1: last frame held 2 s/);
    t.strictSame(asked.find(({ route }) => route === "POST /v1/renders/blocks")?.body, {
      blocks: [
        { clip_asset_id: "a1", narration_asset_id: "a2" },
        { clip_asset_id: id, gap_seconds: 1 },
        { clip_asset_id: "a1" },
      ],
      fit: "cover",
    });
  },
);

t.test("klieg blocks says what is wrong with its file, or which block is refused", async (t) => {
  const id = "019d9000-0000-7000-8000-000000000000";
  const blocks = [{ clip_asset_id: id }];
  const folder = t.testdir({
    "bad.json": "{",
    "list.json": "[]",
    "refused.json": JSON.stringify({ blocks }),
    "away.json": JSON.stringify({ blocks: [{ clip_asset_id: "away.mp4" }] }),
  });
  const errors = [{ pointer: "/blocks/0/clip_asset_id", detail: "is not an asset that is ready" }];
  const script = {
    "POST /v1/renders/blocks": [json(400, { title: "Invalid Request", errors })],
  };
  for (const [name, sentence] of [
    ["none.json", /none.json cannot be read/],
    ["bad.json", /bad.json is not valid JSON/],
    ["list.json", /list.json has no list "blocks" of objects/],
    ["away.json", /away.mp4 cannot be read/],
    ["refused.json", /blocks\/0\/clip asset id is not an asset that is ready/],
  ] as const) {
    const output = join(folder, "out.mp4");
    const { code, said } = await run(t, script, ["blocks", join(folder, name), "-o", output]);
    t.equal(code, 1);
    t.match(said, sentence);
    t.notOk(existsSync(output));
  }
});

t.test("klieg composition list prints a line a composition, and how to go on", async (t) => {
  const page = { items: [kites], total: 2, next_cursor: "abc" };
  const { out, said } = await run(t, { "GET /v1/compositions": [json(200, page)] }, [
    ..."composition list --limit 1 --q kite".split(" "),
  ]);
  t.strictSame(out, ["c1  revision 3  320 x 180  2 s  Kites"]);
  t.match(said, /1 of 2 compositions/);
  t.match(said, /more: klieg composition list --limit 1 --q kite --cursor abc/);
});

t.test("klieg composition push stores a folder, anew or in the place of another", async (t) => {
  const folder = t.testdir({ film: { "index.html": "<p>" }, empty: {} });
  const script = {
    "POST /v1/compositions": [json(201, { id: "c1" })],
    "POST /v1/compositions/c1/bundle": [json(200, kites)],
  };
  const fresh = await run(t, script, ["composition", "push", join(folder, "film")]);
  t.strictSame(fresh.out, ["c1  revision 3  320 x 180  2 s  Kites"]);
  t.strictSame(fresh.asked[0]?.body, { name: "film" });
  const args = ["composition", "push", join(folder, "film"), "--composition", "c1"];
  const replaced = await run(t, script, args);
  t.strictSame(
    replaced.asked.map(({ route }) => route),
    ["POST /v1/compositions/c1/bundle"],
  );
  const empty = await run(t, script, ["composition", "push", join(folder, "empty")]);
  t.match({ code: empty.code, said: empty.said }, { code: 1, said: /has no index.html/ });
});

t.test("klieg composition pull saves the files in a folder of their own", async (t) => {
  const folder = t.testdir({ full: { "a.txt": "mine" } });
  const files = [{ path: "index.html" }, { path: "media/kite.svg" }];
  const script = {
    "GET /v1/compositions/c1": [json(200, { ...kites, files })],
    "GET /v1/compositions/c1/file": [bytes("<p>"), bytes("<svg>")],
  };
  const output = join(folder, "new");
  const { code, out } = await run(t, script, ["composition", "pull", "c1", "-o", output]);
  t.equal(code, 0);
  t.strictSame(out, [`${output}  2 files`]);
  t.equal(readFileSync(join(output, "index.html"), "utf8"), "<p>");
  t.equal(readFileSync(join(output, "media/kite.svg"), "utf8"), "<svg>");
  const full = join(folder, "full");
  const refused = await run(t, script, ["composition", "pull", "c1", "-o", full]);
  t.match(refused.said, /full is not empty/);
  const forced = await run(t, script, ["composition", "pull", "c1", "-o", full, "--force"]);
  t.equal(forced.code, 0, forced.said);
});

t.test("a file that would lie outside the folder is not saved", async (t) => {
  const folder = t.testdir({});
  const files = [{ path: "../evil.txt" }];
  const script = {
    "GET /v1/compositions/c1": [json(200, { ...kites, files })],
    "GET /v1/compositions/c1/file": [bytes("evil")],
  };
  const args = ["composition", "pull", "c1", "-o", join(folder, "new")];
  const { code, said } = await run(t, script, args);
  t.equal(code, 1);
  t.match(said, /outside its folder/);
  t.notOk(existsSync(join(folder, "evil.txt")));
});

t.test("klieg composition clone copies one under a name", async (t) => {
  const script = { "POST /v1/compositions/c1/clone": [json(201, { ...kites, id: "c2" })] };
  const { out, asked } = await run(t, script, ["composition", "clone", "c1", "--name", "Two"]);
  t.strictSame(out, ["c2  revision 3  320 x 180  2 s  Kites"]);
  t.strictSame(asked[0]?.body, { name: "Two" });
});
