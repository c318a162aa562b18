/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import { ownAddress } from "./own-address.ts";

/**
 * Images that move by themselves (GIF, WebP, APNG) show what belongs to the film's time: each of
 * their pictures is put into the element as a file of its own.
 */
interface MovingImage {
  readonly element: HTMLImageElement;
  readonly decoder: ImageDecoder;
  /** When each picture ends, in milliseconds of a round. */
  readonly ends: readonly number[];
  readonly rounds: number;
  readonly urls: Map<number, string>;
  shown: number;
}

const imagesMax = 50;
const picturesMax = 2_000;
const moving: MovingImage[] = [];

/** Takes those in the page over; sentences about others. */
export async function takeMovingImages(): Promise<readonly string[]> {
  const answer = await fetch(ownAddress(".klieg/moving"));
  const urls = new Set((await answer.json()) as readonly string[]);
  if (urls.size === 0) return [];
  const images = [...document.images].filter((image) => urls.has(image.currentSrc));
  const sentences: string[] = [];
  for (const image of images.slice(0, imagesMax)) {
    const taken = await opened(image).catch(() => undefined);
    if (taken !== undefined) moving.push(taken);
    else sentences.push(`${nameOf(image.currentSrc)} cannot be decoded; it stands still`);
  }
  const known = new Set(images.map((image) => image.currentSrc));
  for (const url of [...urls].filter((one) => !known.has(one)))
    sentences.push(`${nameOf(url)} moves only in an img element; it stands still`);
  return sentences;
}

function nameOf(url: string): string {
  return decodeURIComponent(new URL(url).pathname.slice(1));
}

async function opened(element: HTMLImageElement): Promise<MovingImage> {
  const answer = await fetch(element.currentSrc);
  const type = answer.headers.get("content-type") ?? "";
  const data = await answer.arrayBuffer();
  const decoder = new ImageDecoder({ data, type });
  await Promise.all([decoder.completed, decoder.tracks.ready]);
  const { frameCount = 0, repetitionCount = 0 } = decoder.tracks.selectedTrack ?? {};
  const ends: number[] = [];
  for (let frameIndex = 0; frameIndex < Math.min(frameCount, picturesMax); frameIndex++) {
    const { image } = await decoder.decode({ frameIndex });
    ends.push((ends.at(-1) ?? 0) + Math.max(1, (image.duration ?? 100_000) / 1_000));
    image.close();
  }
  const sources = element.closest("picture")?.querySelectorAll("source") ?? [];
  for (const source of sources) source.remove();
  element.removeAttribute("srcset");
  return { element, decoder, ends, rounds: repetitionCount + 1, urls: new Map(), shown: -1 };
}

/** `secondsOf`: how long what holds an element has been there. */
export async function showMovingImages(secondsOf: (element: Element) => number): Promise<void> {
  for (const image of moving) {
    const at = pictureAt(image, Math.max(0, secondsOf(image.element)) * 1_000);
    if (at === image.shown) continue;
    image.shown = at;
    image.element.src = await pictureUrl(image, at);
    await image.element.decode().catch(() => undefined);
  }
}

/** A hair late, so that a picture which begins with a frame is in it. */
function pictureAt({ ends, rounds }: MovingImage, ms: number): number {
  const round = ends.at(-1) ?? 0;
  if (round === 0) return 0;
  if (ms + hairMs >= round * rounds) return ends.length - 1;
  const own = (ms + hairMs) % round;
  return Math.max(
    0,
    ends.findIndex((end) => own < end),
  );
}

const hairMs = 0.01;

async function pictureUrl({ decoder, urls }: MovingImage, frameIndex: number): Promise<string> {
  const known = urls.get(frameIndex);
  if (known !== undefined) return known;
  const { image } = await decoder.decode({ frameIndex });
  const canvas = new OffscreenCanvas(image.displayWidth, image.displayHeight);
  canvas.getContext("2d", { willReadFrequently: true })?.drawImage(image, 0, 0);
  image.close();
  const url = URL.createObjectURL(await canvas.convertToBlob({ type: "image/png" }));
  urls.set(frameIndex, url);
  return url;
}
