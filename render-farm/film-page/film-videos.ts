/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import type { Exchange } from "./exchange.ts";
import type { PicturePlace, PlannedClip } from "./plan.ts";
import { isShownAt, offAttribute, type ShownClip } from "./shown-clips.ts";

/**
 * Videos do not play: beside each stands a canvas that shows the frame that belongs there, in the
 * video's own place and style. The video stays for scripts and selectors and paints nothing.
 */
interface FilmVideo {
  readonly clip: ShownClip;
  readonly screen: HTMLCanvasElement;
  isLit: boolean;
}

/** Whatever a script may animate on a video. */
const followed = [
  ..."transform translate rotate scale transform-origin opacity filter clip-path".split(" "),
  ..."mask-image mask-position mask-size mask-repeat mask-origin mask-clip".split(" "),
  ..."mix-blend-mode z-index border-radius object-fit object-position padding".split(" "),
  ..."border-top-width border-right-width border-bottom-width border-left-width".split(" "),
  ..."visibility backface-visibility image-rendering".split(" "),
];

/** Marks the canvases that are ours. */
export const screenAttribute = "data-klieg-screen";

const videosByKey = new Map<string, FilmVideo>();

export function replaceVideos(clips: readonly ShownClip[]): void {
  for (const clip of clips) {
    const { element, plan } = clip;
    if (!(element instanceof HTMLVideoElement)) continue;
    element.pause();
    element.removeAttribute("controls");
    element.poster = blank(plan);
    const screen = document.createElement("canvas");
    screen.setAttribute(screenAttribute, "");
    screen.setAttribute(offAttribute, "");
    Object.assign(screen.style, {
      position: "absolute",
      margin: "0",
      maxWidth: "none",
      maxHeight: "none",
      boxSizing: "border-box",
      borderStyle: "solid",
      borderColor: "transparent",
      pointerEvents: "none",
    });
    element.after(screen);
    videosByKey.set(plan.key, { clip, screen, isLit: false });
  }
}

/** Gives the video its own size, as its file would. */
function blank({ size }: PlannedClip): string {
  const { width, height } = size ?? { width: 16, height: 9 };
  const drawing = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"/>`;
  return `data:image/svg+xml,${encodeURIComponent(drawing)}`;
}

/** Shows the pictures that are new, and each video where it stands now. */
export async function showVideos(
  places: Readonly<Record<string, PicturePlace>>,
  frame: number,
  exchange: Exchange | undefined,
): Promise<void> {
  for (const [key, place] of Object.entries(places)) {
    const video = videosByKey.get(key);
    if (video === undefined || exchange === undefined) continue;
    light(video.screen, await exchange.picture(place), place);
    video.isLit = true;
  }
  for (const { clip, screen, isLit } of videosByKey.values()) {
    const isOn = isShownAt(clip.plan, frame) && isLit && !isWithinOff(clip.element);
    screen.toggleAttribute(offAttribute, !isOn);
    if (isOn) follow(clip.element, screen);
  }
}

function light(screen: HTMLCanvasElement, picture: VideoFrame, place: PicturePlace): void {
  const { width, height, hasAlpha } = place;
  if (screen.width !== width || screen.height !== height) Object.assign(screen, { width, height });
  const pen = screen.getContext("2d", { willReadFrequently: true, alpha: hasAlpha });
  if (hasAlpha) pen?.clearRect(0, 0, width, height);
  pen?.drawImage(picture, 0, 0);
  picture.close();
}

function isWithinOff(element: HTMLElement): boolean {
  return element.closest(`[${offAttribute}]`) !== null;
}

function follow(video: HTMLElement, screen: HTMLCanvasElement): void {
  const style = getComputedStyle(video);
  const copy = (name: string, value: string): void => {
    if (screen.style.getPropertyValue(name) !== value) screen.style.setProperty(name, value);
  };
  for (const name of followed) copy(name, style.getPropertyValue(name));
  copy("left", `${video.offsetLeft}px`);
  copy("top", `${video.offsetTop}px`);
  copy("width", `${video.offsetWidth}px`);
  copy("height", `${video.offsetHeight}px`);
}
