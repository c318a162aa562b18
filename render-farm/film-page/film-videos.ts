/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import type { PlannedClip } from "./plan.ts";
import { isShownAt, offAttribute, type ShownClip } from "./shown-clips.ts";

/**
 * Videos do not play: beside each stands an image that shows the frame that belongs there, in the
 * video's own place and style. The video stays for scripts and selectors and paints nothing.
 */
interface FilmVideo {
  readonly clip: ShownClip;
  readonly image: HTMLImageElement;
  address: string;
}

/** Whatever a script may animate on a video. */
const followed = [
  ..."transform translate rotate scale transform-origin opacity filter clip-path".split(" "),
  ..."mask-image mask-position mask-size mask-repeat mask-origin mask-clip".split(" "),
  ..."mix-blend-mode z-index border-radius object-fit object-position padding".split(" "),
  ..."border-top-width border-right-width border-bottom-width border-left-width".split(" "),
  ..."visibility backface-visibility image-rendering".split(" "),
];

const videosByKey = new Map<string, FilmVideo>();

export function replaceVideos(clips: readonly ShownClip[]): void {
  for (const clip of clips) {
    const { element, plan } = clip;
    if (!(element instanceof HTMLVideoElement)) continue;
    element.pause();
    element.removeAttribute("controls");
    element.poster = blank(plan);
    const image = document.createElement("img");
    image.alt = "";
    image.setAttribute(offAttribute, "");
    Object.assign(image.style, {
      position: "absolute",
      margin: "0",
      maxWidth: "none",
      maxHeight: "none",
      boxSizing: "border-box",
      borderStyle: "solid",
      borderColor: "transparent",
      pointerEvents: "none",
    });
    element.after(image);
    videosByKey.set(plan.key, { clip, image, address: "" });
  }
}

/** Gives the video its own size, as its file would. */
function blank({ size }: PlannedClip): string {
  const { width, height } = size ?? { width: 16, height: 9 };
  const drawing = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"/>`;
  return `data:image/svg+xml,${encodeURIComponent(drawing)}`;
}

export async function showVideos(
  videos: Readonly<Record<string, string>>,
  frame: number,
): Promise<void> {
  const arrivals = Object.entries(videos).map(async ([key, bytes]) => {
    const video = videosByKey.get(key);
    if (video === undefined) return;
    const before = video.address;
    video.address = URL.createObjectURL(blobOf(bytes));
    video.image.src = video.address;
    await video.image.decode();
    if (before !== "") URL.revokeObjectURL(before);
  });
  await Promise.all(arrivals);
  for (const { clip, image, address } of videosByKey.values()) {
    const isOn = isShownAt(clip.plan, frame) && address !== "" && !isWithinOff(clip.element);
    image.toggleAttribute(offAttribute, !isOn);
    if (isOn) follow(clip.element, image);
  }
}

function isWithinOff(element: HTMLElement): boolean {
  return element.closest(`[${offAttribute}]`) !== null;
}

function follow(video: HTMLElement, image: HTMLImageElement): void {
  const style = getComputedStyle(video);
  const copy = (name: string, value: string): void => {
    if (image.style.getPropertyValue(name) !== value) image.style.setProperty(name, value);
  };
  for (const name of followed) copy(name, style.getPropertyValue(name));
  copy("left", `${video.offsetLeft}px`);
  copy("top", `${video.offsetTop}px`);
  copy("width", `${video.offsetWidth}px`);
  copy("height", `${video.offsetHeight}px`);
}

function blobOf(base64: string): Blob {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return new Blob([bytes], { type: base64.startsWith("/9j/") ? "image/jpeg" : "image/png" });
}
