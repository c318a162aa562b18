/** `GET /compositions/{id}/export`: its archive, its refusals, and who gets which links. */
import t, { type Test } from "tap";
import { limits } from "../../config/limits.ts";
import type { ExportManifest } from "../../contract/composition.ts";
import type { CreatedToken } from "../../contract/token.ts";
import { invariant } from "../../engine/invariant.ts";
import { effectiveTimeline } from "../../timeline/timeline.ts";
import { getPlace } from "../timeline/export-source.ts";
import type { Caller, Refused, Reply } from "./caller.ts";
import { make, page, putFile } from "./composition-steps.ts";
import type { FarmDouble } from "./farm-double.ts";
import { type InProcess, openInProcess } from "./in-process-service.ts";
import { type Unzipped, unzip } from "./unzip.ts";

const video = '<video id="v" src="sea.mp4" data-start="0" data-duration="2"></video>';
const edits = {
  version: 1,
  clips: { v: { grade: { preset: "warm" } } },
  texts: [{ id: "t", text: "Sea", start: 0, duration: 1 }],
};

interface Opened {
  readonly house: InProcess;
  readonly node: FarmDouble;
  readonly caller: Caller;
  readonly id: string;
  readonly files: Readonly<Record<string, string>>;
}

async function open(t: Test, inside = video): Promise<Opened> {
  const house = await openInProcess(t);
  const caller = await house.account();
  const files = {
    "index.html": `<body style="background:#000">${page({ inside })}</body>`,
    "sea.mp4": "a film",
    "klieg-edits.json": JSON.stringify(edits),
  };
  return { house, node: house.farmNode(), caller, id: await make(caller, files), files };
}

const getPath = (id: string, format: string) => `/v1/compositions/${id}/export?format=${format}`;

/** Reads what a farm node finds in an export. */
function readMeasurement({ files }: Opened) {
  const named: Readonly<Record<string, string | undefined>> = files;
  const timeline = effectiveTimeline({ entry: "index.html", read: (path) => named[path] });
  const [key = ""] = timeline.clips.map((clip) => clip.key);
  const picture = Buffer.alloc(64);
  picture.writeUInt32BE(80, 16);
  picture.writeUInt32BE(40, 20);
  return {
    timeline,
    places: { [key]: getPlace({ box: { width: 320, height: 180 } }) },
    media: { "sea.mp4": { width: 640, height: 360, seconds: 2, channels: 2 } },
    texts: [
      {
        id: "t",
        box: { width: 40, height: 20 },
        baseline: 16,
        lines: ["Sea"],
        margin: 10,
        color: [255, 255, 255, 1],
        picture: picture.toString("base64"),
      },
    ],
    warnings: [],
  };
}

async function requestExport(
  stage: Opened,
  format = "fcpxml",
  caller = stage.caller,
): Promise<Reply<Refused>> {
  const asked = caller.get<Refused>(getPath(stage.id, format));
  await stage.house.settle();
  await stage.node.measure(readMeasurement(stage));
  const reply = await asked;
  await stage.house.settle();
  return reply;
}

function manifestIn(files: readonly Unzipped[]): ExportManifest {
  const found = files.find(({ path }) => path === "manifest.json");
  invariant(found !== undefined, "the archive has a manifest");
  return JSON.parse(found.bytes.toString("utf8"));
}

t.test("GET /v1/compositions/{id}/export?format=fcpxml is a ZIP in its fixed order", async (t) => {
  const stage = await open(t);
  const { status, headers, bytes } = await requestExport(stage);
  t.equal(status, 200);
  t.equal(headers["content-type"], "application/zip");
  t.equal(headers["content-disposition"], 'attachment; filename="untitled-fcpxml.zip"');
  t.equal(headers["cache-control"], "no-store");
  const files = unzip(bytes);
  t.strictSame(
    files.map(({ path, method }) => `${path} ${method}`),
    [
      ...["README.txt 8", "manifest.json 8", "sequence.xml 8"],
      ...["text/0001-t.png 8", "luts/0001-video-v.cube 8"],
    ],
  );
  const { json } = await stage.caller.get<{ updated_at: string }>(`/v1/compositions/${stage.id}`);
  for (const { modified } of files) t.equal(modified, json.updated_at.slice(0, 19));
});

t.test("format=aejsx has build.jsx, and no pictures of texts", async (t) => {
  const stage = await open(t);
  const { headers, bytes } = await requestExport(stage, "aejsx");
  t.equal(headers["content-disposition"], 'attachment; filename="untitled-aejsx.zip"');
  const paths = unzip(bytes).map(({ path }) => path);
  t.strictSame(paths, ["README.txt", "manifest.json", "build.jsx", "luts/0001-video-v.cube"]);
  t.match(stage.node.lease, { kind: "measure", input: { drawsTexts: false } });
});

t.test("media have signed links that are valid for an hour", async (t) => {
  const stage = await open(t);
  const { media } = manifestIn(unzip((await requestExport(stage)).bytes));
  const [{ url = "", ...rest } = {}] = media;
  const expiresAtMs = stage.house.service.clock.nowMs() + limits.http.signedUrlSeconds * 1_000;
  const expires = new Date(Math.ceil(expiresAtMs / 1_000) * 1_000).toISOString();
  t.strictSame(rest, {
    ref: "sea.mp4",
    asset_id: null,
    path: "media/0001-sea.mp4",
    expires_at: expires,
  });
  const { pathname, search } = new URL(url ?? "");
  const { text } = await stage.house.stranger.request("GET", `${pathname}${search}`);
  t.equal(text, "a film");
});

t.test("equal input gives equal bytes except signed URLs", async (t) => {
  const stage = await open(t);
  const one = unzip((await requestExport(stage)).bytes);
  await stage.house.advance(90_000);
  const other = unzip((await requestExport(stage)).bytes);
  const plain = (files: readonly Unzipped[]) =>
    files.map(({ path, bytes, modified }) => {
      const text = bytes.toString("latin1");
      return [path, modified, text.replace(/"(url|expires_at)": ".*"/g, '"$1"')];
    });
  t.strictSame(plain(one), plain(other));
});

t.test("an unknown or foreign composition is 404, an unknown format 400", async (t) => {
  const stage = await open(t);
  const { house, caller, id } = stage;
  const other = await house.account();
  t.equal((await other.get(getPath(id, "fcpxml"))).status, 404);
  t.equal((await caller.get(getPath(`${id.slice(0, -1)}x`, "fcpxml"))).status, 404);
  for (const path of [getPath(id, "otio"), `/v1/compositions/${id}/export`]) {
    const { json } = await caller.get<Refused>(path);
    t.match(json, { status: 400, code: "validation" });
    t.match(json.errors?.[0]?.pointer, "format");
  }
});

t.test("a timeline without exportable clips is 422 unexportable", async (t) => {
  const house = await openInProcess(t);
  const caller = await house.account();
  for (const files of [{}, { "index.html": page() }, { "index.html": "<p>no root</p>" }]) {
    const id = await make(caller, files);
    const { json } = await caller.get<Refused>(getPath(id, "fcpxml"));
    t.match(json, { status: 422, title: "Nothing To Export" });
    t.match(json.type, /unexportable$/);
  }
});

t.test("more clips or documents than an export may have are 413", async (t) => {
  const many = Array.from({ length: limits.exports.clipsMax + 1 }, () => video).join("");
  const { caller, id } = await open(t, many);
  const { json } = await caller.get<Refused>(getPath(id, "fcpxml"));
  t.match(json, { status: 413, limit_bytes: limits.exports.documentBytesMax });
});

t.test("without a node in time the answer is 503 with Retry-After", async (t) => {
  const house = await openInProcess(t);
  const caller = await house.account();
  const id = await make(caller, { "index.html": page({ inside: video }), "sea.mp4": "a film" });
  const asked = caller.get<Refused>(getPath(id, "fcpxml"));
  await house.advance(limits.exports.measureMs + 1_000);
  const { status, headers, json } = await asked;
  t.match({ status, after: headers["retry-after"] }, { status: 503, after: "5" });
  t.match(json.detail, /render worker/);
  // A node that joins later is given no task that no request waits for.
  const node = house.farmNode();
  await house.settle();
  t.strictSame(node.leases, []);
});

t.test("a task that lapses is tried again; a node's late word counts for nothing", async (t) => {
  const stage = await open(t);
  const { house, node, caller, id } = stage;
  const asked = caller.get(getPath(id, "fcpxml"));
  await house.settle();
  const first = node.lease;
  node.fail("the browser died", true);
  await house.settle();
  t.not(node.lease.token, first.token);
  await node.measure(readMeasurement(stage), first);
  await house.settle();
  await node.measure(readMeasurement(stage));
  t.equal((await asked).status, 200);
});

t.test("a page that cannot be laid out is exported with warnings", async (t) => {
  const { house, node, caller, id } = await open(t);
  const asked = caller.get(getPath(id, "fcpxml"));
  await house.settle();
  node.fail("render_timeout: the page was not ready in time", false);
  const { status, bytes } = await asked;
  t.equal(status, 200);
  t.strictSame(manifestIn(unzip(bytes)).warnings, [
    "the page could not be laid out (render_timeout: the page was not ready in time), so places are a guess",
    "video#v stands in the middle of the frame: its page could not be laid out to find its place",
    "text#t could not be laid out: its place and size are a guess",
    "text#t is left out: no render worker could draw its letters",
  ]);
});

t.test("without a farm an export says what it does not know", async (t) => {
  const { house, node, caller, id } = await open(t);
  house.service.health.renderers = "degraded";
  const { status, bytes } = await caller.get(getPath(id, "aejsx"));
  t.equal(status, 200);
  t.match(manifestIn(unzip(bytes)).warnings[0], /this service has no render workers/);
  t.strictSame(node.leases, []);
});

t.test("assets are linked for those who may read assets, and for no others", async (t) => {
  const house = await openInProcess(t);
  const caller = await house.account();
  const job = await caller.job("a kite");
  await house.settle();
  const asset = (await caller.read(job.id)).asset?.id ?? "";
  const inside = `<img id="i" data-asset-id="${asset}" data-start="0" data-duration="1">`;
  const id = await make(caller, { "index.html": page({ inside }) });
  house.service.health.renderers = "degraded";
  const { bytes } = await caller.get(getPath(id, "fcpxml"));
  t.match(manifestIn(unzip(bytes)).media, [
    { ref: `asset:${asset}`, asset_id: asset, path: /^media\/0001-[a-z0-9-]+\.png$/, url: /^http/ },
  ]);
  const body = { name: "few", scopes: ["compositions"] };
  const { token } = (await caller.post<CreatedToken>("/v1/tokens", body)).json;
  const few = await caller.asHolder(token).get(getPath(id, "fcpxml"));
  const { media, warnings } = manifestIn(unzip(few.bytes));
  t.match(media, [{ ref: `asset:${asset}`, url: null, expires_at: null }]);
  t.ok(warnings.includes(`asset:${asset} has no link: this credential may not read it`));
});

t.test("nothing of a measurement is left behind", async (t) => {
  const stage = await open(t);
  await requestExport(stage);
  const { input, outputPrefix } = stage.node.lease;
  const { objects } = stage.house.service;
  t.equal(await objects.stat((input as { manifestKey: string }).manifestKey), undefined);
  t.equal(await objects.stat(`${outputPrefix}/measurement.json`), undefined);
});

t.test("an export is of the files as they were when it was asked for", async (t) => {
  const stage = await open(t);
  const { house, node, caller, id } = stage;
  const asked = caller.get(getPath(id, "fcpxml"));
  await house.settle();
  await putFile(caller, id, "index.html", page());
  await node.measure(readMeasurement(stage));
  const manifest = manifestIn(unzip((await asked).bytes));
  t.equal(manifest.composition_revision, 4);
  t.equal(manifest.media.length, 1);
});
