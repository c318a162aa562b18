import t from "tap";
import type { Static } from "../../config/schema.ts";
import type {
  Composition,
  CompositionFile,
  CompositionPage,
  EffectiveTimeline,
  SignedUrls,
} from "../../contract/composition.ts";
import type { Caller, Refused } from "./caller.ts";
import { make, page, putFile } from "./composition-steps.ts";
import { type InProcess, openInProcess } from "./in-process-service.ts";

type Page = Static<typeof CompositionPage>;
const all = "/v1/compositions";

t.test("POST /v1/compositions makes an empty composition", async (t) => {
  const house = await openInProcess(t);
  const caller = await house.account();
  const body = { name: "Kites", description: "Over dunes", project_id: "p-1" };
  const meta = { series: "summer", version: 3, notes: { kept: null } };
  const { status, json, headers } = await caller.post<Composition>(all, { ...body, meta });
  t.equal(status, 201);
  t.equal(headers["location"], `https://klieg.example/v1/compositions/${json.id}`);
  t.match(json, { ...body, meta, files: [], total_bytes: 0, revision: 1, frame_rate: 30 });
  t.match(json, { user_id: caller.id, width: null, height: null, duration_seconds: null });
  t.match(json, { created_at: "2026-04-15T12:00:00.000Z", updated_at: "2026-04-15T12:00:00.000Z" });
  t.same((await caller.get<Composition>(`${all}/${json.id}`)).json, json);
});

t.test("a width or a height writes a minimal index.html of that size", async (t) => {
  const caller = await (await openInProcess(t)).account();
  const { json } = await caller.post<Composition>(all, { width: 640 });
  t.match(json, { width: 640, height: 1080, duration_seconds: 5, name: "Untitled" });
  t.match(json.files, [{ path: "index.html", role: "entry", mime_type: "text/html" }]);
  const blank = await caller.post<Composition>(all, { template: "blank_html" });
  t.match(blank.json.files, [{ path: "index.html" }]);
  t.strictSame((await caller.post<Composition>(all, { template: "empty" })).json.files, []);
  const refused = await caller.post(all, { width: 640, template: "empty" });
  t.equal(refused.status, 400);
  t.equal(refused.json.errors?.[0]?.pointer, "/template");
});

t.test("members of a composition are bounded, and a refusal names the field", async (t) => {
  const caller = await (await openInProcess(t)).account();
  let deep: object = {};
  for (let depth = 0; depth < 8; depth++) deep = { deep };
  for (const [body, pointer] of [
    [{ name: "" }, "/name"],
    [{ name: "a".repeat(201) }, "/name"],
    [{ description: "a".repeat(4_001) }, "/description"],
    [{ project_id: "a".repeat(129) }, "/project_id"],
    [{ meta: { series: 3 } }, "/meta/series"],
    [{ meta: { series: "a".repeat(201) } }, "/meta/series"],
    [{ meta: { version: {} } }, "/meta/version"],
    [{ meta: { a: "a".repeat(16_384) } }, "/meta"],
    [{ meta: deep }, "/meta"],
    [{ width: 15 }, "/width"],
    [{ height: 7_681 }, "/height"],
    [{ template: "film" }, "/template"],
    [{ tags: [] }, "/tags"],
  ] as const) {
    const { status, json } = await caller.post(all, body);
    t.equal(status, 400, pointer);
    t.equal(json.errors?.[0]?.pointer, pointer);
  }
});

t.test("width, height, length and rate of a composition are those of its root", async (t) => {
  const caller = await (await openInProcess(t)).account();
  const id = await make(caller, { "index.html": page({ fps: 24, seconds: 3 }) });
  const { json } = await caller.get<Composition>(`${all}/${id}`);
  t.match(json, { width: 320, height: 180, frame_rate: 24, duration_seconds: 3, revision: 2 });
  await putFile(caller, id, "index.html", page({ seconds: 4 }));
  const [listed] = (await caller.get<Page>(all)).json.items;
  t.match(listed, { frame_rate: 30, duration_seconds: 4, revision: 3 });
});

t.test("GET /v1/compositions lists newest first, without files, page by page", async (t) => {
  const caller = await (await openInProcess(t)).account();
  const ids: string[] = [];
  for (let at = 0; at < 5; at++)
    ids.unshift((await caller.post<Composition>(all, { name: `Film ${at}` })).json.id);
  const first = (await caller.get<Page>(`${all}?limit=3`)).json;
  t.strictSame(
    first.items.map(({ id }) => id),
    ids.slice(0, 3),
  );
  t.equal(first.total, 5);
  t.notOk(first.items.some((item) => "files" in item));
  const rest = (await caller.get<Page>(`${all}?limit=3&cursor=${first.next_cursor}`)).json;
  t.strictSame(
    rest.items.map(({ id }) => id),
    ids.slice(3),
  );
  t.equal(rest.next_cursor, null);
  for (const query of ["limit=0", "limit=201", "cursor=x", "color=red"])
    t.equal((await caller.get(`${all}?${query}`)).status, 400, query);
});

t.test("series filters by meta.series, and q by name and description", async (t) => {
  const caller = await (await openInProcess(t)).account();
  for (const [name, series] of [
    ["Red kite", "birds"],
    ["Blue kite", "toys"],
    ["Gull", "birds"],
  ])
    await caller.post(all, { name, meta: { series } });
  const names = async (query: string) => {
    const { items, total } = (await caller.get<Page>(`${all}?${query}`)).json;
    return [items.map(({ name }) => name), total];
  };
  t.strictSame(await names("series=birds"), [["Gull", "Red kite"], 2]);
  t.strictSame(await names("series=birds&limit=1"), [["Gull"], 2]);
  t.strictSame(await names("q=KITE"), [["Blue kite", "Red kite"], 2]);
  t.strictSame(await names("q=kite&series=toys"), [["Blue kite"], 1]);
});

t.test("PATCH changes what is given; meta_patch merges, null deletes", async (t) => {
  const caller = await (await openInProcess(t)).account();
  const body = { name: "Kites", description: "Wind", meta: { series: "a", version: "1" } };
  const { id, revision } = (await caller.post<Composition>(all, body)).json;
  const path = `${all}/${id}`;
  const merged = await caller.patch<Composition>(path, {
    description: null,
    meta_patch: { version: null, note: { x: null } },
  });
  t.match(merged.json, { name: "Kites", description: null, revision });
  t.strictSame(merged.json.meta, { series: "a", note: { x: null } });
  const replaced = await caller.patch<Composition>(path, { name: "Gulls", meta: { b: 1 } });
  t.strictSame(replaced.json.meta, { b: 1 });
  t.equal(replaced.json.name, "Gulls");
  t.equal((await caller.patch(path, { meta: {}, meta_patch: {} })).status, 400);
  const long = await caller.patch(path, { meta_patch: { a: "a".repeat(16_384) } });
  t.equal(long.json.errors?.[0]?.pointer, "/meta_patch");
});

t.test("a composition has a strong ETag: 304 on match, 412 on an If-Match of old", async (t) => {
  const caller = await (await openInProcess(t)).account();
  const id = await make(caller, {});
  const path = `${all}/${id}`;
  const first = await caller.get<Composition>(path);
  const etag = first.headers["etag"] ?? "";
  t.match(etag, /^"[^"]+"$/);
  t.equal((await caller.get(path, { "if-none-match": etag })).status, 304);
  const change = (method: string, tag: string) =>
    caller.request<Refused>(method, path, {
      ...(method === "PATCH" ? { body: { name: "New" } } : {}),
      headers: { "if-match": tag },
    });
  t.equal((await change("PATCH", etag)).status, 200);
  t.equal((await caller.get(path, { "if-none-match": etag })).status, 200);
  for (const method of ["PATCH", "DELETE"]) {
    const { status, json } = await change(method, etag);
    t.equal(status, 412);
    t.equal(json.title, "Precondition Failed");
  }
  const now = (await caller.get(path)).headers["etag"] ?? "";
  t.equal((await change("DELETE", now)).status, 204);
  t.equal((await caller.get(path)).status, 404);
  t.equal((await caller.get<Page>(all)).json.total, 0);
});

t.test("a composition that is deleted takes its files along", async (t) => {
  const house = await openInProcess(t);
  const caller = await house.account();
  const id = await make(caller, { "index.html": page(), "a.txt": "kite" });
  const links = await caller.post<SignedUrls>(`${all}/${id}/files:signed-urls`, {});
  t.equal((await caller.delete(`${all}/${id}`)).status, 204);
  await house.settle();
  for (const { url } of links.json.files) t.equal((await house.stranger.get(url)).status, 404, url);
  t.equal((await caller.get(`${all}/${id}/file?path=a.txt`)).status, 404);
});

/** Makes a picture; returns it with markup that shows it. */
async function addPicture(house: InProcess, caller: Caller) {
  const job = await caller.job("a kite");
  await house.settle();
  const asset = (await caller.read(job.id)).asset?.id ?? "";
  const inside = `<img id="p" data-asset-id="${asset}" data-start="0" data-duration="1">`;
  return { asset, inside };
}

t.test("signed URLs lead to files and assets; what is not there is missing", async (t) => {
  const house = await openInProcess(t);
  const caller = await house.account();
  const { asset, inside } = await addPicture(house, caller);
  const id = await make(caller, { "index.html": page({ inside }), "a/b.txt": "kite" });
  const path = `${all}/${id}/files:signed-urls`;
  const { json } = await caller.post<SignedUrls>(path, {});
  t.strictSame(
    json.files.map((file) => file.path),
    ["a/b.txt", "index.html"],
  );
  t.match(json.assets, [{ asset_id: asset, mime_type: "image/png" }]);
  t.equal(json.files[0]?.expires_at, "2026-04-15T13:00:00.000Z", "links live 3600 s");
  t.equal((await house.stranger.get(json.files[0]?.url ?? "")).text, "kite");
  t.equal((await house.stranger.get(json.assets[0]?.url ?? "")).status, 200);
  const named = await caller.post<SignedUrls>(path, {
    paths: ["a/b.txt", "none"],
    asset_ids: [id],
  });
  t.match(named.json, { files: [{ path: "a/b.txt", size_bytes: 4 }], missing: ["none", id] });
  const many = Array.from({ length: 501 }, (_, at) => `${at}`);
  t.equal((await caller.post(path, { paths: many })).status, 400);
});

t.test("signed URLs lead to assets only for those who may read assets", async (t) => {
  const house = await openInProcess(t);
  const caller = await house.account();
  const { asset, inside } = await addPicture(house, caller);
  const id = await make(caller, { "index.html": page({ inside }) });
  const token = { name: "x", scopes: ["compositions"] };
  const narrow = caller.asHolder(
    (await caller.post<{ token: string }>("/v1/tokens", token)).json.token,
  );
  for (const wanted of [{}, { asset_ids: [asset] }]) {
    const { json } = await narrow.post<SignedUrls>(`${all}/${id}/files:signed-urls`, wanted);
    t.match(json, { assets: [], missing: [asset] });
    t.equal(json.files.length, "asset_ids" in wanted ? 0 : 1);
  }
});

t.test("a clone has the files but not the edits, and says what it was made of", async (t) => {
  const caller = await (await openInProcess(t)).account();
  const body = { name: "Kites", meta: { series: "a", version: 1 } };
  const id = (await caller.post<Composition>(all, body)).json.id;
  for (const [path, text] of [
    ["index.html", page()],
    ["klieg-edits.json", "{}"],
    ["a.txt", "kite"],
  ] as const)
    await putFile(caller, id, path, text);
  const clone = await caller.post<Composition>(`${all}/${id}/clone`, {
    meta_patch: { version: null, take: 2 },
  });
  t.equal(clone.status, 201);
  t.match(clone.json, { name: "Kites copy", cloned_from: id, meta: { series: "a", take: 2 } });
  const paths = (files: readonly CompositionFile[] = []) => files.map(({ path }) => path);
  t.strictSame(paths(clone.json.files), ["a.txt", "index.html"]);
  t.equal((await caller.delete(`${all}/${id}`)).status, 204);
  const { text } = await caller.get(`${all}/${clone.json.id}/file?path=a.txt`);
  t.equal(text, "kite");
});

t.test("GET /v1/compositions/{id}/timeline shows clips with edits, and diagnostics", async (t) => {
  const caller = await (await openInProcess(t)).account();
  const inside =
    '<div id="a" class="clip" data-start="0" data-duration="1"></div>' +
    '<video id="v" src="none.mp4" data-start="a" data-duration="1" data-track-index="1"></video>' +
    '<div id="host" data-composition-id="in" data-start="0" data-duration="1" data-media-start="2"' +
    ' data-playback-rate="2"><p id="p" class="clip" data-start="2" data-duration="1"></p></div>';
  const edits = { version: 1, clips: { a: { duration: 1.5 } } };
  const id = await make(caller, {
    "index.html": page({ inside }),
    "klieg-edits.json": JSON.stringify(edits),
  });
  const { json } = await caller.get<EffectiveTimeline>(`${all}/${id}/timeline`);
  t.match(json, { width: 320, height: 180, frame_rate: 30, duration_seconds: 2 });
  t.match(json.clips, [
    { id: "a", kind: "element", start_seconds: 0, end_seconds: 1.5 },
    { id: "v", kind: "video", start_seconds: 1.5, path: "none.mp4", audio_role: "clip" },
    { id: "host", composition_key: "", media_start_seconds: 2, playback_rate: 2 },
    { id: "p", start_seconds: 0, end_seconds: 0.5, composition_key: json.clips[2]?.key },
  ]);
  t.match(json.diagnostics, [{ code: "missing_file", severity: "warning", path: "index.html" }]);
});

t.test("a timeline whose edits are replaced while it is read is the newer one", async (t) => {
  const house = await openInProcess(t);
  const caller = await house.account();
  const clip = '<p id="a" class="clip" data-start="0" data-duration="1"></p>';
  const files = { "index.html": page({ inside: clip }), "klieg-edits.json": '{"version":1}' };
  const id = await make(caller, files);
  const { objects } = house.service;
  const read = objects.read;
  let isReplaced = false;
  objects.read = async function* (key, range) {
    if (!isReplaced && range.end === files["klieg-edits.json"].length) {
      isReplaced = true;
      const edits = '{"version":1,"clips":{"a":{"start":0.5}}}';
      t.equal((await putFile(caller, id, "klieg-edits.json", edits)).status, 200);
      await objects.remove(key);
    }
    yield* read(key, range);
  };
  const { status, json } = await caller.get<EffectiveTimeline>(`${all}/${id}/timeline`);
  t.equal(status, 200);
  t.ok(isReplaced);
  t.match(json.clips, [{ id: "a", start_seconds: 0.5 }]);
});

t.test("below the free disk that is kept, files are refused and reads go on", async (t) => {
  const house = await openInProcess(t);
  const caller = await house.account();
  const id = await make(caller, { "index.html": page() });
  house.service.health.isDiskLow = true;
  const { status } = await caller.request("PUT", `${all}/${id}/file?path=a.txt`, { body: "a" });
  t.equal(status, 503);
  t.equal((await caller.post(`${all}/${id}/render`, {})).status, 503);
  const upload = { filename: "a.png", mime_type: "image/png", size_bytes: 100 };
  t.equal((await caller.post("/v1/assets/uploads", upload)).status, 503);
  t.equal((await caller.get(`${all}/${id}`)).status, 200);
});
