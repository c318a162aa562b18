import t from "tap";
import type { Static } from "../../config/schema.ts";
import type { Credits } from "../../contract/account.ts";
import type { Job } from "../../contract/job.ts";
import { type Caller, imagePath, type Refused } from "./caller.ts";
import { openInProcess, origin } from "./in-process-service.ts";

async function readCredits(caller: Caller) {
  return (await caller.get<Static<typeof Credits>>("/v1/me/credits")).json;
}

t.test("an accepted submit answers 202 with a queued job and its Location", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const { status, headers, json } = await ada.submit("a red kite sim:slow=5000");
  t.equal(status, 202);
  t.equal(headers["location"], `${origin}/v1/jobs/${json.id}`);
  t.match(json, {
    id: /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    modality: "image",
    model: "sim-instant",
    status: "queued",
    progress: null,
    created_at: "2026-04-15T12:00:00.000Z",
    completed_at: null,
    user_id: ada.id,
    credits_held: 1,
    credits_charged: null,
  });
  t.notOk(json.asset ?? json.failure ?? json.error ?? json.cancellation);
});

t.test("a refused submit has no job and no Location", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const { status, headers } = await ada.submit("");
  t.equal(status, 400);
  t.equal(headers["location"], undefined);
  t.match((await ada.get("/v1/jobs")).json, { items: [], total: 0 });
});

t.test("credits are held at submit and charged when the job has succeeded", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ credits: 10 });
  const job = await ada.job("a kite sim:slow=1000", { num_images: 3 });
  t.equal(job.credits_held, 3);
  t.match(await readCredits(ada), { balance_credits: 7, held_credits: 3 });
  await house.advance(2_000);
  const done = await ada.read(job.id);
  t.match(done, { status: "succeeded", credits_held: 3, credits_charged: 3, progress: 1 });
  t.match(await readCredits(ada), { balance_credits: 7, held_credits: 0 });
});

t.test("nothing is held for a refused submit", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ plan: "free", credits: 3 });
  t.equal((await ada.submit("a kite", { num_images: 99 })).status, 400);
  t.equal((await ada.submit("a kite", { num_images: 4 })).status, 402);
  t.equal((await ada.submit("a kite", { confirmation_token: "x" })).status, 422);
  t.equal((await ada.submit("sim:nsfw", { model: "sim-inline" })).status, 422);
  t.match(await readCredits(ada), { balance_credits: 3, held_credits: 0 });
  await ada.job("a kite sim:slow=60000");
  t.equal((await ada.submit("a kite sim:slow=60000")).status, 409);
  t.equal((await ada.submit("another kite")).status, 429);
  t.match(await readCredits(ada), { balance_credits: 2, held_credits: 1 });
});

t.test(
  "one request for several images is one job and one slot, each image is billed",
  async (t) => {
    const house = await openInProcess(t);
    const ada = await house.account({ plan: "free", credits: 10 });
    const job = await ada.job("four kites", { num_images: 4 });
    await house.settle();
    const done = await ada.read(job.id);
    t.equal(done.credits_charged, 4);
    t.equal(done.assets?.length, 4);
    t.strictSame(done.asset, done.assets?.[0], "asset is the first of assets");
    t.equal(new Set(done.assets?.map(({ id }) => id)).size, 4);
  },
);

t.test("a job of one image has an asset and no assets", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const job = await ada.job("a kite");
  await house.settle();
  const done = await ada.read(job.id);
  t.match(done.asset, { mime_type: "image/png", status: "ready", source: "generation" });
  t.equal(done.assets, undefined);
});

t.test("a job that has succeeded says when it began and when it ended", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const job = await ada.job("a kite sim:queue=1000 sim:slow=2000");
  await house.advance(1_250);
  t.match(await ada.read(job.id), {
    status: "running",
    progress: 0,
    started_at: "2026-04-15T12:00:01.000Z",
  });
  await house.advance(2_000);
  t.match(await ada.read(job.id), {
    status: "succeeded",
    started_at: "2026-04-15T12:00:01.000Z",
    completed_at: "2026-04-15T12:00:03.000Z",
    updated_at: "2026-04-15T12:00:03.000Z",
  });
});

t.test("a model is named by its id, an alias or default", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  for (const model of ["studio-image", "studio", "default"]) {
    const { json } = await ada.post<Job>(imagePath, { model, prompt: `by ${model}` });
    t.equal(json.model, "studio-image");
  }
});

t.test("an unknown model is a fault of the field model", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const { status, json } = await ada.post(imagePath, { model: "nobody", prompt: "a kite" });
  t.equal(status, 400);
  t.match(json, { code: "validation", errors: [{ pointer: "/model" }] });
});

t.test("simulated models are absent unless the operator adds them", async (t) => {
  const house = await openInProcess(t, { simulatedModels: false });
  const ada = await house.account();
  t.equal((await ada.submit("a kite")).status, 400);
  const other = await openInProcess(t);
  t.equal((await (await other.account()).submit("a kite")).status, 202);
});

const plainModel = "studio-image";
const nobody = "019d9000-0000-7000-8000-000000000000";
const long = { note: "x".repeat(16_384) };
const wrongFields: readonly (readonly [rule: string, more: object, pointer: string])[] = [
  ["an unknown field", { colour: "red" }, "/colour"],
  ["a seed of the wrong type", { seed: "7" }, "/seed"],
  ["a seed below 0", { seed: -1 }, "/seed"],
  ["a seed above 4294967295", { seed: 4294967296 }, "/seed"],
  ["a fractional number of images", { num_images: 1.5 }, "/num_images"],
  ["no images at all", { num_images: 0 }, "/num_images"],
  ["more images than the model makes", { num_images: 5 }, "/num_images"],
  ["an aspect ratio that is not the model's", { aspect_ratio: "2:1" }, "/aspect_ratio"],
  ["a resolution that is not the model's", { resolution: "8k" }, "/resolution"],
  ["an output format that is none", { output_format: "bmp" }, "/output_format"],
  ["a size without the capability", { model: plainModel, width: 512, height: 512 }, "/width"],
  [
    "a transparent background without the capability",
    { model: plainModel, background: "transparent" },
    "/background",
  ],
  [
    "provider options that the model does not pass on",
    { model: plainModel, provider_options: {} },
    "/provider_options",
  ],
  ["provider options of more than 16 KiB", { provider_options: long }, "/provider_options"],
  [
    "a negative prompt of 2,001 characters",
    { negative_prompt: "x".repeat(2_001) },
    "/negative_prompt",
  ],
  ["a quality that is not the model's", { quality: "best" }, "/quality"],
  ["a background that is none", { background: "red" }, "/background"],
  ["a mask without its one reference", { mask_asset_id: nobody }, "/mask_asset_id"],
  ["a width that is no multiple of 8", { width: 260, height: 256 }, "/width"],
  ["a width below 256", { width: 248, height: 256 }, "/width"],
  ["a height above 4096", { width: 256, height: 4_104 }, "/height"],
  ["a width without a height", { width: 256 }, "/height"],
  ["a size and a ratio", { width: 256, height: 256, aspect_ratio: "1:1" }, "/aspect_ratio"],
  ["a size and a resolution", { width: 256, height: 256, resolution: "1k" }, "/resolution"],
  ["an empty tag", { tags: [""] }, "/tags/0"],
  ["33 tags", { tags: Array.from({ length: 33 }, (_, n) => `t${n}`) }, "/tags"],
  ["an empty display name", { display_name: "" }, "/display_name"],
];

t.test("a wrong field is refused with 400 and a pointer to it", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  for (const [rule, more, pointer] of wrongFields) {
    const { status, json } = await ada.submit<Refused>("a kite", more);
    t.equal(status, 400, rule);
    t.match(json, { code: "validation", title: "Invalid Request" });
    t.ok(
      json.errors?.some((fault) => fault.pointer === pointer),
      `${rule}: ${pointer}`,
    );
  }
});

t.test("the bounds of the fields are accepted", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ plan: "enterprise", credits: 100 });
  const tags = Array.from({ length: 32 }, (_, n) => `tag-${n}`);
  const negative_prompt = "x".repeat(2_000);
  for (const more of [
    { seed: 0 },
    { seed: 4294967295 },
    { num_images: 4 },
    { tags },
    { negative_prompt },
    { width: 256, height: 4_096 },
    { provider_options: { note: "x".repeat(16_000) } },
  ]) {
    t.equal((await ada.submit("a kite", more)).status, 202, JSON.stringify(more).slice(0, 40));
    await house.settle();
  }
});

t.test("a prompt has 1 to 10000 characters after trimming", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  t.equal((await ada.submit("x".repeat(10_000))).status, 202);
  t.equal((await ada.submit("🪁".repeat(10_000))).status, 202, "characters, not code units");
  t.equal((await ada.submit(`  ${"y".repeat(10_000)}  `)).status, 202);
  for (const prompt of ["", "   ", "x".repeat(10_001)]) {
    const { status, json } = await ada.submit<Refused>(prompt);
    t.equal(status, 400);
    t.match(json.errors, [{ pointer: "/prompt" }]);
  }
});

t.test("the prompt is required where the model says so", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const { status, json } = await ada.post(imagePath, { model: "sim-instant" });
  t.equal(status, 400);
  t.match(json.errors, [{ pointer: "/prompt", detail: "is required" }]);
});

t.test("every fault of a body is named at once", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const { json } = await ada.post(imagePath, { seed: "x", num_images: "y", other: 1 });
  const pointers = json.errors?.map(({ pointer }) => pointer) ?? [];
  for (const pointer of ["/model", "/seed", "/num_images", "/other"])
    t.ok(pointers.includes(pointer), pointer);
});

t.test("at most 20 faults are listed", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const many = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`field${n}`, n]));
  const { json } = await ada.submit<Refused>("a kite", many);
  const listed = json.errors?.length ?? 0;
  t.ok(listed > 0 && listed <= 20);
});

t.test("a null field means the same as an absent one", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const { status } = await ada.submit("a kite", { seed: null, tags: null, output_format: null });
  t.equal(status, 202);
  t.equal((await ada.post(imagePath, { model: null, prompt: "a kite" })).status, 400);
});

t.test("display name and tags are copied to the asset", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const named = await ada.job("a kite", { display_name: "Kite", tags: ["sky", "red"] });
  const plain = await ada.job(`${"a very long prompt ".repeat(10)}`);
  await house.settle();
  const { asset } = await ada.read(named.id);
  t.match(asset, { display_name: "Kite", tags: ["sky", "red"], prompt: "a kite", favorite: false });
  const other = (await ada.read(plain.id)).asset;
  t.equal(other?.display_name.length, 80, "else the first 80 characters of the prompt");
  t.strictSame(other?.tags, []);
});

t.test("X-Service-Surface is recorded on the job when it is well formed", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const { json } = await ada.submit("one", {}, { "x-service-surface": "studio" });
  t.equal(json.surface, "studio");
});

t.test("another X-Service-Surface is ignored", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  for (const surface of ["Studio", "9lives", "x".repeat(33), "a b"]) {
    const { status, json } = await ada.submit(
      `by ${surface}`,
      {},
      { "x-service-surface": surface },
    );
    t.equal(status, 202);
    t.equal(json.surface, null);
    await house.settle();
  }
});

t.test("below the least free disk space submits answer 503 and reads go on", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const job = await ada.job("a kite");
  house.service.health.isDiskLow = true;
  const { status, headers, json } = await ada.submit<Refused>("another kite");
  t.equal(status, 503);
  t.match(headers["retry-after"], /^\d+$/);
  t.equal(json.title, "Service Unavailable");
  t.equal((await ada.get(`/v1/jobs/${job.id}`)).status, 200);
});
