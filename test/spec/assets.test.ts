import t from "tap";
import { assetKey } from "../../actors/protocol/asset.ts";
import { removalKey } from "../../actors/protocol/removal.ts";
import type { Asset } from "../../contract/asset.ts";
import type { Job } from "../../contract/job.ts";
import { type Caller, imagePath } from "./caller.ts";
import { type InProcess, openInProcess, origin } from "./in-process-service.ts";

const nobody = "019d9000-0000-7000-8000-000000000000";

async function makeAsset(house: InProcess, ada: Caller, prompt = "a kite"): Promise<Asset> {
  const job = await ada.job(prompt);
  await house.settle();
  const { asset } = await ada.read(job.id);
  if (asset === undefined) throw new Error("the job made no asset");
  return asset;
}

t.test("an asset is read with all that is known of it", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const job = await ada.job("a kite", { tags: ["sky"] });
  await house.settle();
  const { asset } = await ada.read(job.id);
  const { status, headers, json } = await ada.get<Asset>(`/v1/assets/${asset?.id}`);
  t.equal(status, 200);
  t.equal(headers["etag"], undefined, "it carries a signed URL");
  t.equal(headers["cache-control"], "no-store");
  t.match(json, {
    id: asset?.id,
    mime_type: "image/png",
    width: 1,
    height: 1,
    status: "ready",
    source: "generation",
    job_id: job.id,
    user_id: ada.id,
    modality: "image",
    model: "sim-instant",
    prompt: "a kite",
    display_name: "a kite",
    favorite: false,
    tags: ["sky"],
    size_bytes: 70,
    created_at: "2026-04-15T12:00:00.000Z",
    checksum_sha256: /^[0-9a-f]{64}$/,
  });
});

t.test("reading an asset again returns a fresh link", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const asset = await makeAsset(house, ada);
  t.equal(asset.expires_at, "2026-04-15T13:00:00.000Z", "a link lives 3600 s");
  await house.advance(60_000);
  const { json } = await ada.get<Asset>(`/v1/assets/${asset.id}`);
  t.equal(json.expires_at, "2026-04-15T13:01:00.000Z");
  t.not(json.signed_url, asset.signed_url);
});

t.test("a foreign, unknown or malformed asset id answers the same 404", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const bob = await house.account();
  const asset = await makeAsset(house, ada);
  const texts = new Set<string>();
  for (const id of [asset.id, nobody, "no-uuid"]) {
    const headers = { "x-request-id": "same" };
    const { status, text } = await bob.get(`/v1/assets/${id}`, headers);
    t.equal(status, 404, id);
    texts.add(text);
  }
  t.equal(texts.size, 1);
});

t.test("a job's id is no asset's id", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const job = await ada.job("a kite");
  t.equal((await ada.get(`/v1/assets/${job.id}`)).status, 404);
});

t.test("a signed link needs no bearer and answers GET and HEAD", async (t) => {
  const house = await openInProcess(t);
  const { signed_url: url } = await makeAsset(house, await house.account());
  t.ok(url.startsWith(`${origin}/objects/`));
  const whole = await house.stranger.get(url);
  t.equal(whole.status, 200);
  t.equal(whole.headers["content-type"], "image/png");
  t.equal(whole.headers["accept-ranges"], "bytes");
  t.equal(whole.bytes.subarray(1, 4).toString(), "PNG");
  t.equal(whole.bytes.length, 70);
  t.equal((await house.stranger.request("HEAD", url)).status, 200);
});

t.test("what a link serves cannot run in the service's origin", async (t) => {
  const house = await openInProcess(t);
  const { signed_url: url } = await makeAsset(house, await house.account());
  const { headers } = await house.stranger.get(url);
  t.equal(headers["x-content-type-options"], "nosniff");
  t.match(headers["content-security-policy"], /default-src 'none'; sandbox/);
});

const ranges: readonly (readonly [string, number, number])[] = [
  ["bytes=0-0", 0, 1],
  ["bytes=0-69", 0, 70],
  ["bytes=10-19", 10, 20],
  ["bytes=60-", 60, 70],
  ["bytes=60-1000", 60, 70],
  ["bytes=-5", 65, 70],
  ["bytes=-1000", 0, 70],
];

t.test("one range answers 206 with just that part", async (t) => {
  const house = await openInProcess(t);
  const { signed_url: url } = await makeAsset(house, await house.account());
  const { bytes } = await house.stranger.get(url);
  for (const [range, start, end] of ranges) {
    const part = await house.stranger.get(url, { range });
    t.equal(part.status, 206, range);
    t.equal(part.headers["content-range"], `bytes ${start}-${end - 1}/70`);
    t.ok(part.bytes.equals(bytes.subarray(start, end)));
  }
});

t.test("a range that begins behind the end answers 416 with the length", async (t) => {
  const house = await openInProcess(t);
  const { signed_url: url } = await makeAsset(house, await house.account());
  for (const range of ["bytes=70-", "bytes=99-120", "bytes=-0"]) {
    const { status, headers } = await house.stranger.get(url, { range });
    t.equal(status, 416, range);
    t.equal(headers["content-range"], "bytes */70");
  }
});

t.test("a range of another unit, several ranges and nonsense are ignored", async (t) => {
  const house = await openInProcess(t);
  const { signed_url: url } = await makeAsset(house, await house.account());
  for (const range of ["lines=0-1", "bytes=0-1,4-5", "bytes=", "bytes=-", "bytes=5-1", "bytes=a-b"])
    t.equal((await house.stranger.get(url, { range })).status, 200, range);
});

t.test("an expired link answers 403", async (t) => {
  const house = await openInProcess(t);
  const { signed_url: url } = await makeAsset(house, await house.account());
  await house.advance(3_595_000);
  t.equal((await house.stranger.get(url)).status, 200);
  await house.advance(6_000);
  t.equal((await house.stranger.get(url)).status, 403);
});

t.test("a link of which anything was changed answers 403", async (t) => {
  const house = await openInProcess(t);
  const { signed_url: url } = await makeAsset(house, await house.account());
  const expires = Number(/expires=(\d+)/.exec(url)?.[1]);
  const changed = [
    url.replace("tiny.png", "other.png"),
    url.replace(`expires=${expires}`, `expires=${expires + 60}`),
    url.replace(/signature=./, (found) => `signature=${found.endsWith("A") ? "B" : "A"}`),
    url.replace(/&signature=.*/, ""),
    url.replace(/\?.*/, ""),
    url.replace(/signature=.*/, "signature="),
    url.replace(/expires=\d+/, "expires=Infinity"),
  ];
  for (const wrong of changed) {
    const { status, json } = await house.stranger.get(wrong);
    t.equal(status, 403, wrong.slice(origin.length, origin.length + 60));
    t.match(json, { title: "Forbidden" });
  }
});

t.test("a bearer does not replace the signature of a link", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const { signed_url: url } = await makeAsset(house, ada);
  t.equal((await ada.get(url.replace(/\?.*/, ""))).status, 403);
  t.equal((await house.admin.get("/objects/sim/tiny.png")).status, 403);
});

t.test("a link to bytes that are gone answers 404", async (t) => {
  const house = await openInProcess(t);
  const { signed_url: url } = await makeAsset(house, await house.account());
  await house.service.objects.remove("sim/tiny.png");
  t.equal((await house.stranger.get(url)).status, 404);
});

t.test("an object of several chunks arrives whole and in parts", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const node = house.farmNode();
  const { json: job } = await ada.post<Job>(imagePath, { model: "studio", prompt: "a large one" });
  await house.settle();
  const picture = Buffer.alloc(200_000, "klieg ");
  await node.finish([picture]);
  await house.settle();
  const { asset } = await ada.read(job.id);
  t.match(asset, { size_bytes: 200_000, width: 1024 });
  const url = asset?.signed_url ?? "";
  t.ok((await house.stranger.get(url)).bytes.equals(picture));
  const part = await house.stranger.get(url, { range: "bytes=65000-131999" });
  t.ok(part.bytes.equals(picture.subarray(65_000, 132_000)));
});

t.test("PATCH /v1/assets/{id} changes display_name, favorite and tags", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const { id } = await makeAsset(house, ada);
  const path = `/v1/assets/${id}`;
  const patch = (body: object) => ada.request<Asset>("PATCH", path, { body });
  const { status, json } = await patch({ display_name: "Kite", favorite: true, tags: ["a"] });
  t.equal(status, 200);
  t.match(json, { display_name: "Kite", favorite: true, tags: ["a"] });
  t.match((await patch({ favorite: false })).json, { display_name: "Kite", favorite: false });
  t.match((await ada.get("/v1/assets?favorite=true")).json, { items: [] });
  t.match((await ada.get("/v1/assets?tag=a")).json, { items: [{ id }] });
  t.equal((await patch({ colour: "red" })).status, 400);
  t.equal((await patch({ tags: Array(33).fill("x") })).status, 400);
});

t.test("DELETE /v1/assets/{id} moves to the trash, restore within 30 days takes out", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const job = await ada.job("a kite");
  await house.settle();
  const { asset } = await ada.read(job.id);
  const path = `/v1/assets/${asset?.id}`;
  t.equal((await ada.post(`${path}/restore`)).status, 409, "409 when not trashed");
  t.equal((await ada.request("DELETE", path)).status, 204);
  t.match((await ada.get<Asset>(path)).json, {
    status: "trashed",
    signed_url: "",
    trashed_at: /^2026/,
  });
  t.match((await ada.read(job.id)).asset, { status: "trashed", signed_url: "" });
  t.match((await ada.get("/v1/assets")).json, { items: [], total: 0 });
  t.match((await ada.get("/v1/assets?status=trashed")).json, {
    items: [{ id: asset?.id }],
    total: 1,
  });
  t.equal((await ada.get(`${path}/content`)).status, 409);
  const { status, json } = await ada.post<Asset>(`${path}/restore`);
  t.equal(status, 200);
  t.match(json, { status: "ready", signed_url: /^http/ });
  await ada.request("DELETE", path);
  await house.advance(30 * 86_400_000 + 1_000);
  t.equal((await ada.get(path)).status, 404, "a deleted asset answers 404");
  t.equal((await ada.read(job.id)).asset, undefined, "and is omitted from its job");
});

t.test("DELETE with permanent=true deletes at once, bytes and all", async (t) => {
  const house = await openInProcess(t);
  const node = house.farmNode();
  const ada = await house.account();
  const { json: job } = await ada.post<Job>(imagePath, { model: "studio-image", prompt: "a kite" });
  await house.settle();
  await node.finish([Buffer.from("bytes")]);
  await house.settle();
  const { asset } = await ada.read(job.id);
  const key = new URL(asset?.signed_url ?? "").pathname.slice("/objects/".length);
  t.ok(await house.service.objects.stat(key));
  const { status } = await ada.request("DELETE", `/v1/assets/${asset?.id}?permanent=true`);
  t.equal(status, 204);
  await house.settle();
  t.equal(await house.service.objects.stat(key), undefined);
  t.equal((await ada.get(`/v1/assets/${asset?.id}`)).status, 404);
  const removal = removalKey(assetKey(ada.id, asset?.id ?? ""), "media");
  t.equal(house.service.gateway.read(removal), undefined, "and nothing is left to remove");
});

t.test("GET /v1/assets/{id}/content answers 302 to a signed URL", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const { id } = await makeAsset(house, ada);
  const { status, headers } = await ada.get(`/v1/assets/${id}/content`);
  t.equal(status, 302);
  t.match(headers["location"], /\/objects\/.*signature=/);
});

t.test("assets are changed by their own scope only", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const bob = await house.account();
  const { id } = await makeAsset(house, ada);
  for (const [method, path] of [
    ["PATCH", `/v1/assets/${id}`],
    ["DELETE", `/v1/assets/${id}`],
    ["POST", `/v1/assets/${id}/restore`],
    ["GET", `/v1/assets/${id}/content`],
  ] as const)
    t.equal((await bob.request(method, path, { body: {} })).status, 404, `${method} ${path}`);
});
