/// <reference lib="dom" />
import { frameCount } from "../../timeline/model.ts";
import { open, seek } from "../page/film.ts";
import { type LivePicture, showLive } from "../page/film-videos.ts";
import { ownAddress } from "../page/own-address.ts";
import { holdEarlyAnimations } from "./early-animations.ts";
import { Grader, notGraded } from "./grades.ts";
import { InnerFrames } from "./inner-frames.ts";
import { PlayedMedia } from "./media.ts";
import { isFrameMessage, type PreviewNews, type PreviewOrder } from "./messages.ts";
import { missingImage, missingPicture } from "./missing-picture.ts";
import type { PreviewFilm } from "./preview-film.ts";
import { lendWorkers } from "./workers.ts";

/**
 * The frame's side of a preview: the first script of a composition's page, which opens the film as
 * the farm does, and shows or plays what the page around it asks for. Time is real only in here,
 * so what it takes of the browser is taken before the film's clock stops it.
 */
const realFrame = window.requestAnimationFrame.bind(window);
const realNow = performance.now.bind(performance);
const realFetch = window.fetch.bind(window);
const parent = window.parent;
const warningsMax = 50;
const innerFrames = new InnerFrames(tellReady);
let ready: (PreviewNews & { readonly kind: "ready" }) | undefined;

interface Playing {
  readonly sinceMs: number;
  readonly sinceFrame: number;
}

/** What pictures show apart from the media that the browser plays, by the clip's key. */
interface Looks {
  readonly grader: Grader;
  readonly missing: ReadonlyMap<string, LivePicture>;
}

class Preview {
  private readonly film: PreviewFilm;
  private readonly media: readonly PlayedMedia[];
  private readonly looks: Looks;
  private readonly frames: number;
  private playing: Playing | undefined;
  private isMuted = false;
  private wanted = 0;
  private shown = -1;
  private isBusy = false;

  constructor(film: PreviewFilm, media: readonly PlayedMedia[], looks: Looks, frames: number) {
    this.film = film;
    this.looks = looks;
    this.media = media;
    this.frames = frames;
  }

  obey(order: PreviewOrder): void {
    switch (order.kind) {
      case "seek":
        this.wanted = Math.min(this.frames - 1, Math.max(0, Math.floor(order.frame)));
        if (this.playing !== undefined) this.begin(this.wanted);
        else void this.show();
        return;
      case "play":
        this.begin(this.wanted >= this.frames - 1 ? 0 : this.wanted);
        return;
      case "pause":
        this.pause();
        return;
      case "mute":
        this.isMuted = order.isMuted;
        return;
    }
  }

  /** Shows the most recently requested frame; older requests that still wait are skipped. */
  async show(): Promise<void> {
    if (this.isBusy) return;
    this.isBusy = true;
    try {
      while (this.shown !== this.wanted && this.playing === undefined) {
        const frame = this.wanted;
        await this.paint(frame, async (one, seconds) => one.seek(seconds));
      }
    } finally {
      this.isBusy = false;
    }
  }

  private begin(frame: number): void {
    const isNew = this.playing === undefined;
    this.playing = { sinceMs: realNow(), sinceFrame: frame };
    if (isNew) realFrame(() => void this.tick());
  }

  private pause(): void {
    this.playing = undefined;
    for (const one of this.media) one.pause();
    this.shown = -1;
    void this.show();
  }

  private async tick(): Promise<void> {
    const { playing, film, frames } = this;
    if (playing === undefined) return;
    const passed = ((realNow() - playing.sinceMs) * film.plan.fps) / 1_000;
    this.wanted = Math.min(frames - 1, playing.sinceFrame + Math.floor(passed));
    if (this.wanted !== this.shown && !this.isBusy)
      await this.paint(this.wanted, async (one, seconds) =>
        one.follow(seconds, this.isMuted, one.media.volume),
      );
    if (this.wanted >= frames - 1) this.pause();
    else realFrame(() => void this.tick());
  }

  private async paint(
    frame: number,
    bring: (one: PlayedMedia, seconds: number) => Promise<void>,
  ): Promise<void> {
    const seconds = frame / this.film.plan.fps;
    await Promise.all(
      this.media.map(async (one) => {
        if (!one.isOn(seconds)) return one.pause();
        await bring(one, seconds);
        const picture = one.media.isShown ? one.picture(this.looks.grader) : undefined;
        if (picture !== undefined) showLive(one.media.key, frame, picture);
      }),
    );
    for (const [key, picture] of this.looks.missing) showLive(key, frame, picture);
    await seek({ frame, videos: {}, next: {} });
    await innerFrames.hold(frame, this.film.plan.fps);
    this.shown = frame;
    tell({ kind: "at", frame, isPlaying: this.playing !== undefined });
  }
}

function tell(news: PreviewNews): void {
  parent.postMessage(news, "*");
}

/** Reports readiness again when a frame in the page has stopped responding since. */
function tellReady(): void {
  if (ready === undefined) return;
  const warnings = [...innerFrames.warnings(), ...ready.warnings].slice(0, warningsMax);
  tell({ ...ready, warnings });
}

async function start(): Promise<Preview> {
  // No policy of a page can keep WebRTC from reaching other hosts, so it is removed.
  for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection"])
    Reflect.deleteProperty(window, name);
  await new Promise((resolve) => document.addEventListener("DOMContentLoaded", resolve));
  for (const element of document.querySelectorAll("audio,video"))
    if (element instanceof HTMLMediaElement) element.autoplay = false;
  const answer = await realFetch(ownAddress(".klieg/film"));
  if (!answer.ok) throw new Error(`the request for the film was answered with ${answer.status}`);
  const film = (await answer.json()) as PreviewFilm;
  const opened = await Promise.all(film.media.map((one) => PlayedMedia.open(one)));
  const media = opened.filter((one) => one !== undefined);
  const warnings: string[] = [];
  const sizes = new Map(media.map((one) => [one.media.key, one.size]));
  // A medium of which the browser can decode only the sound has no size.
  const lost = film.media.filter(({ key, isVideo, isShown }) =>
    isVideo && isShown ? sizes.get(key) === undefined : !sizes.has(key),
  );
  const missing = new Map<string, LivePicture>();
  for (const { key, name, isVideo } of lost) {
    warnings.push(
      `${name} cannot be played by this browser: it is missing, or uses a codec that only the render supports`,
    );
    if (isVideo) missing.set(key, missingPicture(name, notPlayed));
  }
  const { grader, imageUrls } = await openGrades(film, warnings);
  const clips = film.plan.clips.map((clip) => ({
    ...clip,
    size: sizes.get(clip.key) ?? missing.get(clip.key),
    imageUrl: imageUrls.get(clip.key) ?? clip.imageUrl,
  }));
  const report = await open({ ...film.plan, clips });
  const duration = film.duration ?? report.duration;
  if (report.refusal !== undefined) throw new Error(report.refusal);
  if (duration === undefined) throw new Error("write data-duration on the root");
  const frames = frameCount(duration, film.plan.fps);
  warnings.push(...report.warnings);
  const preview = new Preview(film, media, { grader, missing }, frames);
  await preview.show();
  ready = { kind: "ready", frames, fps: film.plan.fps, warnings };
  tellReady();
  return preview;
}

const notPlayed = "This browser cannot play it; it is shown in the render.";

async function openGrades({ grades }: PreviewFilm, warnings: string[]) {
  const grader = new Grader();
  const imageUrls = new Map<string, string>();
  for (const one of grades) {
    const { key, name, imageUrl } = one;
    await grader.add(one);
    const graded = imageUrl === undefined ? undefined : await grader.image(key, imageUrl);
    if (imageUrl !== undefined) imageUrls.set(key, graded ?? missingImage(name, notGraded));
    if (imageUrl === undefined ? !grader.isAble() : graded === undefined)
      warnings.push(`${name}: this browser cannot grade its colors; the render does`);
  }
  return { grader, imageUrls };
}

lendWorkers();
holdEarlyAnimations();
const opening = start();
opening.catch((fault: unknown) => tell({ kind: "failed", message: String(fault) }));
const listen = (event: MessageEvent<PreviewOrder>): void => {
  if (event.source !== parent || isFrameMessage(event.data)) return;
  // The page's own messages are delivered in the film's time; these must not be.
  event.stopImmediatePropagation();
  opening.then(
    (preview) => preview.obey(event.data),
    () => undefined,
  );
};
addEventListener("message", listen, true);
