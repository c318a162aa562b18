import { readFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { Klieg } from "../../clients/typescript/src/klieg.ts";
import { runCommand } from "./run-command.ts";
import { type Answer, events, frame, json, standIn } from "./stand-in.ts";

const film = Buffer.from("a film");
const created = { id: "c1" };
const queued = { id: "r1", composition_id: "c1", status: "queued", progress: null, warnings: [] };
const ended = { ...queued, status: "succeeded", progress: 1, asset_id: "a1", warnings: ["no x"] };
const measures = { width: 320, height: 180, duration_seconds: 2 };
const failed = {
  ...queued,
  status: "failed",
  error: "invalid_composition: no timeline",
  warnings: ["no y"],
};

async function render(t: Test, last: object, ...options: readonly string[]) {
  const folder = t.testdir({
    film: {
      "index.html": "<p>",
      media: { "a.txt": "kite" },
      ".git": { config: "x" },
      node_modules: { "a.js": "x" },
    },
  });
  const asset: Answer = (response, asked) => {
    const url = `http://${asked.headers.host}/objects/a1`;
    json(200, { id: "a1", signed_url: url })(response, asked);
  };
  const { origin, asked } = await standIn(t, {
    "POST /v1/compositions": [json(201, created)],
    "POST /v1/compositions/c1/bundle": [json(503, {}), json(200, created)],
    "POST /v1/compositions/c1/render": [json(202, queued)],
    "POST /v1/renders/r1/sse-ticket": [json(201, { ticket: "s" })],
    "GET /v1/renders/r1/sse": [
      events(
        frame("status", { status: "running", progress: 0.5 }),
        frame("complete", { status: "succeeded" }),
      ),
    ],
    "GET /v1/renders/r1": [json(200, last)],
    "GET /v1/assets/a1": [asset],
    "GET /objects/a1": [(response) => response.writeHead(200).end(film)],
  });
  const output = join(folder, "out.mp4");
  const args = ["render", join(folder, "film"), "-o", output, ...options];
  const client = async () => new Klieg({ url: origin, token: "x", surface: "cli" });
  const ended = await runCommand(args, { client });
  return { ...ended, asked, output, folder };
}

t.test("klieg render sends a folder as one archive and saves its film", async (t) => {
  const { code, out, said, asked, output } = await render(t, { ...ended, ...measures });
  t.equal(code, 0, said.join());
  t.strictSame(readFileSync(output), film);
  t.strictSame(out, [`${output}  320 x 180, 2 s, 1 KiB, composition c1`]);
  t.strictSame(said, ["queued\n", "running\n", "succeeded\n", "warning: no x\n"]);
  t.strictSame(asked[0]?.body, { name: "film" });
  const [refused, ...again] = asked.filter(({ route }) => route.endsWith("/bundle"));
  t.strictSame(
    again.map(({ body }) => body),
    [refused?.body],
    "sent whole once more",
  );
  const archive = String(refused?.body);
  t.match(archive, /^PK/);
  t.match(archive, "index.html");
  t.match(archive, "media/a.txt");
  t.notMatch(archive, "config");
  t.notMatch(archive, "node_modules");
  t.strictSame(asked.find(({ route }) => route.endsWith("/render"))?.body, {});
});

t.test("a still, and a composition that is there already", async (t) => {
  const options = ["--still", "1.5", "--composition", "c1", "--json"];
  const { code, out, asked } = await render(t, { ...ended, ...measures }, ...options);
  t.equal(code, 0);
  t.match(JSON.parse(out[0] ?? ""), { render: { id: "r1" }, file: { size_bytes: film.length } });
  t.notOk(asked.some(({ route }) => route === "POST /v1/compositions"));
  const request = { target: "still", still: { at_seconds: 1.5 } };
  t.strictSame(asked.find(({ route }) => route.endsWith("/render"))?.body, request);
});

t.test("a render that fails is said in its own words, and nothing is saved", async (t) => {
  const { code, said, output } = await render(t, failed);
  t.equal(code, 1);
  t.strictSame(said.slice(-2), ["warning: no y\n", "invalid_composition: no timeline.\n"]);
  t.throws(() => readFileSync(output));
});

t.test("klieg render written wrongly ends with 2 and sends nothing", async (t) => {
  for (const options of [
    ["--quality", "best"],
    ["--still", "soon"],
    ["--still", "1", "--quality", "fast"],
  ]) {
    const { code, asked } = await render(t, ended, ...options);
    t.equal(code, 2);
    t.strictSame(asked, []);
  }
});
