/** `GET /compositions/{id}/export`: exports the timeline as an archive for a desktop editor. */

import { objectKeyFor } from "../../actors/protocol/bundle-file.ts";
import { compositionDetailsKey } from "../../actors/protocol/composition.ts";
import { omitUndefined } from "../../config/defined.ts";
import { limits } from "../../config/limits.ts";
import { Type } from "../../config/schema.ts";
import { type ExportFormat, exportFormats } from "../../contract/composition.ts";
import { PortError } from "../../engine/ports/port-error.ts";
import type { MediaSource } from "../../timeline/bundle.ts";
import type { MediaLink } from "../../timeline/export/manifest.ts";
import { getRef, getSlug } from "../../timeline/export/names.ts";
import type { StoredMedia } from "../../timeline/export/sources.ts";
import type { Writing } from "../../timeline/export/writing.ts";
import type { Timeline } from "../../timeline/model.ts";
import { readyAsset } from "../assets/ready-asset.ts";
import { type Snapshot, takeSnapshot } from "../compositions/compositions.ts";
import type { Answer } from "../exchange/answer.ts";
import { RefusalError, requireFound } from "../exchange/refusal-error.ts";
import type { Parameter } from "../request/query.ts";
import { type Call, type Route, route } from "../route.ts";
import { bytesInPieces } from "../transport/byte-stream.ts";
import { measureComposition } from "./measuring.ts";
import { readWhole } from "./whole-object.ts";

const format: Parameter<ExportFormat> = {
  schema: Type.Enum([...exportFormats]),
  isRequired: true,
  read(text) {
    const value = exportFormats.find((known) => known === text);
    return value === undefined ? `must be one of ${exportFormats.join(", ")}` : { value };
  },
};

export const exportRoutes: readonly Route[] = [
  route("GET", "/v1/compositions/{id}/export", {
    summary: "Export a composition's timeline for a desktop editor",
    answers: { 200: "application/zip" },
    access: "compositions",
    needs: "read",
    rate: "submit",
    query: { format },
    run: exportComposition,
  }),
];

type ExportCall = Call<unknown, { readonly format: ExportFormat }>;

async function exportComposition(call: ExportCall): Promise<Answer> {
  const { service, query } = call;
  const snapshot = await takeSnapshot(call);
  const { composition, key, files } = snapshot;
  const { name } = requireFound(service.gateway.read(compositionDetailsKey(key)));
  const timeline = await service.timelines.of(composition, files);
  requireClips(timeline);
  const hasTexts = timeline.texts.length > 0;
  const measured = await measureComposition(call, snapshot, timeline, {
    drawsTexts: hasTexts && query.format === "fcpxml",
  });
  const { stored, links } = listMedia(call, snapshot, timeline);
  const writing: Writing = {
    compositionId: composition.id,
    name,
    timeline,
    ...measured,
    stored,
    terms: {
      format: query.format,
      revision: composition.revision,
      atMs: composition.updatedAtMs,
      links,
      tables: await readTables(call, snapshot, timeline),
    },
  };
  const bytes = await write(call, writing);
  const filename = `${getSlug(name, "composition")}-${query.format}.zip`;
  return {
    status: 200,
    headers: [
      ["Content-Type", "application/zip"],
      ["Content-Disposition", `attachment; filename="${filename}"`],
      ["Cache-Control", "no-store"],
    ],
    body: bytesInPieces(bytes),
  };
}

/** Throws `RefusalError`, 422 or 413, before the page is laid out or the export written. */
function requireClips({ clips, texts, diagnostics }: Timeline): void {
  const error = diagnostics.find(({ severity }) => severity === "error");
  if (clips.length === 0 && texts.length === 0)
    throw nothingToExport(error?.message ?? "The timeline has no clip and no added text.");
  const { clipsMax, textsMax } = limits.exports;
  const media = clips.filter(({ kind }) => kind !== "element" && kind !== "composition");
  if (media.length > clipsMax || texts.length > textsMax)
    throw tooLarge(`An export may have at most ${clipsMax} clips and ${textsMax} texts.`);
}

function tooLarge(detail: string): RefusalError {
  const limitBytes = limits.exports.documentBytesMax;
  return new RefusalError({ code: "payload_too_large", limitBytes, detail });
}

function nothingToExport(detail: string): RefusalError {
  return new RefusalError({ code: "unexportable", detail });
}

/** Throws `RefusalError`: 413 beyond the limits, 503 when too many exports are being written. */
async function write({ service }: ExportCall, writing: Writing): Promise<Uint8Array> {
  const written = await service.writeExport(writing).catch((error: unknown) => {
    if (!(error instanceof PortError) || error.retryable) throw error;
    throw Object.assign(tooLarge("This timeline is too large for one export."), { cause: error });
  });
  if (written.kind === "too_large") throw tooLarge(written.detail);
  if (written.kind === "nothing")
    throw nothingToExport("None of the media in the timeline is available.");
  return written.bytes;
}

interface ExportMedia {
  readonly stored: ReadonlyMap<string, StoredMedia>;
  readonly links: ReadonlyMap<string, MediaLink>;
}

/** Lists the timeline's media that exist, with links to them. */
function listMedia(
  call: ExportCall,
  { composition, files }: Snapshot,
  timeline: Timeline,
): ExportMedia {
  const { service, principal } = call;
  const nowMs = service.clock.nowMs();
  const byPath = new Map(files.map((file) => [file.path, file]));
  // Callers that may not read assets get no links to them, whatever a composition refers to.
  const seesAssets = principal.credential.scopes.includes("assets:read");
  const stored = new Map<string, StoredMedia>();
  const links = new Map<string, MediaLink>();
  const add = (ref: string, media: StoredMedia, objectKey: string | undefined): void => {
    stored.set(ref, media);
    if (objectKey !== undefined) links.set(ref, service.signedUrls.sign(objectKey, nowMs));
  };
  const take = (source: MediaSource): void => {
    const ref = getRef(source);
    if (stored.has(ref)) return;
    if (source.kind === "file") {
      const file = byPath.get(source.path);
      const name = source.path.slice(source.path.lastIndexOf("/") + 1);
      if (file !== undefined)
        add(ref, { mimeType: file.mime, name }, objectKeyFor(composition.id, file));
      return;
    }
    const asset = readyAsset(service, principal.scope, source.assetId);
    if (asset === undefined) return;
    const { mimeType, objectKey, width, height, durationSeconds: seconds, hasAudio } = asset.media;
    const name = asset.displayName ?? asset.id;
    const measures = omitUndefined({ width, height, seconds, hasAudio });
    add(ref, { mimeType, name, ...measures }, seesAssets ? objectKey : undefined);
  };
  for (const { media } of timeline.clips) if (media?.source !== undefined) take(media.source);
  return { stored, links };
}

/** Reads the colour tables that grades name; those beyond the limit become warnings later. */
async function readTables(
  { service }: ExportCall,
  { composition, files }: Snapshot,
  { clips }: Timeline,
): Promise<ReadonlyMap<string, string>> {
  const paths = new Set(clips.flatMap(({ grade }) => grade?.lutPath ?? []));
  const tables = new Map<string, string>();
  let room: number = limits.exports.tableBytesMax;
  for (const file of files) {
    if (!paths.has(file.path) || file.size > room) continue;
    room -= file.size;
    const bytes = await readWhole(service.objects, objectKeyFor(composition.id, file), file.size);
    tables.set(file.path, bytes.toString("latin1"));
  }
  return tables;
}
