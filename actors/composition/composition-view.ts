/**
 * Builds the client's view of a composition from its rows. This is the only file that writes its
 * wire names.
 */

import { omitUndefined } from "../../config/defined.ts";
import type {
  CompositionFile,
  Composition as CompositionView,
  EffectiveClip,
  EffectiveTimeline,
} from "../../contract/composition.ts";
import { timestamp } from "../../engine/timestamp.ts";
import type {
  Clip,
  Composition as InnerComposition,
  TextClip,
  Timeline,
} from "../../timeline/model.ts";
import { type BundleFile, getEtag, getRole } from "../protocol/bundle-file.ts";
import type { Composition, CompositionDetails, Frame } from "../protocol/composition.ts";

/** `files` is undefined in listings. */
export function compositionView(
  composition: Composition,
  { name, description, projectId, meta }: CompositionDetails,
  frame: Frame | undefined,
  files: readonly BundleFile[] | undefined,
): CompositionView {
  const { id, user, scope } = composition;
  return {
    id,
    user_id: user,
    organization_id: user === scope ? null : scope,
    name,
    description,
    project_id: projectId,
    meta: { ...meta },
    width: frame?.width ?? null,
    height: frame?.height ?? null,
    duration_seconds: frame?.durationSeconds ?? null,
    frame_rate: frame?.frameRate ?? 30,
    revision: composition.revision,
    ...omitUndefined({ files: files?.map(fileView) }),
    total_bytes: composition.totalBytes,
    created_at: timestamp(composition.createdAtMs),
    updated_at: timestamp(composition.updatedAtMs),
    cloned_from: composition.clonedFrom ?? null,
  };
}

export function fileView(file: BundleFile): CompositionFile {
  return {
    path: file.path,
    size_bytes: file.size,
    mime_type: file.mime,
    etag: getEtag(file),
    updated_at: timestamp(file.atMs),
    role: getRole(file),
  };
}

/** Width and height are null when the document has no root to measure. */
export function getFrame(timeline: Timeline, revision: number): Frame {
  const { width, height, fps, duration } = timeline;
  return {
    revision,
    width: width || null,
    height: height || null,
    frameRate: fps,
    durationSeconds: duration ?? null,
  };
}

export function timelineView(timeline: Timeline): EffectiveTimeline {
  const { clips, texts, compositions, diagnostics } = timeline;
  const { width, height, frameRate, durationSeconds } = getFrame(timeline, 0);
  const hosted = new Map(compositions.map((inner) => [inner.key, inner]));
  return {
    duration_seconds: durationSeconds,
    frame_rate: frameRate,
    width,
    height,
    clips: [...clips.map((clip) => clipView(clip, hosted.get(clip.key))), ...texts.map(textView)],
    diagnostics: diagnostics.map(({ severity, code, message, path, element, attribute }) => ({
      severity,
      code,
      message,
      path,
      element: element ?? null,
      attribute: attribute ?? null,
    })),
  };
}

/** `hosted` is the composition that the clip embeds; the clip trims it as it would trim media. */
function clipView({ media, ...clip }: Clip, hosted: InnerComposition | undefined): EffectiveClip {
  const source = media?.source;
  return {
    key: clip.key,
    id: clip.id,
    kind: clip.kind,
    start_seconds: clip.start,
    end_seconds: clip.end ?? null,
    track_index: clip.trackIndex,
    is_shown: clip.isShown,
    is_audible: clip.isAudible,
    composition_key: clip.composition,
    path: source?.kind === "file" ? source.path : null,
    asset_id: source?.kind === "asset" ? source.assetId : null,
    media_start_seconds: media?.start ?? hosted?.offset ?? null,
    playback_rate: media?.rate ?? hosted?.rate ?? null,
    volume: media?.volume ?? null,
    audio_role: media?.role ?? null,
    text: null,
  };
}

function textView({ id, text, start, end, trackIndex, isShown }: TextClip): EffectiveClip {
  return {
    key: id,
    id,
    kind: "text",
    text,
    start_seconds: start,
    end_seconds: end,
    track_index: trackIndex,
    is_shown: isShown,
    is_audible: false,
    composition_key: "",
  };
}
