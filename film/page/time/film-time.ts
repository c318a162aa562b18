/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import { HeardEvents } from "./animation-events.ts";
import { animationNatives, muteNative, takeAnimations } from "./animation-interface.ts";
import { Clock } from "./clock.ts";
import { holdDrawings } from "./drawings.ts";
import { HeldAnimations, type Place } from "./held-animations.ts";
import { Messages } from "./messages.ts";
import { takeClock } from "./page-clock.ts";
import { Requests } from "./requests.ts";
import { ShadowRoots } from "./shadow-roots.ts";

type View = Window & typeof globalThis;

/**
 * The film's time for a page and all pages in its frames: the only time that their scripts, styles
 * and SVGs have.
 */
export class FilmTime {
  readonly clock: Clock;
  private readonly held: HeldAnimations;
  private readonly heard = new HeardEvents();
  private readonly roots: ShadowRoots;
  private readonly messages: Messages;
  private readonly requests: Requests;
  private readonly views = new Set<View>();
  private placeFor: ((element: Element | undefined, isStyled: boolean) => Place) | undefined;
  private faults = 0;

  constructor(view: View) {
    this.soon = view.setTimeout.bind(view);
    const natives = animationNatives(view);
    const places = () => this.places();
    this.held = new HeldAnimations(natives, this.heard, places, () => this.clock.nowMs);
    this.clock = new Clock(this.held);
    this.requests = new Requests(this.soon);
    this.messages = new Messages(view, this.clock, this.soon);
    const { addEventListener } = view.EventTarget.prototype;
    this.roots = new ShadowRoots((root) =>
      muteNative(view, (type, listener) =>
        addEventListener.call(root, type, listener, { capture: true }),
      ),
    );
  }

  /** Calls a function after a delay in real time. */
  readonly soon: (call: () => void, delayMs: number) => void;

  /** Replaces a window's time before any script of its own runs. */
  take(view: View): void {
    this.views.add(view);
    view.addEventListener("error", ({ error }) => {
      if (error !== undefined && error !== null) this.faults += 1;
    });
    takeClock(view, this.clock);
    this.requests.take(view);
    this.roots.take(view);
    takeAnimations(view, this.held, this.heard);
    this.messages.take(view);
    view.HTMLMediaElement.prototype.play = () => Promise.resolve();
  }

  /** Whether a script has thrown. */
  hasFaults(): boolean {
    return this.faults > 0;
  }

  /** Documents of the page and of the pages in its frames, if they are the bundle's. */
  documents(): readonly Document[] {
    const there = [...this.views].filter(isShown);
    return there.map((view) => view.document);
  }

  /** The documents and their shadow roots. */
  places(): readonly (Document | ShadowRoot)[] {
    const documents = this.documents();
    return [...documents, ...this.roots.listAttached(documents)];
  }

  isBusy(untilMs: number): boolean {
    return this.clock.isBusy(untilMs);
  }

  async advance(toMs: number): Promise<void> {
    await this.clock.advance(toMs, () => this.settle());
  }

  /** Gives scripts time to set themselves up; the film begins afterwards. */
  async setUp(ms: number): Promise<void> {
    await this.settle();
    await this.advance(this.clock.nowMs + ms);
  }

  /** Declares the present to be a time of the film, usually its first. */
  restart(atMs: number): void {
    this.clock.restart(atMs);
  }

  /** Begins the film, when the clips are known and shown as in the first frame. */
  begin(
    placeFor: (element: Element | undefined, isStyled: boolean) => Place,
    isPauseMeant: boolean,
  ): void {
    for (const one of this.documents()) this.roots.findIn(one);
    this.placeFor = placeFor;
    this.messages.isLoading = false;
    for (const root of this.places())
      if (root.querySelector(hearing) !== null) this.heard.add("animationend");
    this.held.begin(placeFor, isPauseMeant);
    this.hold(() => true);
  }

  /** Holds what plays already while the page opens; returns whether the film has yet to begin. */
  discoverEarly(): boolean {
    if (this.placeFor !== undefined) return false;
    this.held.discover(() => false);
    return true;
  }

  /** Poses all animations at this time; `isArrived`: the element was not laid out before. */
  hold(isArrived: (element: Element) => boolean): void {
    this.held.discover(isArrived);
    this.held.pose();
    const { placeFor } = this;
    if (placeFor === undefined) return;
    for (const root of this.places())
      holdDrawings(root, this.clock.nowMs, (element) => placeFor(element, true), isArrived);
  }

  /** Resolves when promises and messages have nothing left to do. */
  calm(): Promise<void> {
    return this.messages.settle();
  }

  quiet(): Promise<void> {
    return this.requests.onEnd(() => this.documents());
  }

  /** Resolves when everything that was triggered has ended. */
  private async settle(): Promise<void> {
    await this.messages.settle();
    while (this.requests.isWaiting(this.documents())) {
      await this.quiet();
      await this.messages.settle();
      if (this.requests.isExhausted) break;
    }
    this.held.discover(() => false);
  }
}

/** Attributes by which markup listens to animation events. */
const hearing = [
  ...["animationstart", "animationiteration", "animationend", "transitionrun"],
  ...["transitionstart", "transitionend"],
]
  .map((type) => `[on${type}]`)
  .join(",");

function isShown(view: View): boolean {
  return view === view.top || view.frameElement === null || view.frameElement.isConnected;
}
