/// <reference lib="dom" />
import type { LivePicture } from "../page/film-videos.ts";
import { type Grader, notGraded } from "./grades.ts";
import { missingPicture } from "./missing-picture.ts";
import type { PreviewMedia } from "./preview-film.ts";

/**
 * The media of a preview: elements outside the page, which the browser plays. Their pictures are
 * drawn into the page as the film's pictures are; their sound is played directly.
 */
const realPlay = HTMLMediaElement.prototype.play;
const createElement = document.createElement.bind(document);
/** Largest drift of a playing medium that is left uncorrected. */
const driftSeconds = 0.12;
/** Offset into the frame, because the times of pictures are rounded. */
const hairSeconds = 0.001;
const patienceMs = 8_000;

export class PlayedMedia {
  readonly media: PreviewMedia;
  readonly element: HTMLVideoElement | HTMLAudioElement;

  private constructor(media: PreviewMedia, element: HTMLVideoElement | HTMLAudioElement) {
    this.media = media;
    this.element = element;
  }

  /** Resolves once size and length are known; undefined when the browser cannot play the medium. */
  static async open(media: PreviewMedia): Promise<PlayedMedia | undefined> {
    const element = createElement(media.isVideo ? "video" : "audio");
    element.crossOrigin = "anonymous";
    element.preload = "auto";
    element.src = media.url;
    const isOpen = await happens(element, "loadeddata");
    if (!isOpen) return undefined;
    element.playbackRate = Math.min(16, Math.max(0.0625, media.rate));
    return new PlayedMedia(media, element);
  }

  get size(): { readonly width: number; readonly height: number } | undefined {
    const { element } = this;
    if (!(element instanceof HTMLVideoElement) || element.videoWidth === 0) return undefined;
    return { width: element.videoWidth, height: element.videoHeight };
  }

  isOn(seconds: number): boolean {
    const { start, end } = this.media;
    return seconds >= start && seconds < (end ?? Number.POSITIVE_INFINITY);
  }

  /** Seeks to the picture that belongs to a second of the film. */
  async seek(seconds: number): Promise<void> {
    this.element.pause();
    const wanted = this.sourceSecond(seconds);
    if (Math.abs(this.element.currentTime - wanted) < hairSeconds / 2) return;
    this.element.currentTime = wanted;
    await happens(this.element, "seeked");
  }

  /** Plays in step with the film from a given second on, at the volume for it. */
  follow(seconds: number, isMuted: boolean, volume: number): void {
    const { element, media } = this;
    const wanted = this.sourceSecond(seconds);
    const isOver = this.isHeld(seconds);
    element.muted = isMuted || !media.isAudible;
    element.volume = Math.min(1, Math.max(0, volume * this.fadeAt(seconds)));
    if (Math.abs(element.currentTime - wanted) > driftSeconds) element.currentTime = wanted;
    if (isOver) element.pause();
    else if (element.paused) void realPlay.call(element).catch(() => undefined);
  }

  pause(): void {
    this.element.pause();
  }

  /** Returns a video's current picture, in its graded colours. */
  picture(grader: Grader): LivePicture | undefined {
    const { element, size, media } = this;
    if (!(element instanceof HTMLVideoElement) || size === undefined) return undefined;
    if (!grader.has(media.key))
      return { ...size, paint: (pen) => pen.drawImage(element, 0, 0, size.width, size.height) };
    if (!grader.isAble()) return missingPicture(media.name, notGraded);
    return { ...size, paint: (pen) => void grader.paint(media.key, element, size, pen) };
  }

  /** Whether the source has ended, so that its last picture stays on display. */
  private isHeld(seconds: number): boolean {
    if (this.media.isLooped) return false;
    return this.sourceSecond(seconds) >= this.lastSecond();
  }

  private lastSecond(): number {
    const { duration } = this.element;
    const length = Number.isFinite(duration) ? duration : Number.POSITIVE_INFINITY;
    return Math.min(length, this.media.until ?? length);
  }

  private sourceSecond(seconds: number): number {
    const { start, from, rate, isLooped } = this.media;
    const at = from + Math.max(0, seconds - start) * rate;
    const last = this.lastSecond();
    if (isLooped && last > from && at >= last) return from + ((at - from) % (last - from));
    return Math.min(at + hairSeconds, last);
  }

  private fadeAt(seconds: number): number {
    const { start, end, fadeIn, fadeOut } = this.media;
    const isComing = fadeIn > 0 ? (seconds - start) / fadeIn : 1;
    const isGoing = fadeOut > 0 && end !== null ? (end - seconds) / fadeOut : 1;
    return Math.max(0, Math.min(1, isComing, isGoing));
  }
}

/** Whether the event occurs, before an error and in time. */
function happens(element: HTMLMediaElement, name: string): Promise<boolean> {
  return new Promise((resolve) => {
    const stop = new AbortController();
    const end = (hasHappened: boolean) => {
      stop.abort();
      resolve(hasHappened);
    };
    const options = { once: true, signal: stop.signal };
    element.addEventListener(name, () => end(true), options);
    element.addEventListener("error", () => end(false), options);
    realTimeout(() => end(false), patienceMs);
  });
}

const realTimeout = window.setTimeout.bind(window);
