import { join } from "node:path";
import t from "tap";
import { objectKeyFor } from "../../actors/protocol/bundle-file.ts";
import { createArchive } from "../../cli/folder-archive.ts";
import { limits } from "../../config/limits.ts";
import type { Composition, CompositionFile } from "../../contract/composition.ts";
import { parseId } from "../../engine/id.ts";
import { invariant } from "../../engine/invariant.ts";
import { reserve, storeFile } from "../../http/compositions/composition-storing.ts";
import type { Caller, Refused, Reply } from "./caller.ts";
import { make, page, putFile } from "./composition-steps.ts";
import { openInProcess } from "./in-process-service.ts";
import { createZip, type ZipEntry } from "./zip-archive.ts";

function place(id: string, path: string): string {
  return `/v1/compositions/${id}/file?path=${encodeURIComponent(path)}`;
}

async function read(caller: Caller, id: string): Promise<Composition> {
  return (await caller.get<Composition>(`/v1/compositions/${id}`)).json;
}

async function readPaths(caller: Caller, id: string): Promise<string[]> {
  return ((await read(caller, id)).files ?? []).map(({ path }) => path);
}

function bundle<T = Composition>(
  caller: Caller,
  id: string,
  body: string | Uint8Array,
  type = "application/zip",
): Promise<Reply<T>> {
  const headers = { "content-type": type };
  return caller.request<T>("POST", `/v1/compositions/${id}/bundle`, { body, headers });
}

t.test(
  "PUT .../file answers 201 for a new file, 200 for another, and raises revision",
  async (t) => {
    const caller = await (await openInProcess(t)).account();
    const id = await make(caller, {});
    const first = await putFile(caller, id, "sub/main.html", "<p>");
    t.equal(first.status, 201);
    t.match(first.json, { path: "sub/main.html", size_bytes: 3, mime_type: "text/html" });
    t.equal(first.headers["etag"], first.json.etag);
    const second = await putFile(caller, id, "sub/main.html", "<p></p>");
    t.equal(second.status, 200);
    t.not(second.json.etag, first.json.etag);
    const { revision, total_bytes: bytes, files = [] } = await read(caller, id);
    t.strictSame([revision, bytes, files.length], [3, 7, 1]);
  },
);

t.test("files are listed by path, each with its role and type", async (t) => {
  const caller = await (await openInProcess(t)).account();
  const id = await make(caller, {
    "index.html": page(),
    "klieg-edits.json": "{}",
    "B.png": "x",
    "sub.html": "<p>",
    "a.js": "1",
    plain: "x",
  });
  const { files = [] } = await read(caller, id);
  t.strictSame(
    files.map(({ path, role, mime_type }) => `${path} ${role} ${mime_type}`),
    [
      "B.png media image/png",
      "a.js other text/javascript",
      "index.html entry text/html",
      "klieg-edits.json edits application/json",
      "plain other application/octet-stream",
      "sub.html composition text/html",
    ],
  );
  t.match(files[0], { size_bytes: 1, etag: /^"/, updated_at: "2026-04-15T12:00:00.000Z" });
});

t.test("a Content-Type is believed only where the name says nothing", async (t) => {
  const caller = await (await openInProcess(t)).account();
  const id = await make(caller, {});
  const type = async (path: string, declared: string) => {
    const headers = { "content-type": declared };
    return (await putFile(caller, id, path, "x", headers)).json.mime_type;
  };
  t.equal(await type("a.html", "application/x-www-form-urlencoded"), "text/html");
  t.equal(await type("a.xyz", "image/X-thing; q=1"), "image/x-thing");
  t.equal(await type("b.xyz", "nonsense"), "application/octet-stream");
});

for (const [path, says] of [
  ["", "must not be empty"],
  ["/a", "must be relative"],
  ["a//b", "segment"],
  ["a/", "segment"],
  ["./a", "segment"],
  ["a/../b", "segment"],
  ["..", "segment"],
  ["a\\b", "between"],
  ["a\u0000b", "control"],
  ["a\nb", "control"],
  ["e\u0301.txt", "NFC"],
  ["a".repeat(513), "512 bytes"],
  ["\u00e9".repeat(257), "512 bytes"],
] as const)
  t.test(`the path ${JSON.stringify(path.slice(0, 12))} is refused: ${says}`, async (t) => {
    const caller = await (await openInProcess(t)).account();
    const id = await make(caller, {});
    for (const method of ["PUT", "GET", "DELETE"]) {
      const { status, json } = await caller.request<Refused>(method, place(id, path));
      t.equal(status, 400);
      t.equal(json.errors?.[0]?.pointer, "?path");
      t.match(json.errors?.[0]?.detail, says);
    }
  });

t.test("a path may be any other UTF-8 of 512 bytes, and is case sensitive", async (t) => {
  const caller = await (await openInProcess(t)).account();
  const id = await make(caller, {});
  const paths = [
    "\u00e9t\u00e9/f\u00fcr %41 & co?.txt",
    "A",
    "a",
    "b".repeat(512),
    "..a",
    "\u{1f3ac}.txt",
  ];
  for (const path of paths) t.equal((await putFile(caller, id, path, path)).status, 201, path);
  t.strictSame((await readPaths(caller, id)).sort(), [...paths].sort());
  for (const path of paths) t.equal((await caller.get(place(id, path))).text, path);
  t.equal((await caller.request("PUT", `/v1/compositions/${id}/file`)).status, 400);
  const broken = await caller.request("PUT", `/v1/compositions/${id}/file?path=%ff`);
  t.equal(broken.status, 400, "no UTF-8");
});

t.test("GET .../file gives the bytes, sandboxed, with Range and ETag", async (t) => {
  const caller = await (await openInProcess(t)).account();
  const id = await make(caller, { "index.html": page(), "a.txt": "0123456789" });
  const html = await caller.get(place(id, "index.html"));
  t.equal(html.text, page());
  t.equal(html.headers["content-type"], "text/html");
  t.equal(html.headers["content-security-policy"], "default-src 'none'; sandbox");
  t.equal(html.headers["x-content-type-options"], "nosniff");
  const part = await caller.get(place(id, "a.txt"), { range: "bytes=2-4" });
  t.strictSame([part.status, part.text], [206, "234"]);
  t.equal((await caller.get(place(id, "a.txt"), { range: "bytes=99-" })).status, 416);
  const etag = html.headers["etag"] ?? "";
  t.equal((await caller.get(place(id, "index.html"), { "if-none-match": etag })).status, 304);
  t.equal((await caller.get(place(id, "none"))).status, 404);
});

t.test("DELETE .../file answers 204, and 404 for what is not there", async (t) => {
  const caller = await (await openInProcess(t)).account();
  const id = await make(caller, { a: "1", b: "22" });
  t.equal((await caller.delete(place(id, "a"))).status, 204);
  t.equal((await caller.delete(place(id, "a"))).status, 404);
  t.equal((await caller.get(place(id, "a"))).status, 404);
  const { revision, total_bytes: bytes } = await read(caller, id);
  t.strictSame([revision, bytes], [4, 2]);
});

t.test("If-Match and If-None-Match decide whether a file is written: 412", async (t) => {
  const house = await openInProcess(t);
  const caller = await house.account();
  const id = await make(caller, {});
  const put = (headers: Readonly<Record<string, string>>, body = "x") =>
    putFile<CompositionFile>(caller, id, "a", body, headers);
  t.equal((await put({ "if-match": "*" })).status, 412, "nothing is there");
  const { json } = await put({ "if-none-match": "*" });
  t.equal((await put({ "if-none-match": "*" })).status, 412, "it is there");
  t.equal((await put({ "if-match": '"other"' })).status, 412);
  t.equal((await put({ "if-match": `W/${json.etag}` })).status, 412, "weak tags never match");
  t.equal((await put({ "if-match": `"other", ${json.etag}` }, "y")).status, 200);
  const remove = (tag: string) =>
    caller.request("DELETE", place(id, "a"), { headers: { "if-match": tag } });
  t.equal((await remove(json.etag)).status, 412, "it is another now");
  t.equal((await remove("*")).status, 204);
  t.equal((await read(caller, id)).revision, 4, "what was refused changed nothing");
});

t.test("of two writers with one If-Match one wins", async (t) => {
  const caller = await (await openInProcess(t)).account();
  const id = await make(caller, { a: "0" });
  const etag = (await caller.get(place(id, "a"))).headers["etag"] ?? "";
  const bodies = ["1", "2", "3", "4"];
  const replies = await Promise.all(
    bodies.map((body) => putFile(caller, id, "a", body, { "if-match": etag })),
  );
  t.strictSame(replies.map(({ status }) => status).sort(), [200, 412, 412, 412]);
});

t.test("text may have 5 MiB a file, media 100 MiB: beyond is 413", async (t) => {
  const caller = await (await openInProcess(t)).account();
  const id = await make(caller, {});
  const textBytesMax = 5 * 1024 ** 2;
  for (const path of ["a.html", "a.css", "a.js", "a.json"]) {
    const reply = await putFile<Refused>(caller, id, path, Buffer.alloc(textBytesMax + 1));
    t.equal(reply.status, 413, path);
    t.equal(reply.json.limit_bytes, textBytesMax);
  }
  t.equal((await putFile(caller, id, "b.html", Buffer.alloc(textBytesMax))).status, 201);
  const mediaBytesMax = 100 * 1024 ** 2;
  t.equal((await putFile(caller, id, "a.png", Buffer.alloc(mediaBytesMax))).status, 201);
  const large = await putFile<Refused>(caller, id, "b.png", Buffer.alloc(mediaBytesMax + 1));
  t.match(large, { status: 413, json: { limit_bytes: mediaBytesMax } });
});

t.test("POST .../bundle replaces all files at once", async (t) => {
  const house = await openInProcess(t);
  const caller = await house.account();
  const id = await make(caller, { old: "1", "index.html": "<p>" });
  const zip = createZip([
    { name: "media/", mode: 0o040755 },
    { name: "index.html", bytes: page({ seconds: 7 }) },
    { name: "media/e\u0301.txt", bytes: "kite" },
  ]);
  const { status, json } = await bundle(caller, id, zip);
  t.equal(status, 200);
  t.match(json, { revision: 4, duration_seconds: 7 });
  t.strictSame(await readPaths(caller, id), ["index.html", "media/\u00e9.txt"]);
  t.equal((await caller.get(place(id, "media/\u00e9.txt"))).text, "kite");
  t.equal((await caller.get(place(id, "old"))).status, 404);
  t.equal((await bundle(caller, id, createZip([]))).json.total_bytes, 0);
});

t.test("a folder is taken as the archive that klieg render sends", async (t) => {
  const caller = await (await openInProcess(t)).account();
  const id = await make(caller, {});
  const folder = t.testdir({ "index.html": page({ seconds: 7 }), "é.txt": "kite" });
  const files = new Map(["index.html", "é.txt"].map((path) => [path, join(folder, path)]));
  const archive = await new Response(createArchive(files)).arrayBuffer();
  const { status, json } = await bundle(caller, id, new Uint8Array(archive));
  t.equal(status, 200);
  t.match(json, { duration_seconds: 7 });
  t.equal((await caller.get(place(id, "é.txt"))).text, "kite");
});

const megabytes = (count: number) => Buffer.alloc(count * 1024 ** 2);
const hostile: readonly (readonly [string, readonly ZipEntry[] | string, number])[] = [
  ["no archive at all", "PK nonsense", 400],
  ["nothing", "", 400],
  ["a path above the root", [{ name: "../a" }], 400],
  ["a path from the root", [{ name: "/etc/passwd" }], 400],
  ["a drive", [{ name: "c:/a" }], 400],
  ["a backslash", [{ name: "a\\b" }], 400],
  ["a control character", [{ name: "a\u0001" }], 400],
  ["a symbolic link", [{ name: "a", bytes: "/etc/passwd", mode: 0o120777 }], 400],
  ["a device", [{ name: "a", mode: 0o020666 }], 400],
  ["one path twice", [{ name: "a" }, { name: "a" }], 400],
  ["an encrypted entry", [{ name: "a", isEncrypted: true }], 400],
  ["an unknown compression", [{ name: "a", method: 12 }], 400],
  ["an entry that says too little", [{ name: "a.txt", bytes: megabytes(8), claimedBytes: 9 }], 400],
  ["an entry that says too much", [{ name: "a", bytes: "x", claimedBytes: 9 }], 400],
  ["text that is too long", [{ name: "a.html", bytes: megabytes(6) }], 413],
  ["media that are too long", [{ name: "a.png", claimedBytes: 101 * 1024 ** 2 }], 413],
  [
    "too many bytes together",
    Array.from({ length: 11 }, (_, at) => ({ name: `${at}`, claimedBytes: 99 * 1024 ** 2 })),
    413,
  ],
  ["too many files", Array.from({ length: 2_001 }, (_, at) => ({ name: `${at}` })), 413],
];

for (const [what, content, expected] of hostile)
  t.test(`an archive with ${what} is refused and leaves all as it was`, async (t) => {
    const caller = await (await openInProcess(t)).account();
    const id = await make(caller, { old: "1" });
    const body = typeof content === "string" ? content : createZip([{ name: "ok" }, ...content]);
    const reply = await bundle<Refused>(caller, id, body);
    t.equal(reply.status, expected, reply.text);
    t.strictSame(await readPaths(caller, id), ["old"]);
    t.equal((await read(caller, id)).revision, 2);
  });

t.test("a bundle that is no application/zip is 415", async (t) => {
  const caller = await (await openInProcess(t)).account();
  const id = await make(caller, {});
  const reply = await bundle<Refused>(caller, id, createZip([]), "application/json");
  t.equal(reply.status, 415);
  t.match(reply.json.detail, /application\/zip/);
});

t.test(
  "a composition of 2,000 files is replaced, copied and deleted; one more is 413",
  async (t) => {
    const house = await openInProcess(t);
    const caller = await house.account();
    const id = await make(caller, {});
    const names = Array.from({ length: 2_000 }, (_, at) => `${"d".repeat(80)}/${at}.txt`);
    const entries = names.map((name) => ({ name, bytes: "x" }));
    t.equal((await bundle(caller, id, createZip(entries))).status, 200);
    t.equal((await bundle(caller, id, createZip(entries))).status, 200);
    const more = await putFile<Refused>(caller, id, "one-more", "x");
    t.equal(more.status, 413);
    t.match(more.json.detail, /2000 files/);
    t.equal((await putFile(caller, id, names[7] ?? "", "y")).status, 200, "another of the same");
    const clone = await caller.post<Composition>(`/v1/compositions/${id}/clone`, {});
    t.equal(clone.json.files?.length, 2_000);
    t.equal((await caller.delete(`/v1/compositions/${id}`)).status, 204);
    await house.settle();
    t.equal((await read(caller, clone.json.id)).total_bytes, 2_000);
  },
);

t.test("what a render reads stays while all files are replaced, up to a bound", async (t) => {
  const house = await openInProcess(t);
  const caller = await house.account();
  const id = await make(caller, {});
  const zip = (name: string) => {
    const long = "d".repeat(85);
    const more = Array.from({ length: 1_999 }, (_, at) => ({ name: `${long}/${name}${at}.txt` }));
    return createZip([{ name: "index.html", bytes: page() }, ...more]);
  };
  const replace = async (name: string) => (await bundle(caller, id, zip(name))).status;
  t.equal(await replace("a"), 200);
  const render = await caller.post<{ id: string }>(`/v1/compositions/${id}/render`, {});
  t.strictSame([await replace("b"), await replace("c"), await replace("d")], [200, 200, 409]);
  await caller.post(`/v1/renders/${render.json.id}/cancel`);
  t.equal(await replace("e"), 200);
  t.equal((await caller.delete(`/v1/compositions/${id}`)).status, 204);
});

t.test("the paths of a bundle may not be too long together: 413", async (t) => {
  const caller = await (await openInProcess(t)).account();
  const id = await make(caller, {});
  const entries = Array.from({ length: 500 }, (_, at) => ({ name: `${"p".repeat(500)}${at}` }));
  t.equal((await bundle(caller, id, createZip(entries))).status, 413);
});

t.test("what a crash leaves of an upload goes within a day, what was accepted stays", async (t) => {
  const house = await openInProcess(t);
  const { service } = house;
  const caller = await house.account();
  const id = await make(caller, { "index.html": page() });
  const [composition, scope] = [parseId(id), parseId(caller.id)];
  invariant(composition !== undefined && scope !== undefined, "ids are ids");
  const bundled = await bundle(caller, id, createZip([{ name: "index.html", bytes: page() }]));
  t.equal(bundled.status, 200);
  const clone = await caller.post<Composition>(`/v1/compositions/${id}/clone`, {});
  const incoming = await reserve(service, { id: composition, scope }, ["a.txt", "b.txt"]);
  // The test stops here: the process died while it stored the second object.
  const { object } = await storeFile(service, incoming, "a.txt", [Buffer.from("kite")]);
  const key = objectKeyFor(composition, { object });
  await house.advance(limits.compositions.reservedMs - 60_000);
  t.match(await service.objects.stat(key), { sizeBytes: 4 });
  await house.advance(120_000);
  t.equal(await service.objects.stat(key), undefined);
  for (const one of [id, clone.json.id])
    t.equal((await caller.get(place(one, "index.html"))).text, page(), "accepted files stay");
});

t.test(
  "files that took longer than their reservation are refused, and nothing of them stays",
  async (t) => {
    const house = await openInProcess(t);
    const { service } = house;
    const caller = await house.account();
    const id = await make(caller, {});
    const kept = service.objects.put;
    const keys: string[] = [];
    t.teardown(() => Object.assign(service.objects, { put: kept }));
    Object.assign(service.objects, {
      put: async (...given: Parameters<typeof kept>) => {
        keys.push(given[0]);
        const stored = await kept(...given);
        await house.advance(limits.compositions.reservedMs);
        return stored;
      },
    });
    const late = await putFile<Refused>(caller, id, "a.txt", "kite");
    t.match(late, {
      status: 409,
      json: { detail: "The files took too long to arrive; send them again." },
    });
    await house.settle();
    t.equal(keys.length, 1);
    t.equal(await service.objects.stat(keys[0] ?? ""), undefined);
    t.strictSame(await readPaths(caller, id), []);
  },
);
