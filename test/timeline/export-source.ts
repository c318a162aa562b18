/** Exports of bundles that a test writes, and readers of their files. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import ts from "typescript";
import type { ExportFormat } from "../../contract/composition.ts";
import { invariant } from "../../engine/invariant.ts";
import { type ExportTerms, writeDocuments } from "../../timeline/export/documents.ts";
import type { Measurement, Place } from "../../timeline/export/measurement.ts";
import type { StoredMedia } from "../../timeline/export/sources.ts";
import type { Timeline } from "../../timeline/model.ts";
import { effectiveTimeline } from "../../timeline/timeline.ts";

export const compositionId = "01990000-0000-7000-8000-000000000001";

export interface Given {
  /** Markup inside a root of 1280 by 720 that lasts ten seconds. */
  readonly inside: string;
  readonly edits?: object;
  readonly files?: Readonly<Record<string, string>>;
  readonly places?: Readonly<Record<string, Partial<Place>>>;
  readonly measured?: Partial<Measurement>;
  readonly tables?: Readonly<Record<string, string>>;
}

export const media: ReadonlyMap<string, StoredMedia> = new Map([
  ["sea.mp4", { mimeType: "video/mp4", name: "sea.mp4" }],
  ["mute.mp4", { mimeType: "video/mp4", name: "mute.mp4" }],
  ["Très Long Nom.png", { mimeType: "image/png", name: "Très Long Nom.png" }],
  ["logo.png", { mimeType: "image/png", name: "logo.png" }],
  ["music.mp3", { mimeType: "audio/mpeg", name: "music.mp3" }],
]);

const measures: Measurement["media"] = {
  "sea.mp4": { width: 640, height: 360, seconds: 60, channels: 2, timecode: "01:00:00:00" },
  "mute.mp4": { width: 640, height: 360, seconds: 4, channels: 0, frameRate: 30 },
  "logo.png": { width: 200, height: 100 },
  "Très Long Nom.png": { width: 200, height: 100 },
  "music.mp3": { seconds: 30, channels: 2 },
};

export function makeTimeline({ inside, edits, files = {} }: Given): Timeline {
  const root =
    `<div data-composition-id="main" data-width="1280" data-height="720" data-duration="10">` +
    `${inside}</div>`;
  const named = Object.fromEntries([...media.keys()].map((path) => [path, ""]));
  const overlay = edits === undefined ? {} : { "klieg-edits.json": JSON.stringify(edits) };
  const all: Readonly<Record<string, string>> = {
    "index.html": `<body style="background:#000">${root}</body>`,
    ...named,
    ...files,
    ...overlay,
  };
  return effectiveTimeline({ entry: "index.html", read: (path) => all[path] });
}

/** Returns a place as large as the frame, unless the test gives another one. */
export function getPlace(place: Partial<Place> = {}, picture = { width: 640, height: 360 }): Place {
  return {
    around: [1, 0, 0, 1, 0, 0],
    authored: [1, 0, 0, 1, 0, 0],
    left: 0,
    top: 0,
    box: { width: 1280, height: 720 },
    picture,
    fit: { x: 0, y: 0, scaleX: 1280 / picture.width, scaleY: 720 / picture.height },
    cut: { left: 0, top: 0, right: 0, bottom: 0 },
    opacity: 1,
    paintOrder: [],
    styles: [],
    ...place,
  };
}

/** Returns the files of an export by their paths. */
export function makeExport(given: Given, format: ExportFormat): ReadonlyMap<string, Buffer> {
  const exported = write(given, format);
  invariant(exported.kind === "documents", `it was exported: ${JSON.stringify(exported)}`);
  return new Map(exported.documents.map(({ path, bytes }) => [path, Buffer.from(bytes())]));
}

export function write(given: Given, format: ExportFormat) {
  const timeline = makeTimeline(given);
  const { places = {}, measured = {}, tables = {} } = given;
  const shown = timeline.clips.filter(({ kind }) => kind === "video" || kind === "image");
  const measurement = {
    media: measures,
    texts: [],
    warnings: [],
    places: Object.fromEntries(
      shown.map(({ key, id, kind }, order) => {
        const picture = kind === "image" ? { width: 200, height: 100 } : undefined;
        return [key, getPlace({ paintOrder: [0, order], ...places[id] }, picture)];
      }),
    ),
    ...measured,
  };
  const terms: ExportTerms = {
    format,
    revision: 7,
    atMs: Date.parse("2026-04-15T12:00:00Z"),
    links: new Map(
      [...media.keys()].map((ref) => [ref, { url: `https://x.test/${ref}`, expiresAtMs: 0 }]),
    ),
    tables: new Map(Object.entries(tables)),
  };
  return writeDocuments(
    { compositionId, name: "Sea & <Sky>", timeline, measurement, stored: media },
    terms,
  );
}

export function getText(files: ReadonlyMap<string, Buffer>, path: string): string {
  const bytes = files.get(path);
  invariant(bytes !== undefined, `the export has ${path}: ${[...files.keys()].join(", ")}`);
  return bytes.toString("utf8");
}

export function readWarnings(files: ReadonlyMap<string, Buffer>): readonly string[] {
  return (JSON.parse(getText(files, "manifest.json")) as { warnings: string[] }).warnings;
}

/** Checks the sequence with libxml2, and returns it without white space between tags. */
export function readSequence(files: ReadonlyMap<string, Buffer>): string {
  const xml = getText(files, "sequence.xml");
  execFileSync("xmllint", ["--noout", "-"], { input: xml });
  return xml.replace(/>\s+</g, "><");
}

/** Returns the insides of all tags of a name that hold none of their own. */
export function tagsIn(xml: string, name: string): readonly string[] {
  const found = xml.matchAll(new RegExp(`<${name}(?: [^>]*)?>(.*?)</${name}>`, "gs"));
  return [...found].map(([, inside = ""]) => inside);
}

export function tagIn(xml: string, name: string): string | undefined {
  return tagsIn(xml, name)[0];
}

/** Reads a parameter of an effect: its value, or its keys. */
export function parameterIn(item: string, id: string): string | readonly string[] | undefined {
  const found = tagsIn(item, "parameter").find((one) => tagIn(one, "parameterid") === id);
  if (found === undefined) return undefined;
  const keys = tagsIn(found, "keyframe");
  const plain = (text: string): string => text.replace(/<[^>]+>/g, " ").trim();
  if (keys.length === 0) return plain(tagIn(found, "value") ?? "");
  return keys.map((key) => `${tagIn(key, "when")}: ${plain(tagIn(key, "value") ?? "")}`);
}

/** Returns TypeScript's errors for a script, with the types of a version of After Effects. */
export function typeFaults(script: string, version: string): readonly string[] {
  const types = join(
    import.meta.dirname,
    `../../../node_modules/types-for-adobe/AfterEffects/${version}/index.d.ts`,
  );
  const options = { allowJs: true, checkJs: true, noEmit: true, noLib: true, types: [] };
  const host = ts.createCompilerHost(options);
  const read = host.getSourceFile.bind(host);
  host.getSourceFile = (name, language) =>
    name === "build.js" ? ts.createSourceFile(name, script, language) : read(name, language);
  const program = ts.createProgram(["build.js", types], options, host);
  const found = ts.getPreEmitDiagnostics(program);
  return found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, " "));
}
