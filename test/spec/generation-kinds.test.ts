import t from "tap";
import type { Static } from "../../config/schema.ts";
import type { Asset, AssetPage } from "../../contract/asset.ts";
import type { Job } from "../../contract/job.ts";
import type { Caller, Refused } from "./caller.ts";
import { type InProcess, openInProcess } from "./in-process-service.ts";

/** Makes an asset of each kind with the simulated models. */
async function assets(house: InProcess, ada: Caller) {
  const make = async (path: string, body: object) => {
    const { json, status, text } = await ada.post<Job>(path, body);
    if (status !== 202) throw new Error(text);
    await house.settle();
    return (await ada.read(json.id)).asset?.id ?? "";
  };
  return {
    image: await make("/v1/generate/image", { model: "sim-instant", prompt: "a photo" }),
    video: await make("/v1/generate/video", { model: "sim-video", prompt: "a film" }),
    audio: await make("/v1/generate/audio", { model: "sim-audio", text: "a voice" }),
  };
}

const kinds = [
  ["/v1/generate/video", "video", () => ({ model: "sim-video", prompt: "a film of a kite" })],
  ["/v1/generate/audio", "audio", () => ({ model: "sim-audio", task: "music", prompt: "a waltz" })],
  ["/v1/generate/3d", "three_d", (of: Media) => ({ model: "sim-3d", image_asset_ids: [of.image] })],
  [
    "/v1/remove-background/video",
    "video",
    (of: Media) => ({ model: "sim-video", source_asset_id: of.video }),
  ],
  [
    "/v1/restore/video",
    "video",
    (of: Media) => ({ model: "sim-video", source_asset_id: of.video, scale: 2 }),
  ],
] as const;

type Media = Awaited<ReturnType<typeof assets>>;

for (const [path, modality, body] of kinds)
  t.test(`POST ${path} answers 202 with a queued job, and its asset follows`, async (t) => {
    const house = await openInProcess(t);
    const ada = await house.account({ plan: "studio" });
    const media = await assets(house, ada);
    const { status, json, headers } = await ada.post<Job>(path, body(media));
    t.equal(status, 202);
    t.match(json, { modality, status: "queued" });
    t.match(headers["location"], new RegExp(`/v1/jobs/${json.id}$`));
    await house.settle();
    const { status: ended, asset } = await ada.read(json.id);
    t.equal(ended, "succeeded");
    t.equal(asset?.modality, modality);
    const again = await ada.post<Refused>(path, body(media));
    t.equal(again.status, 409, "the same body within five minutes");
    t.equal(again.json.job_id, json.id);
  });

/** Requests that must be refused, and the field that each refusal names. */
const faults = [
  [
    "/v1/generate/video",
    { model: "sim-video", prompt: "a", duration_seconds: 61 },
    "/duration_seconds",
  ],
  ["/v1/generate/video", { model: "sim-video", prompt: "a", fps: 7 }, "/fps"],
  [
    "/v1/generate/video",
    { model: "studio-video", prompt: "a", negative_prompt: "b" },
    "/negative_prompt",
  ],
  ["/v1/generate/video", { model: "sim-instant", prompt: "a" }, "/model"],
  ["/v1/generate/video", { model: "sim-video", prompt: " " }, "/prompt"],
  ["/v1/generate/video", { model: "sim-video", prompt: "a", sound: true }, "/sound"],
  ["/v1/generate/audio", { model: "sim-audio", task: "speech" }, "/text"],
  ["/v1/generate/audio", { model: "sim-audio", task: "music", text: "a" }, "/prompt"],
  ["/v1/generate/audio", { model: "studio-voice", text: "a", lyrics: "la" }, "/lyrics"],
  ["/v1/generate/audio", { model: "sim-audio", text: "a", speed: 3 }, "/speed"],
  ["/v1/generate/audio", { model: "studio-music", task: "speech", text: "a" }, "/task"],
  ["/v1/generate/3d", { model: "sim-3d", image_asset_ids: [] }, "/image_asset_ids"],
  ["/v1/generate/3d", { model: "sim-3d" }, "/image_asset_ids"],
  ["/v1/remove-background/video", {}, "/source_asset_id"],
  ["/v1/restore/video", { scale: 3 }, "/scale"],
] as const;

for (const [path, body, pointer] of faults)
  t.test(`${path} refuses ${JSON.stringify(body)} with 400 naming ${pointer}`, async (t) => {
    const house = await openInProcess(t);
    const ada = await house.account();
    const { status, json } = await ada.post<Refused>(path, body);
    t.equal(status, 400);
    t.equal(json.code, "validation");
    t.ok(
      json.errors?.some((fault) => fault.pointer === pointer),
      json.detail ?? "",
    );
  });

t.test("a duration outside the model's values is 400 naming the accepted values", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const body = { model: "studio-video", prompt: "a", duration_seconds: 99 };
  const { json } = await ada.post<Refused>("/v1/generate/video", body);
  t.match(json.errors?.[0], { pointer: "/duration_seconds", detail: /from 1 to 10/ });
});

t.test("referenced assets must be visible, ready and of the right kind", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ plan: "studio" });
  const bob = await house.account({ plan: "studio" });
  const media = await assets(house, ada);
  for (const [path, field, fields] of [
    ["/v1/generate/3d", "image_asset_ids", { model: "sim-3d" }],
    ["/v1/generate/image", "reference_asset_ids", { model: "sim-instant", prompt: "a kite" }],
  ] as const) {
    const ask = async (caller: Caller, asset: string) => {
      const { status, json } = await caller.post<Refused>(path, { ...fields, [field]: [asset] });
      return [status, json.errors?.[0]?.pointer];
    };
    const refused = [400, `/${field}/0`];
    t.strictSame(await ask(bob, media.image), refused, "another account's");
    t.strictSame(await ask(ada, media.audio), refused, "not an image");
    t.strictSame(await ask(ada, "019d9000-0000-7000-8000-000000000000"), refused, "unknown");
    await ada.request("DELETE", `/v1/assets/${media.image}`);
    t.strictSame(await ask(ada, media.image), refused, "in the trash");
    await ada.post(`/v1/assets/${media.image}/restore`);
    t.equal((await ask(ada, media.image))[0], 202, "one's own image, ready");
  }
});

t.test(
  "parent_job_id is the job named as source by background removal or restoration",
  async (t) => {
    const house = await openInProcess(t);
    const ada = await house.account({ plan: "studio" });
    const { video } = await assets(house, ada);
    const { job_id } = (await ada.get<Asset>(`/v1/assets/${video}`)).json;
    const body = { model: "sim-video", source_asset_id: video };
    for (const path of ["/v1/remove-background/video", "/v1/restore/video"])
      t.equal((await ada.post<Job>(path, body)).json.parent_job_id, job_id, path);
  },
);

t.test("mp4 with transparent is 400, and color needs its background_color", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ plan: "studio" });
  const { video } = await assets(house, ada);
  const path = "/v1/remove-background/video";
  const ask = async (more: object) => {
    const body = { model: "sim-video", source_asset_id: video, ...more };
    const { status, json } = await ada.post<Refused>(path, body);
    return [status, json.errors?.[0]?.pointer];
  };
  t.strictSame(await ask({ output_format: "mp4" }), [400, "/output_format"]);
  t.strictSame(await ask({ background: "color" }), [400, "/background_color"]);
  t.equal((await ask({ background: "color", background_color: "#00ff00" }))[0], 202);
});

t.test(
  "output larger than 3840x2160 is 400; scale cannot accompany target_resolution",
  async (t) => {
    const house = await openInProcess(t);
    const ada = await house.account({ plan: "studio" });
    const { video } = await assets(house, ada);
    const ask = async (more: object) => {
      const body = { model: "sim-video", source_asset_id: video, ...more };
      const { status, json } = await ada.post<Refused>("/v1/restore/video", body);
      return [status, json.errors?.[0]?.pointer];
    };
    const both = { scale: 2, target_resolution: "1080p" };
    t.strictSame(await ask(both), [400, "/target_resolution"]);
    t.equal((await ask({ target_resolution: "1080p" }))[0], 202);
  },
);

t.test("speech stores its text as prompt", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const { json } = await ada.post<Job>("/v1/generate/audio", { model: "sim-audio", text: "Hello" });
  await house.settle();
  t.match((await ada.read(json.id)).asset, { prompt: "Hello", display_name: "Hello" });
});

t.test("3D jobs use a separate pool of the same size per plan and are not counted", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ plan: "free", credits: 100 });
  const { image } = await assets(house, ada);
  await ada.job("a sim:slow=60000");
  const body = { model: "sim-3d", image_asset_ids: [image], prompt: "sim:slow=60000" };
  t.equal((await ada.post("/v1/generate/3d", body)).status, 202);
  t.match((await ada.get("/v1/me")).json, { generation_limits: { concurrent_active: 1 } });
  const more = { ...body, seed: 1 };
  t.equal((await ada.post("/v1/generate/3d", more)).status, 429);
});

t.test("enhance_prompt sets enhanced_prompt on an image when it changed the text", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const job = await ada.job("a kite", { enhance_prompt: true });
  await house.settle();
  const { asset } = await ada.read(job.id);
  t.equal(asset?.prompt, "a kite");
  t.match(asset?.enhanced_prompt, /^a kite, ./);
  const plain = await ada.job("a plain kite");
  await house.settle();
  t.equal((await ada.read(plain.id)).asset?.enhanced_prompt, undefined, "the prompt stayed");
  const film = { model: "sim-video", prompt: "a kite", enhance_prompt: true };
  const { json } = await ada.post<Job>("/v1/generate/video", film);
  await house.settle();
  t.equal((await ada.read(json.id)).asset?.enhanced_prompt, undefined, "on video it stays absent");
});

t.test("GET /v1/assets lists the newest first with filters and a total", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ plan: "studio" });
  const media = await assets(house, ada);
  const list = async (query: string) => {
    const { json } = await ada.get<Static<typeof AssetPage>>(`/v1/assets${query}`);
    return { ids: json.items.map(({ id }) => id), total: json.total, cursor: json.next_cursor };
  };
  const { audio, video, image } = media;
  t.match(await list(""), { ids: [audio, video, image], total: 3, cursor: null });
  t.match(await list("?modality=video,audio"), { ids: [audio, video], total: 2 });
  t.match(await list("?q=PHOTO"), { ids: [image] });
  t.match(await list("?source=upload"), { ids: [] });
  const first = await list("?limit=2");
  t.strictSame(first.ids, [audio, video]);
  t.strictSame((await list(`?limit=2&cursor=${first.cursor}`)).ids, [image]);
});

t.test("a language that the model does not list answers 400 and is not charged (E6)", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ plan: "studio" });
  const speak = (language: string) =>
    ada.post<Refused>("/v1/generate/audio", { model: "studio-voice", text: "Hello.", language });
  t.match(await speak("xx"), {
    status: 400,
    json: { errors: [{ pointer: "/language", detail: /is not spoken by studio-voice/ }] },
  });
  t.match((await ada.get("/v1/me/credits")).json, { balance_credits: 12_000, held_credits: 0 });
  for (const language of ["de-CH", "EN", "zh-Hant-HK"])
    t.equal((await speak(language)).status, 202, language);
  const { json } = await ada.get<{ options: { language: string[] } }>("/v1/models/studio-voice");
  t.ok(json.options.language.includes("de"), "the catalogue lists what it speaks");
});
