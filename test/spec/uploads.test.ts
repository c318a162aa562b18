import { createHash } from "node:crypto";
import t from "tap";
import type { Static } from "../../config/schema.ts";
import type { Asset } from "../../contract/asset.ts";
import type { Preview } from "../../contract/composition.ts";
import type { Upload, UploadParts } from "../../contract/upload.ts";
import { simulatedMedia } from "../../providers/simulated/simulated-media.ts";
import type { Caller, Refused } from "./caller.ts";
import { make, page } from "./composition-steps.ts";
import type { FarmDouble } from "./farm-double.ts";
import { type InProcess, openInProcess } from "./in-process-service.ts";

const picture = simulatedMedia.image.bytes;
const boundary = "a-boundary";
const formType = `multipart/form-data; boundary=${boundary}`;

interface Part {
  readonly name: string;
  readonly filename?: string;
  readonly type?: string;
  readonly value: string | Uint8Array;
}

function form(...parts: readonly Part[]): Buffer {
  const chunks = parts.flatMap(({ name, filename, type, value }) => [
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"` +
      (filename === undefined ? "" : `; filename="${filename}"`) +
      (type === undefined ? "" : `\r\nContent-Type: ${type}`) +
      "\r\n\r\n",
    value,
    "\r\n",
  ]);
  return Buffer.concat([...chunks, `--${boundary}--\r\n`].map((chunk) => Buffer.from(chunk)));
}

const file: Part = { name: "file", filename: "a/b/kite.png", type: "image/png", value: picture };

function upload<T = Asset>(ada: Caller, body: Buffer, contentType = formType) {
  return ada.request<T>("POST", "/v1/assets", { body, headers: { "content-type": contentType } });
}

/** Lets the farm report what it found, as it would of a real file. */
async function probe(house: InProcess, node: FarmDouble): Promise<void> {
  await house.settle();
  await node.finish([picture]);
  await house.settle();
}

t.test("POST /v1/assets answers 201 with an asset that is processing, then ready", async (t) => {
  const house = await openInProcess(t);
  const node = house.farmNode();
  const ada = await house.account();
  const tags = { name: "tags", value: '["sky","wind"]' };
  const { status, json, headers } = await upload(ada, form(tags, file));
  t.equal(status, 201);
  t.match(headers["location"], new RegExp(`/v1/assets/${json.id}$`));
  t.match(json, {
    status: "processing",
    source: "upload",
    mime_type: "image/png",
    size_bytes: picture.length,
    display_name: "kite.png",
    tags: ["sky", "wind"],
    prompt: "",
    model: "",
    modality: "image",
    signed_url: "",
    expires_at: json.created_at,
    checksum_sha256: null,
  });
  await probe(house, node);
  const sha256 = createHash("sha256").update(picture).digest("hex");
  const { json: ready } = await ada.get<Asset>(`/v1/assets/${json.id}`);
  t.match(ready, { status: "ready", width: 1024, checksum_sha256: sha256, signed_url: /^http/ });
});

t.test("the type is taken from the bytes; a mismatch with the declared type is 400", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const refuse = async (part: Partial<Part>) => {
    const { status, json } = await upload<Refused>(ada, form({ ...file, ...part }));
    t.equal(status, 400);
    t.equal(json.errors?.[0]?.pointer, "/file");
  };
  await refuse({ type: "image/jpeg" });
  await refuse({ value: "<svg xmlns='http://www.w3.org/2000/svg'/>", type: "image/svg+xml" });
  await refuse({ value: "just words" });
  t.match((await ada.get("/v1/assets")).json, { items: [], total: 0 }, "nothing is left");
});

t.test("part file is required, one; unknown parts and a wrong checksum are 400", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const pointer = async (...parts: Part[]) => {
    const { status, json } = await upload<Refused>(ada, form(...parts));
    t.equal(status, 400);
    return json.errors?.[0]?.pointer;
  };
  t.equal(await pointer({ name: "display_name", value: "x" }), "/file");
  t.equal(await pointer(file, file), "/file");
  t.equal(await pointer(file, { name: "colour", value: "red" }), "/colour");
  t.equal(await pointer(file, { name: "tags", value: "red" }), "/tags");
  t.equal(await pointer(file, { name: "checksum_sha256", value: "0".repeat(64) }), "/file");
  t.equal((await upload(ada, Buffer.from("{}"), "application/json")).status, 415);
  t.equal((await upload(ada, Buffer.from("no form"))).status, 400);
});

t.test("a preview waits for a picture that is being processed, and not for ever", async (t) => {
  const house = await openInProcess(t);
  const node = house.farmNode();
  const ada = await house.account();
  const id = await make(ada, { "index.html": page() });
  const { json: preview } = await ada.post<Static<typeof Preview>>(
    `/v1/compositions/${id}/preview`,
  );
  const base = new URL(preview.url).pathname.slice(0, -"index.html".length);
  const look = ({ json }: { readonly json: Asset }) =>
    house.stranger.get(`${base}.klieg/asset/${json.id}`);
  const soon = look(await upload(ada, form(file)));
  await probe(house, node);
  t.equal((await soon).status, 200);
  const never = look(await upload(ada, form(file)));
  await house.advance(10_000);
  t.equal((await never).status, 404);
});

t.test("processing becomes failed when the probe refuses the bytes", async (t) => {
  const house = await openInProcess(t);
  const node = house.farmNode();
  const ada = await house.account();
  const { json } = await upload(ada, form(file));
  await house.settle();
  node.fail("The picture is cut off.", false);
  await house.settle();
  const { json: failed } = await ada.get<Asset>(`/v1/assets/${json.id}`);
  t.match(failed, { status: "failed", failure_reason: "The picture is cut off.", signed_url: "" });
  t.equal(failed.expires_at, failed.created_at);
  await house.advance(86_401_000);
  t.equal((await ada.get(`/v1/assets/${json.id}`)).status, 404, "bytes deleted after 24 h");
});

async function plan<T = Upload>(ada: Caller, more: object = {}) {
  const body = { filename: "kite.png", mime_type: "image/png", size_bytes: picture.length };
  return ada.post<T>("/v1/assets/uploads", { ...body, ...more });
}

function put(house: InProcess, url: string, body: Uint8Array) {
  return house.stranger.request<Refused>("PUT", url, { body: Buffer.from(body) });
}

t.test("POST /v1/assets/uploads plans a single PUT up to 64 MiB", async (t) => {
  const house = await openInProcess(t);
  const node = house.farmNode();
  const ada = await house.account();
  const { status, json } = await plan(ada);
  t.equal(status, 201);
  t.match(json, {
    status: "pending",
    method: "single",
    headers: { "Content-Type": "image/png" },
    uploaded_parts: [],
    expires_at: "2026-04-16T12:00:00.000Z",
  });
  t.match((await ada.get(`/v1/assets/${json.asset_id}`)).json, { status: "pending_upload" });
  const stored = await put(house, json.url ?? "", picture);
  t.equal(stored.status, 200);
  const read = await ada.get<Upload>(`/v1/assets/uploads/${json.id}`);
  t.strictSame(read.json.uploaded_parts, [
    { part_number: 1, etag: stored.headers["etag"], size_bytes: picture.length },
  ]);
  const path = `/v1/assets/uploads/${json.id}/complete`;
  const done = await ada.post<Asset>(path, {});
  t.equal(done.status, 200);
  t.equal(done.json.status, "processing");
  await probe(house, node);
  t.match((await ada.post<Asset>(path, {})).json, { status: "ready" }, "the same again");
  const parts = [{ part_number: 1, etag: "other" }];
  t.equal((await ada.post(path, { parts })).status, 409, "completed with other parts");
  const late = await put(house, json.url ?? "", picture);
  t.equal(late.status, 409, "the link takes no more");
  t.match((await ada.get(`/v1/assets/uploads/${json.id}`)).json, { status: "completed" });
});

t.test("an upload that lacks parts or differs is 422", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const { json } = await plan(ada, { checksum_sha256: "0".repeat(64) });
  const path = `/v1/assets/uploads/${json.id}/complete`;
  const missing = await ada.post<Refused>(path, {});
  t.equal(missing.status, 422);
  t.match(missing.json, { title: "Upload Incomplete", detail: /not stored: 1/ });
  t.equal((await put(house, json.url ?? "", picture.subarray(1))).status, 400, "a byte is missing");
  t.equal((await put(house, json.url ?? "", picture)).status, 200);
  t.equal((await ada.post<Refused>(path, {})).status, 422, "the checksum differs");
});

t.test("beyond 64 MiB an upload has parts of 16 MiB whose URLs are issued again", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const size = 2 * 1024 ** 3 + 1;
  const video = { filename: "film.mp4", mime_type: "video/mp4", size_bytes: size };
  const { json } = await plan(ada, video);
  t.match(json, { method: "multipart", part_size: 16 * 1024 ** 2, part_count: 129 });
  t.equal(json.parts?.length, 100, "the first 100");
  const path = `/v1/assets/uploads/${json.id}/parts`;
  const more = await ada.post<Static<typeof UploadParts>>(path, { part_numbers: [129] });
  t.match(more.json.parts, [{ part_number: 129, expires_at: "2026-04-15T13:00:00.000Z" }]);
  t.equal((await ada.post(path, { part_numbers: [130] })).status, 400);
  const last = await put(house, more.json.parts[0]?.url ?? "", new Uint8Array(1));
  t.equal(last.status, 200, "the last part is smaller");
});

t.test("an upload larger than its type allows is 413 with limit_bytes", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  for (const [mime_type, mebibytes] of [
    ["image/png", 50],
    ["audio/mpeg", 500],
    ["video/mp4", 5 * 1024],
    ["model/gltf-binary", 500],
    ["font/ttf", 20],
  ] as const) {
    const size_bytes = mebibytes * 1024 ** 2;
    t.equal((await plan(ada, { mime_type, size_bytes })).status, 201, mime_type);
    const { status, json } = await plan<Refused>(ada, { mime_type, size_bytes: size_bytes + 1 });
    t.equal(status, 413, mime_type);
    t.equal(json.limit_bytes, size_bytes);
  }
  t.equal((await plan(ada, { mime_type: "image/svg+xml" })).status, 400);
});

t.test("a direct upload has at most 100 MiB: beyond is 413 with limit_bytes", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const bytes = 100 * 1024 ** 2;
  const film = (size: number) => {
    const value = Buffer.alloc(size);
    value.write("\0\0\0\x18ftypisom", "latin1");
    return form({ name: "file", filename: "film.mp4", type: "video/mp4", value });
  };
  const { status, json } = await upload<Refused>(ada, film(bytes + 1));
  t.equal(status, 413);
  t.equal(json.limit_bytes, bytes);
  t.equal((await upload(ada, film(bytes))).status, 201);
});

t.test("DELETE /v1/assets/uploads/{id} aborts; an upload expires after 24 h", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const { json: one } = await plan(ada);
  t.equal((await ada.request("DELETE", `/v1/assets/uploads/${one.id}`)).status, 204);
  t.match((await ada.get(`/v1/assets/uploads/${one.id}`)).json, { status: "aborted" });
  t.equal((await ada.get(`/v1/assets/${one.asset_id}`)).status, 404);
  t.equal((await put(house, one.url ?? "", picture)).status, 409);
  const { json: two } = await plan(ada);
  await house.advance(86_401_000);
  t.match((await ada.get(`/v1/assets/uploads/${two.id}`)).json, { status: "expired" });
});

t.test(
  "PUT /uploads/{scope}/{id}/{part} by a signed URL that cannot be changed and expires",
  async (t) => {
    const house = await openInProcess(t);
    const ada = await house.account();
    const { json } = await plan(ada);
    const url = json.url ?? "";
    t.equal((await put(house, url.replace("/1?", "/2?"), picture)).status, 403);
    await house.advance(3_601_000);
    t.equal((await put(house, url, picture)).status, 403);
  },
);

t.test("an upload and its asset are their scope's own", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const bob = await house.account();
  const { json } = await plan(ada);
  t.equal((await bob.get(`/v1/assets/uploads/${json.id}`)).status, 404);
  t.equal((await bob.post(`/v1/assets/uploads/${json.id}/complete`, {})).status, 404);
  t.equal(
    (await bob.post(`/v1/assets/uploads/${json.id}/parts`, { part_numbers: [1] })).status,
    404,
  );
  t.equal((await bob.request("DELETE", `/v1/assets/uploads/${json.id}`)).status, 404);
});
