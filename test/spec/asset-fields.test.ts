import t from "tap";
import type { Asset } from "../../contract/asset.ts";
import type { Upload } from "../../contract/upload.ts";
import type { Caller, Refused } from "./caller.ts";
import { type InProcess, openInProcess } from "./in-process-service.ts";

async function make(house: InProcess, ada: Caller, prompt: string, more: object = {}) {
  const { id } = await ada.job(prompt, more);
  await house.settle();
  const { asset } = await ada.read(id);
  if (asset === undefined) throw new Error("the job has no asset");
  return { job: id, asset };
}

const plan = { filename: "a/b/kite.png", mime_type: "image/png", size_bytes: 100 };

t.test("display_name defaults to the first 80 characters of the prompt", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const prompt = "kite ".repeat(40).trim();
  const { asset } = await make(house, ada, prompt);
  t.equal(asset.display_name, prompt.slice(0, 80));
  const balloons = await make(house, ada, "🎈".repeat(90));
  t.equal(balloons.asset.display_name, "🎈".repeat(80));
  const own = await make(house, ada, "another kite", { display_name: "Mine" });
  t.equal(own.asset.display_name, "Mine");
});

t.test(
  "an upload's display_name is its filename's last segment; prompt and model are empty",
  async (t) => {
    const ada = await (await openInProcess(t)).account();
    const { json } = await ada.post<Upload>("/v1/assets/uploads", plan);
    const { json: asset } = await ada.get<Asset>(`/v1/assets/${json.asset_id}`);
    t.match(asset, { display_name: "kite.png", prompt: "", model: "", source: "upload" });
    t.match(asset, { favorite: false, tags: [], modality: "image", user_id: ada.id });
  },
);

t.test(
  "signed_url is empty and expires_at equals created_at while bytes are missing",
  async (t) => {
    const ada = await (await openInProcess(t)).account();
    const { json } = await ada.post<Upload>("/v1/assets/uploads", plan);
    const { json: asset } = await ada.get<Asset>(`/v1/assets/${json.asset_id}`);
    t.equal(asset.status, "pending_upload");
    t.equal(asset.signed_url, "");
    t.equal(asset.expires_at, asset.created_at);
    t.equal(asset.checksum_sha256, null, "null until ready");
  },
);

t.test("signed_url lives 3600 s", async (t) => {
  const house = await openInProcess(t);
  const { asset } = await make(house, await house.account(), "a kite");
  t.equal(Date.parse(asset.expires_at) - house.clock.nowMs(), 3_600_000);
});

t.test(
  "a trashed asset stays on its job with an empty signed_url, a deleted one is omitted",
  async (t) => {
    const house = await openInProcess(t);
    const ada = await house.account();
    const { job, asset } = await make(house, ada, "a kite");
    const path = `/v1/assets/${asset.id}`;
    await ada.delete(path);
    t.match((await ada.read(job)).asset, { id: asset.id, status: "trashed", signed_url: "" });
    await ada.post(`${path}/restore`);
    t.match((await ada.read(job)).asset, { status: "ready", signed_url: /^https:/ });
    await ada.delete(`${path}?permanent=true`);
    const left = await ada.read(job);
    t.equal(left.status, "succeeded");
    t.equal(left.asset, undefined);
    t.equal((await ada.get(path)).status, 404);
  },
);

t.test("tags are at most 32 of 1 to 64 characters", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const { asset } = await make(house, ada, "a kite");
  const patch = async (tags: readonly string[]) => {
    const { status, json } = await ada.patch<Refused>(`/v1/assets/${asset.id}`, { tags });
    return [status, json.errors?.[0]?.pointer.slice(0, 5)];
  };
  const many = (count: number) => Array.from({ length: count }, (_, at) => `tag ${at}`);
  t.strictSame(await patch(many(32)), [200, undefined]);
  t.strictSame(await patch(["x".repeat(64)]), [200, undefined]);
  for (const tags of [many(33), [""], ["x".repeat(65)]])
    t.strictSame(await patch(tags), [400, "/tags"]);
});

t.test("Font and LUT assets omit modality", async (t) => {
  const ada = await (await openInProcess(t)).account();
  for (const [filename, mime_type] of [
    ["a.woff2", "font/woff2"],
    ["warm.cube", "application/octet-stream"],
  ]) {
    const body = { filename, mime_type, size_bytes: 10 };
    const { json } = await ada.post<Upload>("/v1/assets/uploads", body);
    const { json: asset } = await ada.get<Asset>(`/v1/assets/${json.asset_id}`);
    t.equal(asset.modality, undefined, `${mime_type}`);
  }
});

t.test("only the accepted media types are taken; SVG is refused", async (t) => {
  const ada = await (await openInProcess(t)).account();
  const ask = async (mime_type: string, filename = "a") => {
    const body = { filename, mime_type, size_bytes: 10 };
    return (await ada.post("/v1/assets/uploads", body)).status;
  };
  for (const type of [
    ...["image/png", "image/jpeg", "image/webp", "image/gif", "video/mp4", "video/quicktime"],
    ...["video/webm", "audio/mpeg", "audio/wav", "audio/mp4", "audio/ogg", "audio/flac"],
    ...["model/gltf-binary", "model/gltf+json", "font/woff2", "font/ttf"],
  ])
    t.equal(await ask(type), 201, type);
  t.equal(await ask("application/octet-stream", "warm.cube"), 201);
  t.equal(await ask("application/octet-stream", "warm.bin"), 400, "for .cube alone");
  for (const type of ["image/svg+xml", "text/html", "application/zip", "image/bmp", "nonsense"])
    t.equal(await ask(type), 400, type);
});

t.test("assets can be filtered by favorite, tag, status and source", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const first = await make(house, ada, "one", { tags: ["sky"] });
  const second = await make(house, ada, "two");
  await ada.patch(`/v1/assets/${second.asset.id}`, { favorite: true });
  const list = async (query: string) => {
    const { json } = await ada.get<{ items: readonly Asset[] }>(`/v1/assets?${query}`);
    return json.items.map(({ id }) => id);
  };
  t.strictSame(await list("favorite=true"), [second.asset.id]);
  t.strictSame(await list("favorite=false"), [first.asset.id]);
  t.strictSame(await list("tag=sky"), [first.asset.id]);
  t.strictSame(await list("source=generation&status=ready"), [second.asset.id, first.asset.id]);
  await ada.delete(`/v1/assets/${first.asset.id}`);
  t.strictSame(await list("status=trashed"), [first.asset.id]);
  t.strictSame(await list("status=ready"), [second.asset.id]);
  for (const query of ["limit=0", "limit=101", "status=lost", "source=x", "cursor=x", "more=1"])
    t.equal((await ada.get(`/v1/assets?${query}`)).status, 400, query);
});

t.test("images over 100 megapixels are 400, told by their header", async (t) => {
  const ada = await (await openInProcess(t)).account();
  const ask = async (width: number, height: number) => {
    const header = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");
    const size = Buffer.alloc(8);
    size.writeUInt32BE(width, 0);
    size.writeUInt32BE(height, 4);
    const body = Buffer.concat([
      Buffer.from('--b\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n'),
      Buffer.from("Content-Type: image/png\r\n\r\n"),
      ...[header, size, Buffer.from("0806000000", "hex"), Buffer.alloc(64)],
      Buffer.from("\r\n--b--\r\n"),
    ]);
    const headers = { "content-type": "multipart/form-data; boundary=b" };
    return ada.request<Refused>("POST", "/v1/assets", { body, headers });
  };
  t.equal((await ask(10_000, 10_000)).status, 201);
  const { status, json } = await ask(10_001, 10_000);
  t.equal(status, 400);
  t.match(json.errors?.[0]?.detail, /100 megapixels/);
});
