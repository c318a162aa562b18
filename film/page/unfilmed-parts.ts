/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import { keyAttribute } from "../../timeline/key-attribute.ts";
import { isApart, ownAddress } from "./own-address.ts";
import type { FilmWindow } from "./plan.ts";

declare const window: FilmWindow;

/** Returns a sentence for each thing made by scripts that no film shows as intended. */
export function listUnfilmedParts(): readonly string[] {
  const { videos = [], workerCanvases = 0 } = window.__kliegMade ?? {};
  const inPage = document.querySelectorAll<HTMLVideoElement>(`video:not([${keyAttribute}])`);
  const made = new Set([...videos, ...inPage]);
  const sentences: string[] = [];
  for (const video of made) {
    const source = video.getAttribute("src") ?? video.querySelector("source")?.getAttribute("src");
    if (source !== null && source !== undefined && !video.hasAttribute(keyAttribute))
      sentences.push(
        `a script created a video of ${source.slice(0, 100)}; only videos in the markup play in films`,
      );
  }
  for (const frame of document.querySelectorAll("iframe"))
    if (isForeign(frame))
      sentences.push(`${getName(frame)} holds a page from another origin, whose time stands still`);
  if (workerCanvases > 0)
    sentences.push(
      "a script gave a canvas to a worker (transferControlToOffscreen), whose time is not the film's",
    );
  return sentences;
}

/** Whether the frame's page has another origin than the film, in previews and in renders. */
export function isForeign(frame: HTMLIFrameElement): boolean {
  if (frame.contentDocument !== null) return false;
  const isShut = frame.hasAttribute("sandbox") && !frame.sandbox.contains("allow-same-origin");
  const isOurs = frame.hasAttribute("srcdoc") || isOfBundle(frame.src);
  return !isApart() || isShut || !isOurs;
}

function isOfBundle(url: string): boolean {
  return url === "" || /^(about|blob):/.test(url) || url.startsWith(ownAddress("."));
}

export function getName({ id, tagName }: Element): string {
  return tagName.toLowerCase() + (id === "" ? "" : `#${id.slice(0, 80)}`);
}
