import t, { type Test } from "tap";
import type { Composition } from "../../contract/composition.ts";
import type { Job } from "../../contract/job.ts";
import type { Render } from "../../contract/render.ts";
import type { Caller, Headers, Refused, Reply } from "./caller.ts";
import { openInProcess } from "./in-process-service.ts";
import { film, read } from "./render-steps.ts";

type Refusal = Refused & { readonly render_id?: string };

function submitBlocks<T = Render>(
  caller: Caller,
  blocks: readonly object[],
  more: object = {},
  headers: Headers = {},
): Promise<Reply<T>> {
  return caller.post<T>("/v1/renders/blocks", { blocks, ...more }, headers);
}

/** A caller with a video of one second (64 by 36), a voice of 1.08 seconds and a pixel. */
async function open(t: Test) {
  const house = await openInProcess(t);
  const caller = await house.account();
  const asset = async (modality: string, request: object): Promise<string> => {
    const { json } = await caller.post<Job>(`/v1/generate/${modality}`, request);
    await house.settle();
    await house.advance(30_000);
    return (await caller.read(json.id)).asset?.id ?? "";
  };
  const video = await asset("video", { model: "sim-video", prompt: "the sea" });
  const voice = await asset("audio", { model: "sim-audio", text: "Hello" });
  const picture = await asset("image", { model: "sim-instant", prompt: "a kite" });
  return { house, caller, video, voice, picture };
}

async function readPage(caller: Caller, { composition_id: id }: Render): Promise<string> {
  return (await caller.get(`/v1/compositions/${id}/file?path=index.html`)).text;
}

async function compositionCount(caller: Caller): Promise<number> {
  return (await caller.get<{ items: Composition[] }>("/v1/compositions")).json.items.length;
}

t.test("POST /renders/blocks answers 202 with a render of a composition it made", async (t) => {
  const { house, caller, video, voice } = await open(t);
  const node = house.farmNode();
  const blocks = [{ clip_asset_id: video }, { clip_asset_id: video, narration_asset_id: voice }];
  const more = { name: "Kites", project_id: "p1", meta: { series: "kites" } };
  const { status, json, headers } = await submitBlocks(caller, blocks, more);
  t.equal(status, 202);
  t.equal(headers["location"], `https://klieg.example/v1/renders/${json.id}`);
  t.match(json, { status: "queued", target: "video", user_id: caller.id });
  t.strictSame(json.warnings, ["block 2: narration sped up x1.08"]);
  const path = `/v1/compositions/${json.composition_id}`;
  t.match((await caller.get<Composition>(path)).json, {
    name: "Kites",
    project_id: "p1",
    meta: { series: "kites" },
    width: 64,
    height: 36,
    frame_rate: 30,
    duration_seconds: 2,
  });
  await house.settle();
  await node.render({ ...film, warnings: ["a script threw: x"] });
  await house.settle();
  const ended = await read(caller, json.id);
  t.match(ended, {
    status: "succeeded",
    warnings: ["block 2: narration sped up x1.08", "a script threw: x"],
  });
});

t.test("the composition holds the timeline as an author would write it", async (t) => {
  const { caller, video, voice, picture } = await open(t);
  const blocks = [
    { clip_asset_id: video, duration_seconds: 0.5, narration_asset_id: voice, gap_seconds: 1 },
    { clip_asset_id: picture, duration_seconds: 2 },
    { clip_asset_id: video, start_seconds: 0.25, clip_volume: 0.5 },
  ];
  const canvas = { width: 640, height: 640, frame_rate: 24, background_color: "#102030" };
  const { json } = await submitBlocks(caller, blocks, canvas);
  t.strictSame(json.warnings, [
    "block 1: narration sped up x1.15",
    "block 1: last frame held 0.439 s",
  ]);
  const timeline = `/v1/compositions/${json.composition_id}/timeline`;
  t.match((await caller.get<object>(timeline)).json, {
    width: 640,
    height: 640,
    frame_rate: 24,
    duration_seconds: 4.68913,
    diagnostics: [],
    clips: [
      { id: "clip-1", start_seconds: 0, end_seconds: 0.93913, volume: 0.25 },
      { id: "narration-1", start_seconds: 0, end_seconds: 0.93913, playback_rate: 1.15 },
      { id: "gap-1", start_seconds: 0.93913, end_seconds: 1.93913 },
      { id: "clip-2", start_seconds: 1.93913, end_seconds: 3.93913 },
      { id: "clip-3", start_seconds: 3.93913, end_seconds: 4.68913, media_start_seconds: 0.25 },
    ],
  });
  const page = await readPage(caller, json);
  t.match(page, `data-media-start="0" data-media-end="0.5" data-volume="0.25"`);
  t.match(page, `data-media-start="0.25" data-media-end="1" data-volume="0.5"`);
  t.match(page, `left: 0px; top: 140px; width: 640px; height: 360px`);
});

t.test("clips that cover the canvas are cut at its edges", async (t) => {
  const { caller, video } = await open(t);
  const canvas = { width: 360, height: 640, fit: "cover" };
  const { json } = await submitBlocks(caller, [{ clip_asset_id: video }], canvas);
  t.match(await readPage(caller, json), `left: -388px; top: 0px; width: 1138px; height: 640px`);
});

t.test("a request for blocks is checked, and a refusal names the field", async (t) => {
  const { caller, video, voice, picture } = await open(t);
  const none = "019d9000-0000-7000-8000-000000000000";
  const clip = { clip_asset_id: video };
  const cases: readonly (readonly [body: object, pointer: string])[] = [
    [{ blocks: [] }, "/blocks"],
    [{ blocks: Array.from({ length: 101 }, () => clip) }, "/blocks"],
    [{ blocks: [{}] }, "/blocks/0/clip_asset_id"],
    [{ blocks: [clip, { clip_asset_id: none }] }, "/blocks/1/clip_asset_id"],
    [{ blocks: [{ clip_asset_id: voice }] }, "/blocks/0/clip_asset_id"],
    [{ blocks: [{ ...clip, narration_asset_id: video }] }, "/blocks/0/narration_asset_id"],
    [{ blocks: [{ clip_asset_id: picture }] }, "/blocks/0/duration_seconds"],
    [
      { blocks: [{ clip_asset_id: picture, duration_seconds: 1, start_seconds: 1 }] },
      "/blocks/0/start_seconds",
    ],
    [{ blocks: [{ ...clip, start_seconds: 1 }] }, "/blocks/0/start_seconds"],
    [{ blocks: [{ ...clip, gap_seconds: 11 }] }, "/blocks/0/gap_seconds"],
    [{ blocks: [{ ...clip, clip_volume: 1.1 }] }, "/blocks/0/clip_volume"],
    [{ blocks: [{ ...clip, duration_seconds: 0 }] }, "/blocks/0/duration_seconds"],
    [{ blocks: [{ ...clip, duration_seconds: 3_600, gap_seconds: 1 }] }, "/blocks"],
    [{ blocks: [clip], frame_rate: 29 }, "/frame_rate"],
    [{ blocks: [clip], fit: "fill" }, "/fit"],
    [{ blocks: [clip], background_color: "red" }, "/background_color"],
    [{ blocks: [clip], width: 8_000 }, "/width"],
    [{ blocks: [clip], width: 7_000, height: 7_000 }, "/width"],
    [{ blocks: [clip], audio_mix: { loudness_lufs: -40 } }, "/audio_mix/loudness_lufs"],
    [{ blocks: [clip], meta: { deep: "x".repeat(20_000) } }, "/meta"],
    [{ blocks: [clip], quality: "high" }, "/quality"],
  ];
  for (const [body, pointer] of cases) {
    const { status, json } = await caller.post<Refused>("/v1/renders/blocks", body);
    t.equal(status, 400, pointer);
    t.equal(json.errors?.[0]?.pointer, pointer);
  }
  t.equal(await compositionCount(caller), 0, "nothing of them stays");
});

t.test(
  "a key and body of blocks that came before within five minutes answer 409 with render_id",
  async (t) => {
    const { house, caller, video } = await open(t);
    const key = { "idempotency-key": "take-1" };
    const blocks = [{ clip_asset_id: video }];
    const { json } = await submitBlocks(caller, blocks, {}, key);
    const again = await submitBlocks<Refusal>(caller, blocks, {}, key);
    t.equal(again.status, 409);
    t.match(again.json, { title: "Duplicate Submission", render_id: json.id });
    t.equal((await submitBlocks(caller, blocks, { name: "Another" }, key)).status, 202);
    t.equal(await compositionCount(caller), 2, "nothing of a refused one stays");
    await house.advance(300_000);
    t.equal((await submitBlocks(caller, blocks, {}, key)).status, 202, "later");
  },
);

t.test("beyond the queue of renders blocks are refused, and leave nothing", async (t) => {
  const { caller, video } = await open(t);
  const blocks = [{ clip_asset_id: video }];
  await fillQueue(caller, blocks);
  const before = await compositionCount(caller);
  const { status, json } = await submitBlocks<Refused>(caller, blocks);
  t.match({ status, code: json.code }, { status: 429 });
  t.equal(await compositionCount(caller), before);
});

async function fillQueue(caller: Caller, blocks: readonly object[]): Promise<void> {
  for (let at = 0; at < 24; at++) await submitBlocks(caller, blocks);
}

t.test("another context's asset is no asset", async (t) => {
  const { house, video } = await open(t);
  const other = await house.account();
  const { status, json } = await submitBlocks<Refused>(other, [{ clip_asset_id: video }]);
  t.equal(status, 400);
  t.equal(json.errors?.[0]?.pointer, "/blocks/0/clip_asset_id");
});
