/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import { ownAddress } from "../page/own-address.ts";
import type { FilmWindow } from "../page/plan.ts";
import { getName, isForeign } from "../page/unfilmed-parts.ts";
import { type FrameMessage, isFrameMessage } from "./messages.ts";

/**
 * The frames inside a page of a preview. The page in each has an origin of its own, so that nothing
 * of a composition reaches what is around it; therefore it has a clock of its own too, and is told
 * the film's time by messages.
 *
 * 1. A frame of the film is shown when all of them have answered that they show it.
 * 2. One that does not answer in time is not asked again: a notice takes its place.
 * 3. Pages that are of another origin in a render stand still here as they do there.
 */
declare const window: FilmWindow;

const realTimeout = window.setTimeout.bind(window);
/** How long a page that was loaded may take to report that it has opened. */
const saidMs = 3_000;
/** How long a page may take to open, or to show a frame. */
const answerMs = 8_000;

interface Shown {
  readonly frame: number;
  readonly fps: number;
}

type View = MessageEventSource;

export class InnerFrames {
  /** Windows whose page has opened; below, when frames got their page, in the film's time. */
  private readonly views = new WeakSet<View>();
  private readonly arrivals = new Map<Element, number>();
  private readonly silent = new Set<HTMLIFrameElement>();
  /** Callbacks that wait for a window's page to open; below, for its answer. */
  private readonly opening = new Map<View, () => void>();
  private readonly answering = new Map<number, { readonly view: View; readonly end: () => void }>();
  private readonly onSilent: () => void;
  private shown: Shown | undefined;
  private lastId = 0;

  /** To be called before any script of the author's runs. */
  constructor(onSilent: () => void) {
    this.onSilent = onSilent;
    addEventListener("message", (event) => this.receive(event), true);
    watchFrames((element) => {
      giveClock(element);
      if (this.shown !== undefined) this.arrivals.set(element, window.__kliegClock.clock.nowMs);
    });
  }

  /** Resolves when all inner frames show this frame of the film, or a notice. */
  async hold(frame: number, fps: number): Promise<void> {
    // Frames of the markup load with the page around them, before the first frame of the film.
    const openMs = this.shown === undefined ? saidMs : answerMs;
    const shown = { frame, fps };
    this.shown = shown;
    const frames = countFrames().filter((one) => !isBlank(one));
    await Promise.all(frames.map((one) => this.holdOne(one, shown, openMs)));
  }

  /** Returns a sentence for each frame that the preview does not show as the render does. */
  warnings(): readonly string[] {
    const blank = countFrames().filter(isBlank);
    return [...this.silent, ...blank].map(
      (one) => `${getName(one)}: the preview does not show it at the film's time; the render does`,
    );
  }

  private async holdOne(
    element: HTMLIFrameElement,
    { frame, fps }: Shown,
    openMs: number,
  ): Promise<void> {
    const view = element.contentWindow;
    if (view === null || this.silent.has(element)) return;
    const isOpen =
      this.views.has(view) || (await within(openMs, (end) => this.opening.set(view, end)));
    this.opening.delete(view);
    if (!isOpen) return this.giveUp(element);
    this.lastId += 1;
    const id = this.lastId;
    const firstMs = this.arrivals.get(element) ?? 0;
    const order: FrameMessage = { kliegFrame: "hold", id, frame, fps, firstMs };
    const isHeld = await within(answerMs, (end) => {
      this.answering.set(id, { view, end });
      view.postMessage(order, "*");
    });
    this.answering.delete(id);
    if (!isHeld) this.giveUp(element);
  }

  private receive(event: MessageEvent<unknown>): void {
    const { source: view, data } = event;
    if (view === null || !isFrameMessage(data) || data.kliegFrame === "hold") return;
    const element = countFrames().find(({ contentWindow }) => contentWindow === view);
    if (element === undefined) return;
    event.stopImmediatePropagation();
    if (data.kliegFrame === "open") this.open(view, element);
    else if (this.answering.get(data.id)?.view === view) this.answering.get(data.id)?.end();
  }

  /** Records that a page has opened; the page that it replaces, if any, no longer answers. */
  private open(view: View, element: HTMLIFrameElement): void {
    if (this.views.has(view)) this.arrivals.set(element, window.__kliegClock.clock.nowMs);
    this.views.add(view);
    for (const one of this.answering.values()) if (one.view === view) one.end();
    const waiting = this.opening.get(view);
    if (waiting !== undefined) waiting();
    else if (this.shown !== undefined) void this.holdOne(element, this.shown, answerMs);
  }

  private giveUp(element: HTMLIFrameElement): void {
    this.silent.add(element);
    this.onSilent();
    element.srcdoc = notice;
  }
}

/** Lists the frames whose pages follow the film's time in a render. */
function countFrames(): readonly HTMLIFrameElement[] {
  const frames = window.__kliegClock
    .places()
    .flatMap((place) => [...place.querySelectorAll("iframe")]);
  return frames.filter((frame) => !isForeign(frame));
}

/** Whether it has no page: only a script looking into it could fill it, which none can here. */
function isBlank(frame: HTMLIFrameElement): boolean {
  return !frame.hasAttribute("srcdoc") && frame.src === "";
}

/** Resolves to whether it ended within that time. */
function within(ms: number, begin: (end: () => void) => void): Promise<boolean> {
  return new Promise((resolve) => {
    begin(() => resolve(true));
    realTimeout(() => resolve(false), ms);
  });
}

/** Calls `onPage` for each frame that gets a page, at the end of the task in which it does. */
function watchFrames(onPage: (frame: HTMLIFrameElement) => void): void {
  const options = { childList: true, subtree: true, attributeFilter: ["src", "srcdoc"] };
  const observer = new MutationObserver((records) => {
    for (const { type, target, addedNodes } of records)
      for (const node of type === "attributes" ? [target] : addedNodes)
        if (node instanceof Element)
          for (const one of [node, ...node.querySelectorAll("iframe")])
            if (one instanceof HTMLIFrameElement) onPage(one);
  });
  observer.observe(document, options);
  const { attachShadow } = Element.prototype;
  Element.prototype.attachShadow = function (this: Element, init) {
    const root = attachShadow.call(this, init);
    observer.observe(root, options);
    return root;
  };
}

/**
 * Writes the clock into pages that are given in an attribute, before the browser opens them, which
 * it does in a task of its own.
 */
function giveClock(element: HTMLIFrameElement): void {
  const { srcdoc } = element;
  if (!element.hasAttribute("srcdoc")) return;
  if (srcdoc === notice || srcdoc.includes(clock)) return;
  const doctype = /^\s*<!doctype[^>]*>/i.exec(srcdoc)?.[0] ?? "";
  element.srcdoc = doctype + clock + srcdoc.slice(doctype.length);
}

const clock = ["frame-page.js", "opening.js"]
  .map((name) => `<script src="${ownAddress(`.klieg/${name}`)}"></script>`)
  .join("");

const notice = `<!doctype html><style>body { margin: 0; height: 100vh; display: grid;
place-items: center; background: #4a4f57; color: #fff; font: 14px sans-serif; text-align: center }
</style><p>The preview cannot show this frame at the film's time; the render shows it.</p>`;
