/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import { keyAttribute } from "../../timeline/key-attribute.ts";
import { even, frameFrom } from "../../timeline/model.ts";
import { mayRegister, speaksOfTimelines } from "../../timeline/registration.ts";
import { addTexts } from "./added-texts.ts";
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
import {
  awaitPage,
  beginFilm,
  type HeldFilm,
  leadTo,
  secondsSince,
  seekTimelines,
} from "./held-film.ts";
import { layOutRoot } from "./layout.ts";
import { makeClips } from "./made-clips.ts";
import { measurePlaces } from "./measured/places.ts";
import { stageText } from "./measured/text-pictures.ts";
import { mediaLayout } from "./media-layout.ts";
import { bindVariables, isRegistering, mount } from "./mount.ts";
import { showMovingImages, takeMovingImages } from "./moving/moving-images.ts";
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
import {
  bridgeMs,
  findRefusedPackage,
  hasShaderTransitions,
  mixScenes,
} from "./shader-transitions.ts";
import {
  awayAttribute,
  dressAt,
  maskClip,
  offAttribute,
  type ShownClip,
  undress,
} from "./shown-clips.ts";
import { findTimeline, hasOtherClock, rootDuration } from "./timelines.ts";
import { listUnfilmedParts } from "./unfilmed-parts.ts";
import { areVideosRead } from "./video-reads.ts";

/**
 * The film within its page: prepared once (`open`), then moved to one frame after the other
 * (`seek`).
 */
declare const window: FilmWindow;

interface Open extends HeldFilm {
  readonly plan: FilmPlan;
  readonly exchange: Exchange | undefined;
}

let film: Open | undefined;

export async function open(plan: FilmPlan): Promise<FilmReport> {
  const { mark, width, height } = plan;
  const exchanging = mark === "" ? undefined : Exchange.open(mark, even(width), even(height));
  // The error is thrown where the promise is awaited.
  exchanging?.catch(() => undefined);
  await awaitPage();
  const warnings: string[] = [];
  addGroundRules();
  const ground = addBackdrop(plan);
  for (const composition of plan.compositions) {
    const host = findElement(composition.key);
    if (composition.isMounted && host !== undefined) await mount(composition, host);
    else if (host !== undefined) bindVariables(host, composition);
  }
  for (const key of plan.deleted) findElement(key)?.remove();
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
  await settle(clips, plan, warnings);
  warnings.push(...(await takeMovingImages()));
  const exchange = await exchanging;
  await window.__kliegClock.setUp(0);
  if (hasShaderTransitions()) await window.__kliegClock.setUp(bridgeMs);
  const lacksTimeline = await waitForTimelines(plan);
  if (root !== null) layOutRoot(root, plan);
  film = { ...beginFilm(plan, [...clips, ...makeClips(plan)]), plan, exchange };
  await facesUsed();
  warnings.push(...lackingFonts(), ...listUnfilmedParts());
  const refusal = findRefusedPackage();
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

/** Lists the clips of the markup, and the texts of the edits. */
function planClips({ clips, texts, fps }: FilmPlan): readonly ShownClip[] {
  const authored = clips.flatMap((clip): ShownClip[] => {
    const element = findElement(clip.key);
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
  const held = film;
  await leadTo(held, frame);
  await window.__kliegClock.quiet();
  await showMovingImages((element) => secondsSince(held, element, frame / fps));
  await facesUsed();
  dressAt(film.clips, frame, frame / fps);
  await showVideos(frame);
  await mixScenes();
}

/**
 * Moves the page towards a frame that is not the next one, in steps, so that no call takes long;
 * returns whether it has reached the frame before that one.
 */
async function approach(frame: number): Promise<boolean> {
  if (film === undefined) throw new Error("no film is open");
  await leadTo(film, frame - 1, approachedMax);
  return film.frame >= frame - 1;
}

const approachedMax = 250;

/** Begins to load pictures of videos, in parallel with the page's work. */
function expect(videos: PicturePlaces): null {
  if (film?.exchange === undefined) throw new Error("no film with videos is open");
  expectPictures(Number.POSITIVE_INFINITY, videos, film.exchange);
  return null;
}

/** Shows these pictures in the current frame; returns the keys of those that failed to decode. */
async function show(): Promise<string[]> {
  if (film === undefined) throw new Error("no film is open");
  const lost = await bringPictures(film.frame);
  if (areVideosRead()) {
    await lightVideos(film.frame, film.frame / film.plan.fps);
    // Scripts that draw videos at each frame draw this one again.
    await window.__kliegClock.advance((film.frame * 1_000) / film.plan.fps);
    await leadTo(film, film.frame);
  }
  await showVideos(film.frame);
  await mixScenes();
  return lost;
}

/** Draws a frame and begins to hand it over, unless it is unchanged; returns whether it did. */
async function draw(order: FrameOrder): Promise<boolean> {
  await seek(order);
  if (film?.exchange !== undefined) expectPictures(order.frame + 1, order.next, film.exchange);
  const picture = await drawPage();
  if (picture !== undefined) await film?.exchange?.hand(picture);
  return picture !== undefined;
}

/** Resolves when all frames drawn so far are handed over. */
async function handOver(): Promise<null> {
  await film?.exchange?.handOver();
  return null;
}

function layout(): MediaLayout | null {
  return film === undefined ? null : mediaLayout(film.clips, film.plan);
}

/** Measures the volume that timelines give to each sound, frame by frame. */
function volumes({ from, to, clips }: VolumeOrder): VolumeCurves {
  if (film === undefined) throw new Error("no film is open");
  const heard = clips.flatMap(({ key, volume }) => {
    const element = findElement(key);
    if (!(element instanceof HTMLMediaElement)) return [];
    if (from === 0) element.volume = volume;
    return [{ key, element, values: [] as number[] }];
  });
  for (let frame = from; frame < to; frame++) {
    seekTimelines(film, frame, false);
    for (const { element, values } of heard) values.push(element.volume);
  }
  seekTimelines(film, 0, false);
  return Object.fromEntries(heard.map(({ key, values }) => [key, values]));
}

/** Makes the film black where nothing paints; switched off to test for a background of its own. */
function addBackdrop({ isTransparent }: FilmPlan): HTMLStyleElement {
  const style = document.createElement("style");
  style.textContent = `:where(html){background:${isTransparent ? "transparent" : "#000"}}`;
  document.head.prepend(style);
  return style;
}

/** Whether the page, its body or the root paints a background. */
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

function findElement(key: string): HTMLElement | undefined {
  const found = document.querySelector(`[${keyAttribute}="${CSS.escape(key)}"]`);
  return found instanceof HTMLElement || found instanceof SVGElement
    ? (found as HTMLElement)
    : undefined;
}

/** Loads the pictures and fonts that the first frame needs. */
async function settle(
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
 * Waits for scripts that register late, but not long for one that threw; returns whether the root's
 * timeline is still missing. The film's time runs meanwhile, because scripts may be waiting for
 * timers.
 */
async function waitForTimelines({ compositions, timelineMs }: FilmPlan): Promise<boolean> {
  const stepMs = 25;
  const time = window.__kliegClock;
  for (let waited = 0; ; waited += stepMs) {
    const missing = compositions.filter((one) => !findTimeline(one));
    const isRootMissing = missing.some(({ key }) => key === "") && isAwaited();
    const isSceneMissing = missing.some(({ key }) => isRegistering(key));
    if (hasOtherClock() || !(isRootMissing || isSceneMissing)) return false;
    const rootMs = time.hasFaults() ? 200 : timelineMs;
    if (waited >= (isRootMissing ? rootMs : sceneMs)) return isRootMissing;
    await new Promise<void>((resolve) => time.soon(resolve, stepMs));
    await time.setUp(stepMs);
  }
}

/** Wait for scenes in milliseconds; most of those that register no timeline cause no wait. */
const sceneMs = 100;

/** Whether a timeline is expected: only scripts that mention timelines register one. */
function isAwaited(): boolean {
  if (document.querySelector("[data-no-timeline]") !== null) return false;
  const isMeant = window.__kliegClock.hasFaults() ? speaksOfTimelines : mayRegister;
  return [...document.scripts].some(({ text }) => isMeant(text));
}

/** Lists what may look different when the page's elements alone are drawn. */
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
    takeMovingImages,
    open,
    seek,
    approach,
    expect,
    show,
    draw,
    handed: handOver,
    layout,
    volumes,
    places: (keys: string[]) => measurePlaces(film?.clips ?? [], keys),
    text: (id: string) => stageText(film?.clips ?? [], id),
  },
});
