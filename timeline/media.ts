import { type Bundle, findTarget, has, type MediaSource } from "./bundle.ts";
import type { Findings } from "./diagnostics.ts";
import type { AudioRole, ClipMedia } from "./model.ts";
import type { Scene, WrittenClip } from "./scene.ts";
import { addressIn } from "./variables.ts";

const roles: readonly AudioRole[] = ["narration", "music", "sfx", "clip"];

/** Returns what a video, sound or image plays, with the edits; `undefined` for other elements. */
export function buildClipMedia(
  clip: WrittenClip,
  scene: Scene,
  bundle: Bundle,
  findings: Findings,
): ClipMedia | undefined {
  const { read, edit, kind } = clip;
  if (kind !== "video" && kind !== "audio" && kind !== "image") return undefined;
  return {
    source: resolveSource(clip, scene, bundle, findings),
    ...mediaSpan(clip),
    rate: getRate(clip),
    volume: edit.volume ?? read.number("data-volume", 0, 1) ?? 1,
    role: getRole(clip),
    isMuted: read.has("muted") || kind === "image",
    isLooped: read.has("loop"),
    fadeIn: read.number("data-fade-in", 0) ?? 0,
    fadeOut: read.number("data-fade-out", 0) ?? 0,
  };
}

/** Returns the seconds of the film that are left of the source, when its length is known. */
export function mediaLength(
  clip: WrittenClip,
  media: ClipMedia | undefined,
  bundle: Bundle,
): number | undefined {
  if (media?.source === undefined || clip.kind === "image" || media.isLooped) return undefined;
  const known = bundle.mediaSeconds?.(media.source);
  const whole = Math.min(known ?? Number.POSITIVE_INFINITY, media.end ?? Number.POSITIVE_INFINITY);
  if (whole === Number.POSITIVE_INFINITY || whole <= media.start) return undefined;
  return (whole - media.start) / media.rate;
}

export function getRate({ read, edit }: WrittenClip): number {
  return edit.playback_rate ?? read.number("data-playback-rate", 0.1, 5) ?? 1;
}

/** Returns where a host enters its composition's time; media have another name for it. */
export function hostOffset({ read, edit }: WrittenClip): number {
  if (edit.media_start !== undefined) return edit.media_start;
  return read.number("data-playback-start") ?? read.number("data-media-start") ?? 0;
}

function mediaSpan(clip: WrittenClip): Pick<ClipMedia, "start" | "end"> {
  const { read, edit } = clip;
  const start = edit.media_start ?? mediaStart(clip);
  const end = read.number("data-media-end", 0);
  if (end === undefined) return { start };
  if (end > start) return { start, end };
  read.warn("invalid_value", "data-media-end", `is ${end}, which is not after its start ${start}`);
  return { start };
}

function mediaStart({ read }: WrittenClip): number {
  const named = read.number("data-media-start", 0);
  const alias = read.number("data-playback-start", 0);
  if (named !== undefined && alias !== undefined && named !== alias)
    read.warn("alias", "data-playback-start", `is ${alias}, but data-media-start is ${named}`);
  return named ?? alias ?? 0;
}

function getRole({ kind, read }: WrittenClip): AudioRole {
  const usual = kind === "audio" ? "music" : "clip";
  const text = read.text("data-audio-role");
  if (text === undefined) return usual;
  const role = roles.find((known) => known === text);
  if (role !== undefined) return role;
  const says = `is "${text.slice(0, 40)}"; it is one of ${roles.join(", ")}`;
  read.warn("invalid_value", "data-audio-role", says);
  return usual;
}

function resolveSource(
  { read, kind, path, isDeleted }: WrittenClip,
  { variables }: Scene,
  bundle: Bundle,
  findings: Findings,
): MediaSource | undefined {
  const assetId = read.text("data-asset-id");
  if (assetId !== undefined) return { kind: "asset", assetId };
  const variable = read.text("data-var-src");
  const bound = variable === undefined ? undefined : addressIn(variables[variable]);
  const child = read.element.children.find(({ tag }) => tag === "source")?.attributes["src"];
  const address = bound ?? read.text("src") ?? child;
  const place = { path, element: read.element, attribute: "src" };
  if (address === undefined) {
    // An image may have a srcset or get its source from a script.
    if (kind !== "image") findings.addWarning("missing_file", place, "is not given");
    return undefined;
  }
  const target = findTarget(bundle, address, path);
  if (target.kind === "remote")
    findings.addWarning(
      "remote",
      place,
      `leads to ${target.url.slice(0, 200)}, which is not fetched`,
    );
  if (target.kind !== "file") return undefined;
  if (!has(bundle, target.path) && !isDeleted)
    findings.addWarning(
      "missing_file",
      place,
      `leads to ${target.path}, which is not in the bundle`,
    );
  return target;
}
