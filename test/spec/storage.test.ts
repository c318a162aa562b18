/** Stored bytes per account or organization. */
import t, { type Test } from "tap";
import type { Caller, Refused } from "./caller.ts";
import { page } from "./composition-steps.ts";
import { type InProcess, openInProcess } from "./in-process-service.ts";
import { createZip } from "./zip-archive.ts";

const MiB = 1024 ** 2;
const png = Buffer.concat([
  Buffer.from("89504e470d0a1a0a0000000d494844520000000100000001080200000090", "hex"),
  Buffer.from("7753de", "hex"),
]);

interface Storage {
  readonly used_bytes: number;
  readonly limit_bytes: number | null;
}

interface Made {
  readonly id: string;
}

async function openLimited(t: Test, storage_bytes: number): Promise<[InProcess, Caller]> {
  const house = await openInProcess(t);
  const ada = await house.account();
  const patch = await house.admin.patch(`/v1/admin/accounts/${ada.id}`, {
    limits: { storage_bytes },
  });
  t.match(patch, { status: 200, json: { limits: { storage_bytes } } });
  await house.settle();
  return [house, ada];
}

async function readStorage(ada: Caller): Promise<Storage> {
  const me = (await ada.get<{ storage: Storage }>("/v1/me")).json.storage;
  const limits = (await ada.get<{ storage: Storage }>("/v1/limits")).json.storage;
  if (JSON.stringify(me) !== JSON.stringify(limits)) throw new Error("/me and /limits differ");
  return me;
}

async function putFile(ada: Caller, id: string, path: string, bytes: Buffer | string) {
  return ada.request<Refused>("PUT", `/v1/compositions/${id}/file?path=${path}`, {
    body: Buffer.from(bytes),
    headers: { "content-type": "text/css" },
  });
}

t.test("/me and /limits show what is used and what the plan stores (A6)", async (t) => {
  const house = await openInProcess(t);
  const gibibytes = { free: 5, starter: 50, pro: 250, studio: 1024, team: 2048 } as const;
  for (const [plan, limit] of Object.entries(gibibytes)) {
    const ada = await house.account({ plan: plan as keyof typeof gibibytes });
    t.strictSame(await readStorage(ada), { used_bytes: 0, limit_bytes: limit * 1024 ** 3 }, plan);
  }
  const big = await house.account({ plan: "enterprise" });
  t.strictSame(await readStorage(big), { used_bytes: 0, limit_bytes: null });
});

t.test("equal files of compositions count once within a paying context (A6)", async (t) => {
  const [house, ada] = await openLimited(t, MiB);
  const { json: one } = await ada.post<Made>("/v1/compositions", {});
  await putFile(ada, one.id, "a.css", "x".repeat(1_000));
  await putFile(ada, one.id, "b.css", "x".repeat(1_000));
  t.equal((await readStorage(ada)).used_bytes, 1_000);
  const { json: two } = await ada.post<Made>(`/v1/compositions/${one.id}/clone`, {});
  t.equal((await readStorage(ada)).used_bytes, 1_000, "a clone costs nothing");
  await putFile(ada, two.id, "a.css", "y".repeat(500));
  t.equal((await readStorage(ada)).used_bytes, 1_500);
  await ada.delete(`/v1/compositions/${one.id}`);
  await house.settle();
  t.equal((await readStorage(ada)).used_bytes, 1_500, "the clone still has b.css");
  t.equal((await ada.get(`/v1/compositions/${two.id}/file?path=b.css`)).status, 200);
  await ada.delete(`/v1/compositions/${two.id}`);
  await house.settle();
  t.equal((await readStorage(ada)).used_bytes, 0);
});

t.test(
  "at the limit files, bundles, clones and renders answer 413 with limit_bytes (A6)",
  async (t) => {
    const [, ada] = await openLimited(t, 2_000);
    const { json: made } = await ada.post<Made>("/v1/compositions", {});
    const tooLarge = { status: 413, json: { title: "Payload Too Large", limit_bytes: 2_000 } };
    t.match(await putFile(ada, made.id, "a.css", "x".repeat(2_001)), tooLarge);
    const archive = createZip([{ name: "index.html", bytes: "x".repeat(2_001) }]);
    const bundle = await ada.request("POST", `/v1/compositions/${made.id}/bundle`, {
      body: archive,
      headers: { "content-type": "application/zip" },
    });
    t.match(bundle, tooLarge);
    t.equal((await putFile(ada, made.id, "a.css", "x".repeat(2_000))).status, 201);
    t.match(await ada.post(`/v1/compositions/${made.id}/clone`, {}), tooLarge);
    t.match(await putFile(ada, made.id, "b.css", "y"), tooLarge);
    await putFile(ada, made.id, "a.css", "x".repeat(1_000));
    await putFile(ada, made.id, "index.html", page().padEnd(1_000));
    t.match(await ada.post(`/v1/compositions/${made.id}/render`, {}), tooLarge);
    await ada.delete(`/v1/compositions/${made.id}/file?path=a.css`);
    t.equal((await putFile(ada, made.id, "b.css", "y")).status, 201, "what was deleted makes room");
  },
);

t.test(
  "at the limit uploads and submits answer 413, and accepted work is stored (A6)",
  async (t) => {
    const [house, ada] = await openLimited(t, 1_000);
    const job = await ada.job("sim:slow=1000");
    const upload = { filename: "a.png", mime_type: "image/png", size_bytes: 1_000 };
    const { status, json } = await ada.post<{ id: string; asset_id: string }>(
      "/v1/assets/uploads",
      upload,
    );
    t.equal(status, 201);
    t.equal((await readStorage(ada)).used_bytes, 1_000, "an upload counts from its beginning");
    const tooLarge = { status: 413, json: { limit_bytes: 1_000 } };
    t.match(await ada.post("/v1/assets/uploads", upload), tooLarge);
    t.match(await ada.submit("a kite"), tooLarge);
    const body = ["--b", 'Content-Disposition: form-data; name="file"; filename="a.png"', "", ""];
    const form = Buffer.concat([Buffer.from(body.join("\r\n")), png, Buffer.from("\r\n--b--\r\n")]);
    const direct = await ada.request("POST", "/v1/assets", {
      body: form,
      headers: { "content-type": "multipart/form-data; boundary=b" },
    });
    t.match(direct, tooLarge);
    await house.advance(1_250);
    t.equal((await ada.read(job.id)).status, "succeeded");
    await ada.delete(`/v1/assets/uploads/${json.id}`);
    await house.settle();
    t.equal((await readStorage(ada)).used_bytes, 0);
    t.equal((await ada.submit("a kite")).status, 202);
  },
);
