/// <reference lib="dom" />
import { awaitPage, beginFilm, type HeldFilm, leadTo } from "../page/held-film.ts";
import { showMovingImages, takeMovingImages } from "../page/moving/moving-images.ts";
import type { FilmWindow } from "../page/plan.ts";
import { holdEarlyAnimations } from "./early-animations.ts";
import { InnerFrames } from "./inner-frames.ts";
import { type FrameMessage, isFrameMessage } from "./messages.ts";
import { lendWorkers } from "./workers.ts";

/**
 * The first script of a page in a frame of a preview: it shows the film's time that the page around
 * it sends, and passes that on to the pages in its own frames.
 */
declare const window: FilmWindow;

const { parent } = window;
const frames = new InnerFrames(() => undefined);
let film: HeldFilm | undefined;
let holding = Promise.resolve();

type Order = FrameMessage & { readonly kliegFrame: "hold" };

async function hold({ frame, fps, firstMs }: Order): Promise<void> {
  film ??= await begin(fps, firstMs);
  await leadTo(film, frame);
  await window.__kliegClock.quiet();
  await showMovingImages(() => frame / fps);
  await frames.hold(frame, fps);
}

/** The page in a frame has no clips and no compositions. */
async function begin(fps: number, firstMs: number): Promise<HeldFilm> {
  await awaitPage();
  await takeMovingImages();
  await window.__kliegClock.setUp(0);
  return beginFilm({ fps, compositions: [] }, [], firstMs);
}

function tell(message: FrameMessage): void {
  parent.postMessage(message, "*");
}

const listen = (event: MessageEvent<unknown>): void => {
  const { source, data } = event;
  if (source !== parent || !isFrameMessage(data) || data.kliegFrame !== "hold") return;
  event.stopImmediatePropagation();
  holding = holding
    .then(() => hold(data))
    .then(
      () => tell({ kliegFrame: "held", id: data.id }),
      (fault: unknown) => globalThis.reportError(fault),
    );
};
lendWorkers();
holdEarlyAnimations();
addEventListener("message", listen, true);
// Sent only once the page has its clock.
document.addEventListener("DOMContentLoaded", () => tell({ kliegFrame: "open" }), { once: true });
