import { limits } from "../../config/limits.ts";
import type { ExportFormat } from "../../contract/composition.ts";
import type { CubeTable } from "../cube.ts";
import { compileEditList } from "./compile.ts";
import type { EditList, EditLut } from "./edit-list.ts";
import type { ExportSource } from "./export-source.ts";
import { writeJsx } from "./formats/jsx.ts";
import { writeXmeml } from "./formats/xmeml.ts";
import { lutBytes, readTable, writeLut } from "./luts.ts";
import { buildManifest, type ManifestTerms } from "./manifest.ts";
import { Notes } from "./notes.ts";
import { writeReadme } from "./readme.ts";

const { documentBytesMax } = limits.exports;

/** A file of the archive; its bytes are made on request, and not kept. */
export interface ExportDocument {
  readonly path: string;
  readonly bytes: () => Uint8Array;
}

export interface ExportTerms extends ManifestTerms {
  /** Colour tables that grades name, by their path. */
  readonly tables: ReadonlyMap<string, string>;
}

export type Exported =
  | { readonly kind: "documents"; readonly documents: readonly ExportDocument[] }
  | { readonly kind: "nothing" }
  | { readonly kind: "too_large"; readonly detail: string };

interface Format {
  readonly path: string;
  readonly write: (list: EditList, notes: Notes) => string;
}

/** One writer for each format. */
const formats: Readonly<Record<ExportFormat, Format>> = {
  fcpxml: { path: "sequence.xml", write: writeXmeml },
  aejsx: { path: "build.jsx", write: writeJsx },
};

/** Writes the files of an export, in their order. */
export function writeDocuments(source: ExportSource, terms: ExportTerms): Exported {
  const list = compileEditList(source);
  const excess = findExcess(list);
  if (excess !== undefined) return { kind: "too_large", detail: excess };
  if (!hasClips(list)) return { kind: "nothing" };
  const { path, write } = formats[terms.format];
  const notes = new Notes();
  for (const warning of list.warnings) notes.add(warning);
  const written = write(list, notes);
  const tables = readTables(list, terms, notes);
  for (const { ref } of list.media)
    if (!terms.links.has(ref))
      notes.add(`${ref.slice(0, 200)} has no link: this credential may not read it`);
  const warnings = notes.all();
  const manifest = JSON.stringify(buildManifest(list, terms, warnings), undefined, 2);
  const readme = writeReadme(list, terms.format, warnings);
  const documents = [
    textDocument("README.txt", readme),
    textDocument("manifest.json", `${manifest}\n`),
    textDocument(path, written),
    ...(terms.format === "fcpxml" ? textPictures(list) : []),
    ...list.luts.map((lut) => lutDocument(lut, tables)),
  ];
  const text = Buffer.byteLength(written) + Buffer.byteLength(manifest) + Buffer.byteLength(readme);
  const bytes = text + lutBytes * list.luts.length + pictureBytes(list, terms.format);
  return bytes > documentBytesMax
    ? { kind: "too_large", detail: tooLarge }
    : { kind: "documents", documents };
}

const tooLarge = `The documents of an export may have at most ${documentBytesMax} bytes together.`;

/** Returns the limit that an export exceeds, before anything is written. */
function findExcess({ pictures, sounds, texts, luts }: EditList): string | undefined {
  const { clipsMax, textsMax, keyframesMax } = limits.exports;
  const shown = pictures.flatMap(({ clips }) => clips);
  const media = new Set(
    shown.filter(({ content }) => content.kind === "media").map(({ key }) => key),
  );
  for (const { clips } of sounds) for (const { key } of clips) media.add(key);
  if (media.size > clipsMax) return `An export may have at most ${clipsMax} clips.`;
  if (texts.length > textsMax) return `An export may have at most ${textsMax} texts.`;
  let keyframes = 0;
  for (const { pose } of shown)
    for (const { keys } of Object.values(pose)) keyframes += keys.length;
  if (keyframes > keyframesMax) return `An export may have at most ${keyframesMax} keyframes.`;
  return luts.length * lutBytes > documentBytesMax ? tooLarge : undefined;
}

function hasClips({ pictures, sounds, markers }: EditList): boolean {
  return markers.length > 0 || [...pictures, ...sounds].some(({ clips }) => clips.length > 0);
}

function readTables(
  { luts }: EditList,
  { tables }: ExportTerms,
  notes: Notes,
): ReadonlyMap<string, CubeTable> {
  const read = new Map<string, CubeTable>();
  for (const { grade } of luts) {
    const { lutPath } = grade;
    if (lutPath === undefined || read.has(lutPath)) continue;
    const table = readTable(lutPath, tables.get(lutPath));
    if (table === undefined) continue;
    if ("fault" in table) notes.add(table.fault);
    else read.set(lutPath, table);
  }
  return read;
}

function lutDocument(lut: EditLut, tables: ReadonlyMap<string, CubeTable>): ExportDocument {
  const { lutPath } = lut.grade;
  const table = lutPath === undefined ? undefined : tables.get(lutPath);
  return { path: lut.path, bytes: () => Buffer.from(writeLut(lut, table), "latin1") };
}

function textPictures({ texts }: EditList): readonly ExportDocument[] {
  return texts.flatMap(({ picture }) =>
    picture === undefined
      ? []
      : [{ path: picture.path, bytes: () => Buffer.from(picture.base64, "base64") }],
  );
}

function pictureBytes({ texts }: EditList, format: ExportFormat): number {
  if (format !== "fcpxml") return 0;
  return texts.reduce((sum, { picture }) => sum + ((picture?.base64.length ?? 0) * 3) / 4, 0);
}

function textDocument(path: string, text: string): ExportDocument {
  return { path, bytes: () => Buffer.from(text) };
}
