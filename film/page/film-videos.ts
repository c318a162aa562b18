/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import type { Exchange } from "./exchange.ts";
import { fitObject } from "./object-fit.ts";
import type { PicturePlaces, PlannedClip } from "./plan.ts";
import { isShownAt, offAttribute, type ShownClip } from "./shown-clips.ts";
import { feignLoaded, lendScreens, tellLoaded, tellPicture } from "./video-reads.ts";

/**
 * Videos do not play: beside each is a box in the video's own place and style, with a canvas that
 * shows the current frame. The video stays for scripts and selectors and paints nothing. In a page
 * that draws itself a canvas is painted right only at the size of its pixels and when a transform
 * moves it, so that is how it is fitted into its box.
 */
interface FilmVideo {
  readonly clip: ShownClip;
  readonly box: HTMLElement;
  readonly screen: HTMLCanvasElement;
  coming: Coming | undefined;
  shown: ImageData | undefined;
  hasAlpha: boolean;
  isLit: boolean;
}

/** A picture that is shown from some frame on. */
interface Coming {
  readonly from: number;
  readonly picture: Promise<ImageData | LivePicture>;
}

/** A picture of a video that the browser itself plays, in a preview. */
export interface LivePicture {
  readonly width: number;
  readonly height: number;
  paint(pen: CanvasRenderingContext2D): void;
}

/** Every style that a script may animate on a video. */
const followed = [
  ..."transform translate rotate scale transform-origin opacity filter clip-path".split(" "),
  ..."mask-image mask-position mask-size mask-repeat mask-origin mask-clip".split(" "),
  ..."mix-blend-mode z-index border-radius padding".split(" "),
  ..."border-top-width border-right-width border-bottom-width border-left-width".split(" "),
  ..."visibility backface-visibility image-rendering".split(" "),
];

/** Attributes that mark boxes and canvases of our own. */
export const boxAttribute = "data-klieg-box";
export const screenAttribute = "data-klieg-screen";

const videosByKey = new Map<string, FilmVideo>();

export function replaceVideos(clips: readonly ShownClip[], isUnfilmed: boolean): void {
  for (const clip of clips) {
    const { element, plan } = clip;
    if (!(element instanceof HTMLVideoElement)) continue;
    element.pause();
    element.removeAttribute("controls");
    element.poster = blank(plan);
    feignLoaded(element, plan.size ?? { width: 16, height: 9 });
    if (isUnfilmed) continue;
    const box = document.createElement("div");
    box.setAttribute(boxAttribute, "");
    box.setAttribute(offAttribute, "");
    Object.assign(box.style, {
      position: "absolute",
      margin: "0",
      boxSizing: "border-box",
      borderStyle: "solid",
      borderColor: "transparent",
      overflow: "clip",
      overflowClipMargin: "content-box",
      pointerEvents: "none",
    });
    const screen = document.createElement("canvas");
    screen.setAttribute(screenAttribute, "");
    Object.assign(screen.style, {
      position: "absolute",
      left: "0",
      top: "0",
      margin: "0",
      maxWidth: "none",
      maxHeight: "none",
      transformOrigin: "0 0",
    });
    box.append(screen);
    element.after(box);
    videosByKey.set(plan.key, {
      clip,
      box,
      screen,
      coming: undefined,
      shown: undefined,
      hasAlpha: false,
      isLit: false,
    });
  }
}

/** Once the page is set up, gives scripts the videos that they draw and the events they await. */
export function offerVideos(): void {
  if (videosByKey.size === 0) return;
  const byElement = new Map<Element, FilmVideo>(
    [...videosByKey.values()].map((video) => [video.clip.element, video]),
  );
  lendScreens((element) => byElement.get(element)?.screen);
  tellLoaded([...byElement.keys()].filter((element) => element instanceof HTMLVideoElement));
}

/** Puts a frame's new pictures on the videos' screens, for scripts that draw them. */
export async function lightVideos(frame: number, seconds: number): Promise<void> {
  for (const video of videosByKey.values()) {
    const { coming, clip } = video;
    if (coming === undefined || coming.from > frame) continue;
    light(video, await coming.picture);
    if (clip.element instanceof HTMLVideoElement) tellPicture(clip.element, seconds);
  }
}

/** Makes a poster that gives the video its intrinsic size, as its file would. */
function blank({ size }: PlannedClip): string {
  const { width, height } = size ?? { width: 16, height: 9 };
  const drawing = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"/>`;
  return `data:image/svg+xml,${encodeURIComponent(drawing)}`;
}

/** Begins to load the videos' pictures for that frame, in parallel with the page's work. */
export function expectPictures(from: number, places: PicturePlaces, exchange: Exchange): void {
  for (const [key, place] of Object.entries(places)) {
    const video = videosByKey.get(key);
    if (video === undefined) continue;
    const { shown } = video;
    const isFit = shown?.width === place.width && shown.height === place.height;
    const picture = exchange.picture(place, isFit ? shown.data.buffer : undefined);
    // The error is thrown where the picture is shown.
    picture.catch(() => undefined);
    video.coming = { from, picture };
    video.shown = undefined;
    video.hasAlpha = place.hasAlpha;
  }
}

/** Shows from a frame on what a browser plays. */
export function showLive(key: string, from: number, picture: LivePicture): void {
  const video = videosByKey.get(key);
  if (video === undefined) return;
  video.hasAlpha = true;
  video.coming = { from, picture: Promise.resolve(picture) };
}

/** Assigns expected pictures to this frame; returns the keys of those that failed. */
export async function bringPictures(frame: number): Promise<string[]> {
  const lost: string[] = [];
  for (const [key, video] of videosByKey) {
    const { coming } = video;
    if (coming === undefined) continue;
    const isMade = await coming.picture.then(
      () => true,
      () => false,
    );
    video.coming = isMade ? { ...coming, from: frame } : undefined;
    if (!isMade) lost.push(key);
  }
  return lost;
}

/** Shows the pictures that have arrived, and each video at its current position. */
export async function showVideos(frame: number): Promise<void> {
  for (const video of videosByKey.values()) {
    const { coming } = video;
    if (coming !== undefined && coming.from <= frame) light(video, await coming.picture);
    const { clip, box, isLit } = video;
    const isOn = isShownAt(clip.plan, frame) && isLit && !isWithinOff(clip.element);
    box.toggleAttribute(offAttribute, !isOn);
    if (isOn) follow(video);
  }
}

/** Copies pixels, because a browser caches frames that it draws, up to half a gigabyte. */
function light(video: FilmVideo, picture: ImageData | LivePicture): void {
  const { screen } = video;
  const { width, height } = picture;
  if (screen.width !== width || screen.height !== height) Object.assign(screen, { width, height });
  const pen = screen.getContext("2d", { willReadFrequently: true, alpha: video.hasAlpha });
  if (picture instanceof ImageData) pen?.putImageData(picture, 0, 0);
  else if (pen !== null) {
    pen.clearRect(0, 0, width, height);
    picture.paint(pen);
  }
  video.coming = undefined;
  video.shown = picture instanceof ImageData ? picture : undefined;
  video.isLit = true;
}

function isWithinOff(element: HTMLElement): boolean {
  return element.closest(`[${offAttribute}]`) !== null;
}

function follow({ clip, box, screen }: FilmVideo): void {
  const { element } = clip;
  const style = getComputedStyle(element);
  for (const name of followed) write(box, name, style.getPropertyValue(name));
  write(box, "left", `${element.offsetLeft}px`);
  write(box, "top", `${element.offsetTop}px`);
  write(box, "width", `${element.offsetWidth}px`);
  write(box, "height", `${element.offsetHeight}px`);
  write(screen, "width", `${screen.width}px`);
  write(screen, "height", `${screen.height}px`);
  const { x, y, scaleX, scaleY } = fitObject(element, screen);
  write(screen, "transform", `translate(${x}px, ${y}px) scale(${scaleX}, ${scaleY})`);
}

function write({ style }: HTMLElement, name: string, value: string): void {
  if (style.getPropertyValue(name) !== value) style.setProperty(name, value);
}
