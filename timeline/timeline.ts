import { limits } from "../config/limits.ts";
import type { Bundle } from "./bundle.ts";
import { Findings } from "./diagnostics.ts";
import { effectiveGrade, readAuthoredGrade } from "./grade.ts";
import { MarkupFiles } from "./markup-files.ts";
import { buildClipMedia, getRate, hostOffset, mediaLength } from "./media.ts";
import { type Clip, type Composition, epsilon, type Timeline, type Track } from "./model.ts";
import { type Overlay, overlayPath, readOverlay } from "./overlay.ts";
import { readScript, type Scene, type WrittenClip } from "./scene.ts";
import { collectAddedTexts } from "./texts.ts";
import { latestEnd, resolveSpans, type Span, warnOfOverlaps } from "./timing.ts";
import { warnOfUnsupported } from "./unsupported.ts";

/**
 * One function from a bundle to its effective timeline, the basis of renders, stills, previews and
 * exports. Pure; never throws for what a bundle holds.
 *
 * 1. Edits apply before starts are resolved, so what waits for a moved clip moves with it.
 * 2. `diagnostics` reports faults; a timeline with an error is not rendered.
 * 3. A scene's time becomes the film's by its host: start, offset, rate; the host cuts what is in
 *    it, at both ends.
 */
export function effectiveTimeline(bundle: Bundle): Timeline {
  const findings = new Findings();
  const overlay = findOverlay(bundle, findings);
  const files = new MarkupFiles(bundle);
  const script = readScript(bundle, files, overlay, findings);
  if (script === undefined)
    return {
      duration: undefined,
      fps: 30,
      width: 0,
      height: 0,
      compositions: [],
      clips: [],
      deleted: [],
      texts: [],
      tracks: [],
      diagnostics: findings.all(),
    };
  const { root } = script;
  const frame = rootFrame(root, findings);
  const stage: Stage = { bundle, findings, overlay, compositions: [], clips: [] };
  const own = arrange(root, wholeFilm, stage);
  const texts = collectAddedTexts(overlay, frame.width);
  const ends = [own, ...texts.map(({ end }) => end)].filter((end) => end !== undefined);
  const duration = frame.duration ?? (ends.length === 0 ? undefined : Math.max(...ends));
  checkDuration(duration, root, findings);
  checkNames(overlay, stage, script.deleted, findings);
  warnOfUnsupported(bundle, root.root, files, stage.compositions, findings);
  const deleted = new Set(script.deleted);
  return {
    duration,
    fps: frame.fps,
    width: frame.width,
    height: frame.height,
    compositions: stage.compositions,
    clips: stage.clips
      .filter(({ key }) => !isWithin(key, deleted))
      .map((clip) => ({ ...clip, end: within(duration, clip.end) })),
    deleted: script.deleted,
    texts: texts.map((text) => ({ ...text, end: Math.min(text.end, duration ?? text.end) })),
    tracks: listTracks(stage.clips, texts, overlay),
    diagnostics: findings.all(),
  };
}

interface Stage {
  readonly bundle: Bundle;
  readonly findings: Findings;
  readonly overlay: Overlay | undefined;
  readonly compositions: Composition[];
  readonly clips: Clip[];
}

/** The span of the film in which a scene plays. */
interface Window {
  readonly start: number;
  readonly end: number | undefined;
  readonly offset: number;
  readonly rate: number;
  readonly isShown: boolean;
  readonly isAudible: boolean;
}

const wholeFilm: Window = {
  start: 0,
  end: undefined,
  offset: 0,
  rate: 1,
  isShown: true,
  isAudible: true,
};

/** Places the scene's clips and all below; returns the scene's length in its own seconds. */
function arrange(scene: Scene, window: Window, stage: Stage): number | undefined {
  const { bundle, findings } = stage;
  const { key, id, path, isMounted, variables } = scene;
  const { start, end, offset, rate } = window;
  stage.compositions.push({ key, id, path, isMounted, start, end, offset, rate, variables });
  const spans = computeSpans(scene, bundle, findings);
  const lanes = new Map<number, (readonly [WrittenClip, Span])[]>();
  for (const [clip, span] of spans) {
    const track = getTrack(clip);
    if (!clip.isDeleted && hasTrack(clip))
      lanes.set(track, [...(lanes.get(track) ?? []), [clip, span]]);
    const toggles = scene.key === "" ? stage.overlay?.tracks?.[track] : undefined;
    const isHidden = clip.edit.hidden ?? clip.read.has("data-hidden");
    const isOn = !clip.isDeleted && !isHidden && toggles?.enabled !== false;
    const placed = inFilm(span, window);
    const inner: Window = {
      ...placed,
      offset: hostOffset(clip) + cutBefore(span, window) * getRate(clip),
      rate: window.rate * getRate(clip),
      isShown: window.isShown && isOn,
      isAudible: window.isAudible && isOn && toggles?.muted !== true,
    };
    stage.clips.push(effectiveClip(clip, scene, track, inner, stage));
    if (clip.inner !== undefined) arrange(clip.inner, inner, stage);
  }
  warnOfOverlaps(lanes, findings);
  return latestEnd(spans);
}

function computeSpans(
  scene: Scene,
  bundle: Bundle,
  findings: Findings,
): ReadonlyMap<WrittenClip, Span> {
  const computeLength = (clip: WrittenClip): number | undefined => {
    if (clip.inner === undefined)
      return mediaLength(clip, buildClipMedia(clip, scene, bundle, findings), bundle);
    const length = sceneLength(clip.inner, bundle);
    return length === undefined ? undefined : (length - hostOffset(clip)) / getRate(clip);
  };
  return resolveSpans(scene, computeLength, findings);
}

/** Returns a scene's stated length, else the end of its last clip. */
function sceneLength(scene: Scene, bundle: Bundle): number | undefined {
  const written = Number(scene.root.attributes["data-duration"] ?? Number.NaN);
  return written > 0 ? written : latestEnd(computeSpans(scene, bundle, new Findings()));
}

/** Returns how much of a clip lies before its scene's window, in the scene's own seconds. */
function cutBefore({ start }: Span, { offset }: Window): number {
  return Math.max(0, offset - start);
}

function inFilm({ start, end }: Span, window: Window): Pick<Window, "start" | "end"> {
  const toFilm = (seconds: number): number =>
    window.start + (seconds - window.offset) / window.rate;
  const last = window.end ?? Number.POSITIVE_INFINITY;
  const isInner = window !== wholeFilm;
  const from = isInner ? Math.max(window.start, toFilm(start)) : start;
  const to = Math.min(last, end === undefined ? last : toFilm(end));
  return { start: from, end: to === Number.POSITIVE_INFINITY ? undefined : Math.max(from, to) };
}

function effectiveClip(
  clip: WrittenClip,
  scene: Scene,
  trackIndex: number,
  { start, end, offset, rate, isShown, isAudible }: Window,
  { bundle, findings }: Stage,
): Clip {
  const { key, id, kind, path, read, edit } = clip;
  const media = buildClipMedia(clip, scene, bundle, findings);
  const place = { path, element: read.element, attribute: "data-color-grading" };
  const written = read.text("data-color-grading");
  const authored =
    written === undefined
      ? undefined
      : readAuthoredGrade(written, scene.variables, place, findings);
  const cut = media === undefined ? 0 : offset - hostOffset(clip);
  return {
    key,
    id,
    kind,
    composition: scene.key,
    path,
    start,
    end,
    trackIndex,
    isShown,
    isAudible: isAudible && media !== undefined && !media.isMuted && media.volume > 0,
    media: media && { ...media, start: media.start + cut, rate },
    transform: edit.transform,
    motion: [...(edit.motion ?? [])].sort((one, other) => one.t - other.t),
    mask: edit.mask,
    grade: effectiveGrade(authored, edit.grade, bundle, place, findings),
  };
}

function hasTrack({ read, edit }: WrittenClip): boolean {
  return edit.track_index !== undefined || read.has("data-track-index") || read.has("data-layer");
}

function getTrack({ read, edit }: WrittenClip): number {
  if (edit.track_index !== undefined) return edit.track_index;
  const index = read.number("data-track-index");
  if (index !== undefined) return Math.round(index);
  const layer = read.number("data-layer");
  if (layer === undefined) return 0;
  read.warn("alias", "data-layer", "is an old name; write data-track-index");
  return Math.round(layer);
}

function listTracks(
  clips: readonly Clip[],
  texts: Timeline["texts"],
  overlay: Overlay | undefined,
): readonly Track[] {
  const edits = overlay?.tracks ?? {};
  const own = clips.filter(({ composition }) => composition === "");
  const indices = [
    ...own.map(({ trackIndex }) => trackIndex),
    ...texts.map(({ trackIndex }) => trackIndex),
    ...Object.keys(edits).map(Number),
  ];
  return [...new Set(indices)]
    .sort((one, other) => one - other)
    .map((index) => {
      const { enabled = true, muted = false, locked = false } = edits[index] ?? {};
      const keys = own.filter(({ trackIndex }) => trackIndex === index).map(({ key }) => key);
      return { index, isEnabled: enabled, isMuted: muted, isLocked: locked, clips: keys };
    });
}

function findOverlay(bundle: Bundle, findings: Findings): Overlay | undefined {
  const text = bundle.overlay ?? bundle.read(overlayPath);
  if (text === undefined) return undefined;
  const overlay = readOverlay(text);
  if (!("fault" in overlay)) return overlay;
  findings.addWarning("invalid_overlay", { path: overlayPath }, `is ignored: ${overlay.fault}`);
  return undefined;
}

interface Frame {
  readonly duration: number | undefined;
  readonly fps: number;
  readonly width: number;
  readonly height: number;
}

function rootFrame(scene: Scene, findings: Findings): Frame {
  const { attributes } = scene.root;
  const edge = (attribute: string): number => {
    const value = Number(attributes[attribute]?.trim() || Number.NaN);
    if (Number.isInteger(value) && value >= 16 && value <= 7_680) return value;
    const place = { path: scene.path, element: scene.root, attribute };
    findings.error("invalid_root", place, "must be a whole number from 16 to 7680");
    return 0;
  };
  const positive = (attribute: string, most: number): number | undefined => {
    const text = attributes[attribute]?.trim();
    if (text === undefined || text === "") return undefined;
    const value = Number(text);
    if (value > 0 && value <= most) return value;
    const place = { path: scene.path, element: scene.root, attribute };
    findings.error("invalid_root", place, `must be a number above 0, at most ${most}`);
    return undefined;
  };
  const fps = positive("data-fps", 60) ?? 30;
  const place = { path: scene.path, element: scene.root, attribute: "data-fps" };
  if (fps < 1) findings.error("invalid_root", place, "must be at least 1");
  const size = { width: edge("data-width"), height: edge("data-height") };
  return { duration: positive("data-duration", 86_400), fps: Math.max(1, fps), ...size };
}

function checkDuration(duration: number | undefined, root: Scene, findings: Findings): void {
  const place = { path: root.path, element: root.root, attribute: "data-duration" };
  if (duration === undefined)
    findings.addWarning("no_duration", place, "is missing; the length is that of the animation");
  else if (duration > limits.timeline.secondsMax + epsilon)
    findings.error(
      "too_long",
      place,
      `makes a film of ${duration} s; ${limits.timeline.secondsMax} s is the most`,
    );
}

/** Warns of edits of what does not exist, which are harmless. */
function checkNames(
  overlay: Overlay | undefined,
  { clips }: Stage,
  deletedKeys: readonly string[],
  findings: Findings,
): void {
  const ids = new Set([...clips, ...(overlay?.texts ?? [])].map(({ id }) => id));
  const place = { path: overlayPath };
  for (const id of Object.keys(overlay?.clips ?? {}).filter((id) => !ids.has(id)))
    findings.addWarning(
      "unknown_element",
      place,
      `edits "${id.slice(0, 80)}", which does not exist`,
    );
  if (deletedKeys.length === 0 && (overlay?.deleted ?? []).length > 0)
    findings.addWarning("unknown_element", place, "deletes only elements that do not exist");
}

/** Limits an end to the film's length: the film cuts what reaches beyond it. */
function within(duration: number | undefined, end: number | undefined): number | undefined {
  if (duration === undefined || end === undefined) return end ?? duration;
  return Math.min(end, duration);
}

/** Whether the element or one of its hosts is deleted. */
function isWithin(key: string, deleted: ReadonlySet<string>): boolean {
  for (let end = key.length; end > 0; end = key.lastIndexOf("/", end - 1))
    if (deleted.has(key.slice(0, end))) return true;
  return false;
}
