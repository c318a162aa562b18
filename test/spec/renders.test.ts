import t from "tap";
import type { Static } from "../../config/schema.ts";
import type { Asset } from "../../contract/asset.ts";
import type { Render, RenderList } from "../../contract/render.ts";
import type { Refused } from "./caller.ts";
import { make, page, putFile } from "./composition-steps.ts";
import { type InProcess, openInProcess } from "./in-process-service.ts";
import { film, open, read, readText, submit } from "./render-steps.ts";

const still = { mimeType: "image/png", width: 320, height: 180 };

type Refusal = Refused & { readonly render_id?: string };

/** Reads the text of each file that the farm was given to render. */
async function readFiles(house: InProcess, manifestKey: string): Promise<Record<string, string>> {
  const { files } = JSON.parse(await readText(house, manifestKey)) as {
    files: { path: string; objectKey: string }[];
  };
  const texts: Record<string, string> = {};
  for (const { path, objectKey } of files) texts[path] = await readText(house, objectKey);
  return texts;
}

function getInput(task: { readonly input: unknown }) {
  return task.input as { readonly manifestKey: string } & Readonly<Record<string, unknown>>;
}

t.test(
  "POST /v1/compositions/{id}/render answers 202 with a Render and its Location",
  async (t) => {
    const { caller, id } = await open(t);
    const { status, json, headers } = await submit(caller, id);
    t.equal(status, 202);
    t.equal(headers["location"], `https://klieg.example/v1/renders/${json.id}`);
    t.match(json, { composition_id: id, user_id: caller.id, status: "queued", target: "video" });
    t.match(json, { params: {}, warnings: [], error: null, asset_id: null, progress: null });
    t.match(json, { composition_revision: 3, started_at: null, finished_at: null });
    t.same(await read(caller, json.id), json);
  },
);

t.test("what the farm delivers is the render's asset, in the state that ends it", async (t) => {
  const { house, caller, id } = await open(t);
  const node = house.farmNode();
  const mix = { music_gain_db: -6, ducking: { enabled: true } };
  const render = (await submit(caller, id, { quality: "high", audio_mix: mix })).json;
  await house.settle();
  t.match(await read(caller, render.id), { status: "running", progress: 0 });
  const input = getInput(node.lease);
  t.match(input, { target: "video", quality: "high", audioMix: mix, assets: {} });
  t.strictSame(await readFiles(house, input.manifestKey), {
    "a.txt": "kite",
    "index.html": page(),
  });
  node.progress(0.25);
  await house.advance(2_500);
  node.progress(0.5);
  await house.settle();
  t.equal((await read(caller, render.id)).progress, 0.5);
  await node.render({ ...film, warnings: ["a script threw: x"] });
  await house.settle();
  const ended = await read(caller, render.id);
  t.match(ended, { status: "succeeded", progress: 1, width: 320, height: 180 });
  t.match(ended, { duration_seconds: 2, warnings: ["a script threw: x"], error: null });
  const asset = (await caller.get<Asset>(`/v1/assets/${ended.asset_id}`)).json;
  t.match(asset, { source: "render", render_id: render.id, status: "ready", prompt: "" });
  t.match(asset, { modality: "video", user_id: caller.id, model: "" });
  t.equal((await house.stranger.get(asset.signed_url)).text, "rendered");
  t.equal(await house.service.objects.stat(input.manifestKey), undefined, "it is of use no more");
});

t.test("later edits do not change a queued render", async (t) => {
  const { house, caller, id } = await open(t);
  const render = (await submit(caller, id)).json;
  await putFile(caller, id, "index.html", "<p>");
  await caller.delete(`/v1/compositions/${id}/file?path=a.txt`);
  const node = house.farmNode();
  await house.settle();
  const { manifestKey } = getInput(node.lease);
  t.strictSame(await readFiles(house, manifestKey), { "a.txt": "kite", "index.html": page() });
  const { files } = JSON.parse(await readText(house, manifestKey)) as {
    files: { objectKey: string }[];
  };
  await node.render(film);
  await house.settle();
  t.equal((await read(caller, render.id)).composition_revision, 3);
  for (const { objectKey } of files)
    t.equal(await house.service.objects.stat(objectKey), undefined, "replaced and read by nobody");
});

t.test("a still resolves its time to a frame, and the farm has the last word", async (t) => {
  const { house, caller, id } = await open(t);
  const node = house.farmNode();
  const asked = { at_seconds: 1.01, background: "transparent", max_dimension: 64 };
  const render = (await submit(caller, id, { target: "still", still: asked })).json;
  const params = { mode: "still", background: "transparent", max_dimension: 64 };
  t.strictSame(render.params, { ...params, at_seconds: 1, frame: 30 });
  await house.settle();
  const input = getInput(node.lease);
  t.match(input, { target: "still" });
  const farm = { atSeconds: 1.01, background: "transparent", maxDimension: 64 };
  t.strictSame(input["still"], farm);
  await node.render({ ...still, details: { frame: 29, atSeconds: 29 / 30 } });
  await house.settle();
  const ended = await read(caller, render.id);
  t.match(ended, { status: "succeeded", duration_seconds: null });
  t.match(ended.params, { ...params, at_seconds: 29 / 30, frame: 29 });
  const plain = (await submit(caller, id, { target: "still" })).json.params;
  t.match(plain, { at_seconds: 0, frame: 0, background: "opaque", max_dimension: null });
  const late = (await submit(caller, id, { target: "still", still: { frame: 999 } })).json;
  t.match(late.params, { frame: 59 });
});

t.test("a render request is checked, and a refusal names the field", async (t) => {
  const { caller, id } = await open(t);
  for (const [body, pointer] of [
    [{ target: "film" }, "/target"],
    [{ still: {} }, "/still"],
    [{ target: "video", still: { frame: 1 } }, "/still"],
    [{ target: "still", quality: "high" }, "/quality"],
    [{ quality: "best" }, "/quality"],
    [{ params: { a: 1 } }, "/params"],
    [{ target: "still", still: { frame: 1, at_seconds: 1 } }, "/still/at_seconds"],
    [{ target: "still", still: { frame: -1 } }, "/still/frame"],
    [{ target: "still", still: { frame: 2_592_001 } }, "/still/frame"],
    [{ target: "still", still: { at_seconds: -1 } }, "/still/at_seconds"],
    [{ target: "still", still: { background: "red" } }, "/still/background"],
    [{ target: "still", still: { max_dimension: 63 } }, "/still/max_dimension"],
    [{ target: "still", still: { max_dimension: 3_841 } }, "/still/max_dimension"],
    [{ audio_mix: { master_gain_db: 13 } }, "/audio_mix/master_gain_db"],
    [{ audio_mix: { loudness_lufs: -40 } }, "/audio_mix/loudness_lufs"],
    [{ audio_mix: { fade_in_seconds: 31 } }, "/audio_mix/fade_in_seconds"],
    [{ audio_mix: { ducking: { enabled: 1 } } }, "/audio_mix/ducking/enabled"],
    [{ audio_mix: { reverb: 1 } }, "/audio_mix/reverb"],
    [{ size: 1 }, "/size"],
  ] as const) {
    const { status, json } = await submit<Refused>(caller, id, body);
    t.equal(status, 400, JSON.stringify(body));
    t.equal(json.errors?.[0]?.pointer, pointer);
  }
  const beyond = { target: "still", still: { frame: 2_592_001 } };
  t.match((await submit<Refused>(caller, id, beyond)).json.detail, /0 to 2592000/);
  t.equal((await submit(caller, id, { params: {} })).status, 202);
});

t.test(
  "without an index.html with a timeline root a render is 400 invalid_composition:",
  async (t) => {
    const house = await openInProcess(t);
    const caller = await house.account();
    for (const files of [{}, { "index.html": "<p>no root</p>" }]) {
      const { status, json } = await submit<Refused>(caller, await make(caller, files));
      t.equal(status, 400);
      t.equal(json.code, "validation");
      t.match(json.detail, /^invalid_composition: /);
    }
    const none = "019d9000-0000-7000-8000-000000000000";
    t.equal((await submit<Refused>(caller, none)).status, 404);
  },
);

t.test("a root that no film can be made of answers 400 at once (D11)", async (t) => {
  const house = await openInProcess(t);
  const caller = await house.account();
  for (const duration of ["-1", "0", "abc", "100000", "3601"]) {
    const root = `data-composition-id="m" data-width="320" data-height="180"`;
    const html = `<div ${root} data-duration="${duration}"><p class="clip">x</p></div>`;
    const id = await make(caller, { "index.html": html });
    t.match(
      await submit(caller, id),
      {
        status: 400,
        json: { detail: /^invalid_composition: .*(data-duration|3600 s is the most)/ },
      },
      duration,
    );
  }
});

t.test("assets that the timeline names go to the farm; what is missing does not", async (t) => {
  const house = await openInProcess(t);
  const caller = await house.account();
  const job = await caller.job("a kite");
  await house.settle();
  const asset = (await caller.read(job.id)).asset?.id ?? "";
  const image = (name: string) =>
    `<img id="i${name}" data-asset-id="${name}" data-start="0" data-duration="1">`;
  const inside = image(asset) + image("none");
  const id = await make(caller, { "index.html": page({ inside }) });
  const node = house.farmNode();
  await submit(caller, id);
  await house.settle();
  const assets = getInput(node.lease)["assets"] as Record<string, { mimeType: string }>;
  t.strictSame(Object.keys(assets), [asset]);
  t.equal(assets[asset]?.mimeType, "image/png");
});

t.test(
  "a key and body that came before within five minutes answer 409 with render_id",
  async (t) => {
    const { house, caller, id } = await open(t);
    const key = { "idempotency-key": "take-1" };
    const { json } = await submit(caller, id, { quality: "fast" }, key);
    const again = await submit<Refusal>(caller, id, { quality: "fast" }, key);
    t.equal(again.status, 409);
    t.match(again.json, { title: "Duplicate Submission", render_id: json.id });
    t.equal((await submit(caller, id, { quality: "high" }, key)).status, 202, "another body");
    t.equal((await submit(caller, id, { quality: "fast" })).status, 202, "no key");
    const bad = await submit(caller, id, {}, { "idempotency-key": "two words" });
    t.equal(bad.status, 400);
    await house.advance(300_000);
    t.equal((await submit(caller, id, { quality: "fast" }, key)).status, 202, "later");
    await caller.delete(`/v1/compositions/${id}?force=true`);
  },
);

t.test("renders of a composition are listed newest first, at most 20, with an ETag", async (t) => {
  const { house, caller, id } = await open(t);
  const node = house.farmNode();
  const ids: string[] = [];
  for (let at = 0; at < 22; at++) {
    ids.unshift((await submit(caller, id)).json.id);
    await house.settle();
    await node.render(film);
    await house.settle();
  }
  const path = `/v1/compositions/${id}/renders`;
  const { json, headers } = await caller.get<Static<typeof RenderList>>(path);
  t.strictSame(
    json.items.map((render) => render.id),
    ids.slice(0, 20),
  );
  const etag = { "if-none-match": headers["etag"] ?? "" };
  t.equal((await caller.get(path, etag)).status, 304);
  await submit(caller, id);
  t.equal((await caller.get(path, etag)).status, 200);
});

t.test("a render has an ETag, and loses its asset when that is deleted", async (t) => {
  const { house, caller, id } = await open(t);
  const node = house.farmNode();
  const path = `/v1/renders/${(await submit(caller, id)).json.id}`;
  const tag = async () => ({ "if-none-match": (await caller.get(path)).headers["etag"] ?? "" });
  const queued = await tag();
  await house.settle();
  t.equal((await caller.get(path, queued)).status, 200, "it runs");
  await node.render(film);
  await house.settle();
  const ended = await tag();
  t.equal((await caller.get(path, ended)).status, 304);
  const { asset_id: asset } = (await caller.get<Render>(path)).json;
  await caller.delete(`/v1/assets/${asset}?permanent=true`);
  const gone = await caller.get<Render>(path, ended);
  t.strictSame([gone.status, gone.json.asset_id], [200, null]);
  t.equal(gone.json.status, "succeeded");
});
