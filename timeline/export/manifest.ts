import type { ExportFormat, ExportManifest } from "../../contract/composition.ts";
import { timestamp } from "../../engine/timestamp.ts";
import { type EditList, editFps } from "./edit-list.ts";

/** A signed link to a source's bytes. */
export interface MediaLink {
  readonly url: string;
  readonly expiresAtMs: number;
}

/** Properties of one moment of the composition, which its list lacks. */
export interface ManifestTerms {
  readonly format: ExportFormat;
  readonly revision: number;
  /** Time of the composition's last change, so that equal exports are equal bytes. */
  readonly atMs: number;
  /** Links by the source's name, without sources that the caller may not read. */
  readonly links: ReadonlyMap<string, MediaLink>;
}

export function buildManifest(
  list: EditList,
  { format, revision, atMs, links }: ManifestTerms,
  warnings: readonly string[],
): ExportManifest {
  return {
    version: 1,
    composition_id: list.compositionId,
    composition_revision: revision,
    format,
    name: list.name,
    frame_rate: editFps,
    width: list.width,
    height: list.height,
    duration_frames: list.frames,
    created_at: timestamp(atMs),
    media: list.media.map(({ ref, assetId, path }) => {
      const link = links.get(ref);
      return {
        ref,
        asset_id: assetId ?? null,
        path,
        url: link?.url ?? null,
        expires_at: link === undefined ? null : timestamp(link.expiresAtMs),
      };
    }),
    texts: list.texts.flatMap(({ id, picture }) =>
      picture === undefined || format !== "fcpxml" ? [] : [{ id, path: picture.path }],
    ),
    luts: list.luts.map(({ path, clips }) => ({ path, clips: [...clips] })),
    warnings: [...warnings],
  };
}
