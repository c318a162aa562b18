/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import { keyAttribute } from "../../actors/timeline/key-attribute.ts";
import { type Composition, even, frameFrom } from "../../actors/timeline/model.ts";
import { mayRegister, speaksOfTimelines } from "../../actors/timeline/registration.ts";
import { addTexts } from "./added-texts.ts";
import { documents, holdAnimations } from "./animations.ts";
import { drawPage, isClear, moveIntoCanvas, prepareDrawing } from "./drawing.ts";
import { Exchange } from "./exchange.ts";
import {
  bringPictures,
  expectPictures,
  lightVideos,
  offerVideos,
  replaceVideos,
  screenAttribute,
  showVideos,
} from "./film-videos.ts";
import { facesUsed, lackingFonts, promptFaces } from "./fonts.ts";
import { layOutRoot } from "./layout.ts";
import { makeClips } from "./made-clips.ts";
import { placesOf } from "./measured/places.ts";
import { stageText } from "./measured/text-pictures.ts";
import { mediaLayout } from "./media-layout.ts";
import { bindVariables, mount } from "./mount.ts";
import { showMovingImages, takeMovingImages } from "./moving-images.ts";
import type {
  FilmPlan,
  FilmReport,
  FilmWindow,
  FrameOrder,
  MediaLayout,
  PicturePlaces,
  VolumeCurves,
  VolumeOrder,
} from "./plan.ts";
import { bridgeMs, hasShaderTransitions, mixScenes, refusedPackage } from "./shader-transitions.ts";
import {
  awayAttribute,
  dressAt,
  maskClip,
  offAttribute,
  type ShownClip,
  showAt,
  undress,
} from "./shown-clips.ts";
import {
  findTimeline,
  hasOtherClock,
  rootDuration,
  seekOthers,
  seekTimeline,
  wakeTimeline,
} from "./timelines.ts";
import { unfilmedParts } from "./unfilmed-parts.ts";
import { areVideosRead } from "./video-reads.ts";

/**
 * The page's side of a film: made ready once (`open`), then held at one frame after the other
 * (`seek`). Frames may be asked for in any order; a page whose scripts count time by themselves is
 * led through every frame on the way.
 */
declare const window: FilmWindow;

interface Open {
  readonly plan: FilmPlan;
  readonly exchange: Exchange | undefined;
  readonly clips: readonly ShownClip[];
  readonly compositionsByKey: ReadonlyMap<string, Composition>;
  readonly clipsByElement: ReadonlyMap<Element, ShownClip>;
  /** Whether frames must not be left out. */
  isCounting: boolean;
  frame: number;
}

let film: Open | undefined;

export async function open(plan: FilmPlan): Promise<FilmReport> {
  const { mark, width, height } = plan;
  const exchanging = mark === "" ? undefined : Exchange.open(mark, even(width), even(height));
  // The caller that awaits it gets the error.
  exchanging?.catch(() => undefined);
  await loaded();
  const warnings: string[] = [];
  addGroundRules();
  const ground = addBackdrop(plan);
  for (const composition of plan.compositions) {
    const host = elementOf(composition.key);
    if (composition.isMounted && host !== undefined) await mount(composition, host);
    else if (host !== undefined) bindVariables(host, composition);
  }
  for (const key of plan.deleted) elementOf(key)?.remove();
  const root = document.querySelector<HTMLElement>("[data-composition-id]");
  if (root !== null) {
    layOutRoot(root, plan);
    const [own] = plan.compositions;
    if (own !== undefined) bindVariables(root, own);
  }
  const clips = planClips(plan);
  replaceVideos(clips, plan.isUnfilmed);
  offerVideos();
  const found = obstacles();
  if (plan.isSelfCaptured && !moveIntoCanvas(plan.width, plan.height)) found.push("no drawing");
  await settled(clips, plan, warnings);
  warnings.push(...(await takeMovingImages()));
  const exchange = await exchanging;
  window.__kliegClock.advance(0);
  if (hasShaderTransitions()) window.__kliegClock.advance(bridgeMs);
  const lacksTimeline = await waitForTimelines(plan);
  window.__kliegClock.advance(0);
  if (root !== null) layOutRoot(root, plan);
  const all = [...clips, ...makeClips(plan)];
  film = {
    plan,
    exchange,
    clips: all,
    compositionsByKey: new Map(plan.compositions.map((one) => [one.key, one])),
    clipsByElement: new Map(all.map((clip) => [clip.element, clip])),
    isCounting: window.__kliegClock.isCounting(),
    frame: -1,
  };
  hold(film, 0, true);
  await facesUsed();
  warnings.push(...lackingFonts(), ...unfilmedParts());
  const refusal = refusedPackage();
  const isGrounded = hasGround(root, ground);
  prepareDrawing();
  return {
    warnings,
    lacksTimeline,
    isGrounded,
    refusal,
    duration: rootDuration(),
    obstacles: found,
  };
}

/** Those of the markup, and the edits' texts. */
function planClips({ clips, texts, fps }: FilmPlan): readonly ShownClip[] {
  const authored = clips.flatMap((clip): ShownClip[] => {
    const element = elementOf(clip.key);
    return element === undefined ? [] : [{ plan: clip, element }];
  });
  const frames = (text: { start: number; end: number }) => ({
    from: frameFrom(text.start, fps),
    to: frameFrom(text.end, fps),
  });
  return [...authored, ...addTexts(texts, frames)];
}

export async function seek({ frame, videos }: FrameOrder): Promise<void> {
  if (film === undefined) throw new Error("no film is open");
  if (film.exchange !== undefined) expectPictures(frame, videos, film.exchange);
  undress();
  const { fps } = film.plan;
  if (areVideosRead()) await lightVideos(frame, frame / fps);
  const first = film.isCounting && frame > film.frame ? film.frame + 1 : frame;
  for (let at = first; at <= frame; at++) {
    for (const one of documents(document)) advance(one.defaultView, (at * 1_000) / fps);
    if (at < frame) {
      hold(film, at, false);
      await Promise.resolve();
    }
  }
  hold(film, frame, false);
  film.frame = frame;
  await Promise.resolve();
  await window.__kliegClock.quiet();
  await showMovingImages((element) => secondsSince(element, frame / fps));
  await facesUsed();
  dressAt(film.clips, frame, frame / fps);
  await showVideos(frame);
  await mixScenes();
}

/** Begins to take in pictures of videos beside whatever the page does. */
function expect(videos: PicturePlaces): null {
  if (film?.exchange === undefined) throw new Error("no film with videos is open");
  expectPictures(Number.POSITIVE_INFINITY, videos, film.exchange);
  return null;
}

/** Shows them in the frame at which the page is; the keys of those that could not be decoded. */
async function show(): Promise<string[]> {
  if (film === undefined) throw new Error("no film is open");
  const lost = await bringPictures(film.frame);
  if (areVideosRead()) {
    await lightVideos(film.frame, film.frame / film.plan.fps);
    advance(window, (film.frame * 1_000) / film.plan.fps);
    hold(film, film.frame, false);
  }
  await showVideos(film.frame);
  await mixScenes();
  return lost;
}

/** Begins to hand over what a frame shows, unless that looks as it did before; whether so. */
async function draw(order: FrameOrder): Promise<boolean> {
  await seek(order);
  if (film?.exchange !== undefined) expectPictures(order.frame + 1, order.next, film.exchange);
  const picture = await drawPage();
  if (picture !== undefined) await film?.exchange?.hand(picture);
  return picture !== undefined;
}

/** Resolves when all that was drawn is handed over. */
async function handed(): Promise<null> {
  await film?.exchange?.handed();
  return null;
}

function layout(): MediaLayout | null {
  return film === undefined ? null : mediaLayout(film.clips, film.plan);
}

/** The volumes that timelines give to sounds at each frame. */
function volumes({ from, to, clips }: VolumeOrder): VolumeCurves {
  if (film === undefined) throw new Error("no film is open");
  const heard = clips.flatMap(({ key, volume }) => {
    const element = elementOf(key);
    if (!(element instanceof HTMLMediaElement)) return [];
    if (from === 0) element.volume = volume;
    return [{ key, element, values: [] as number[] }];
  });
  for (let frame = from; frame < to; frame++) {
    hold(film, frame, false);
    for (const { element, values } of heard) values.push(element.volume);
  }
  hold(film, 0, false);
  return Object.fromEntries(heard.map(({ key, values }) => [key, values]));
}

function advance(view: Window | null, ms: number): void {
  const clock: unknown = view === null ? undefined : Reflect.get(view, "__kliegClock");
  if (typeof clock === "object" && clock !== null && "advance" in clock)
    (clock as FilmWindow["__kliegClock"]).advance(ms);
}

/** Everything at a frame's instant: timelines, what others registered, animations, clips. */
function hold(
  { plan, clips, compositionsByKey, clipsByElement }: Open,
  frame: number,
  isFirst: boolean,
) {
  const seconds = frame / plan.fps;
  for (const composition of plan.compositions) {
    const { start, end = Number.POSITIVE_INFINITY, offset, rate, key } = composition;
    if (key !== "" && !isFirst && (seconds < start - 1 || seconds > end + 1)) continue;
    const own = offset + (Math.min(seconds, end) - start) * rate;
    if (isFirst) wakeTimeline(key);
    seekTimeline(key, Math.max(0, own));
  }
  seekOthers(seconds);
  const arrived = showAt(clips, frame);
  const timeOf = (target: Element | undefined, isStyled: boolean): number => {
    const clip = isStyled ? clipAround(target, clipsByElement) : undefined;
    const composition = compositionsByKey.get(clip?.plan.composition ?? "");
    const rate = composition?.rate ?? 1;
    return (seconds - (clip?.plan.start ?? 0)) * rate;
  };
  const isAtFirst = (target: Element | undefined): boolean =>
    isFirst || (target !== undefined && [...arrived].some((one) => one.contains(target)));
  holdAnimations(timeOf, seconds, isAtFirst);
}

/** Seconds that the clip around an element has been there. */
function secondsSince(element: Element, seconds: number): number {
  const clip = film === undefined ? undefined : clipAround(element, film.clipsByElement);
  return seconds - (clip?.plan.start ?? 0);
}

function clipAround(
  target: Element | undefined,
  clipsByElement: ReadonlyMap<Element, ShownClip>,
): ShownClip | undefined {
  for (let at: Element | null = target ?? null; at !== null; at = at.parentElement) {
    const clip = clipsByElement.get(at);
    if (clip !== undefined) return clip;
  }
  return undefined;
}

/** A page that tries to go elsewhere while it loads gets no `load` event. */
async function loaded(): Promise<void> {
  while (document.readyState !== "complete")
    await new Promise<void>((resolve) => window.__kliegClock.soon(resolve, 4));
}

/** The film is black where nothing paints; whether the page has a ground is asked without that. */
function addBackdrop({ isTransparent }: FilmPlan): HTMLStyleElement {
  const style = document.createElement("style");
  style.textContent = `:where(html){background:${isTransparent ? "transparent" : "#000"}}`;
  document.head.prepend(style);
  return style;
}

/** Whether the page, its body or the root paints what is behind everything. */
function hasGround(root: Element | null, { sheet }: HTMLStyleElement): boolean {
  if (sheet !== null) sheet.disabled = true;
  const grounds = [document.documentElement, document.body, ...(root === null ? [] : [root])];
  const isPainted = grounds.some((element) => {
    const { backgroundColor, backgroundImage } = getComputedStyle(element);
    return backgroundImage !== "none" || !isClear(backgroundColor);
  });
  if (sheet !== null) sheet.disabled = false;
  return isPainted;
}

function addGroundRules(): void {
  const style = document.createElement("style");
  style.textContent =
    ":where(html,body){margin:0}" +
    "::-webkit-scrollbar{display:none}" +
    `[${awayAttribute}]{display:none!important}` +
    `[${offAttribute}],[${offAttribute}] *{visibility:hidden!important}`;
  document.head.prepend(style);
}

function elementOf(key: string): HTMLElement | undefined {
  const found = document.querySelector(`[${keyAttribute}="${CSS.escape(key)}"]`);
  return found instanceof HTMLElement || found instanceof SVGElement
    ? (found as HTMLElement)
    : undefined;
}

/** Pictures and fonts that the first frame needs. */
async function settled(
  clips: readonly ShownClip[],
  { width, height }: FilmPlan,
  warnings: string[],
): Promise<void> {
  const masks = clips.map((clip) => maskClip(clip, width, height)).filter((url) => url !== "");
  for (const { plan, element } of clips)
    if (plan.imageUrl !== undefined && element instanceof HTMLImageElement) {
      element.removeAttribute("srcset");
      element.src = plan.imageUrl;
    }
  const pictures = [
    ...document.images,
    ...masks.map((url) => Object.assign(new Image(), { src: url })),
  ];
  for (const picture of pictures) picture.loading = "eager";
  await Promise.all([
    ...pictures.map((picture) => picture.decode().catch(() => undefined)),
    ...promptFaces().map((font) =>
      font.load().catch(() => warnings.push(`the font ${font.family} could not be loaded`)),
    ),
  ]);
}

/**
 * Waits for scripts that register late, and not long for one that threw; whether the root's
 * timeline is still missing.
 */
async function waitForTimelines({ compositions, timelineMs }: FilmPlan): Promise<boolean> {
  const stepMs = 25;
  for (let waited = 0; ; waited += stepMs) {
    const missing = compositions.filter((one) => !findTimeline(one));
    const isRootMissing = missing.some(({ key }) => key === "") && isAwaited();
    if (!isRootMissing || hasOtherClock()) return false;
    if (waited >= (window.__kliegClock.hasFaults() ? 200 : timelineMs)) return true;
    await new Promise<void>((resolve) => window.__kliegClock.soon(resolve, stepMs));
    // Timers may be what it waits for.
    window.__kliegClock.advance(waited);
  }
}

/** Only a script that mentions timelines registers one, unless it threw. */
function isAwaited(): boolean {
  if (document.querySelector("[data-no-timeline]") !== null) return false;
  const isMeant = window.__kliegClock.hasFaults() ? speaksOfTimelines : mayRegister;
  return [...document.scripts].some(({ text }) => isMeant(text));
}

/** What a picture of the page's elements alone may show otherwise. */
function obstacles(): string[] {
  const found = new Set<string>();
  const ours = `canvas[${screenAttribute}]`;
  for (const name of [`canvas:not(${ours})`, "iframe", "object", "embed"])
    if (document.querySelector(name) !== null) found.add(name);
  const all = [...document.querySelectorAll("body *")];
  if (all.length > 5_000) found.add("many elements");
  for (const element of all.slice(0, 5_000)) {
    const style = getComputedStyle(element);
    if (style.transformStyle === "preserve-3d") found.add("preserve-3d");
    if (style.perspective !== "none") found.add("perspective");
    if (style.backdropFilter !== "none") found.add("backdrop-filter");
    if (style.position === "fixed") found.add("fixed");
  }
  return [...found];
}

Object.defineProperty(window, "__kliegFilm", {
  value: {
    ...{ open, seek, expect, show, draw, handed, layout, volumes },
    places: (keys: string[]) => placesOf(film?.clips ?? [], keys),
    text: (id: string) => stageText(film?.clips ?? [], id),
  },
});
