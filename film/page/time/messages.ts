/// <reference lib="dom" />
import type { Clock } from "./clock.ts";
import { replace } from "./replace.ts";

/**
 * Messages that a page's scripts send to themselves. They take no time, so a loop of them would run
 * as fast as the machine does: beyond a certain number at one instant they wait for the clock.
 */
export class Messages {
  private readonly clock: Clock;
  private readonly post: MessagePort["postMessage"];
  private readonly soon: (call: () => void, delayMs: number) => void;
  private readonly turning: MessageChannel;
  private windows = 0;
  /** Whether windows may receive messages, which are not queued with those of channels. */
  private areWindowsTold = false;
  private turn: () => void = () => undefined;
  /** Whether the film has not begun: until then scripts may set up as much as they like. */
  isLoading = true;
  private sent = 0;
  private instant = 0;
  private sentAtInstant = 0;

  constructor(
    view: Window & typeof globalThis,
    clock: Clock,
    soon: (call: () => void, delayMs: number) => void,
  ) {
    this.clock = clock;
    this.soon = soon;
    this.post = view.MessagePort.prototype.postMessage;
    this.turning = new view.MessageChannel();
    this.turning.port1.onmessage = () => this.turn();
  }

  take(view: Window & typeof globalThis): void {
    const { prototype } = view.MessagePort;
    const { postMessage } = prototype;
    const { clock } = this;
    const pass = this.pass.bind(this);
    replace(prototype, "postMessage", function (this: MessagePort, ...values: unknown[]) {
      const send = (): unknown => Reflect.apply(postMessage, this, values);
      if (pass()) send();
      else clock.setTask(send, lateMs, view);
    });
    this.windows += 1;
    view.addEventListener("message", (event) => this.receive(event, view), true);
    this.noteListeners(view);
  }

  /** Resolves when promises and messages have nothing left to do at this instant. */
  async settle(): Promise<void> {
    for (let quiet = 0; quiet < 2; ) {
      const { sent } = this;
      await new Promise<void>((resolve) => {
        this.turn = resolve;
        this.post.call(this.turning.port2, null);
      });
      if (this.areWindowsTold || this.windows > 1)
        await new Promise<void>((resolve) => this.soon(resolve, 0));
      if (this.sent === 0) return;
      quiet = this.sent === sent ? quiet + 1 : 0;
      if (quiet === 2) this.sent = 0;
    }
  }

  private noteListeners(view: Window & typeof globalThis): void {
    const note = (): void => {
      this.areWindowsTold = true;
    };
    const { addEventListener } = view;
    replace(view, "addEventListener", function (this: unknown, ...values: unknown[]) {
      if (values[0] === "message") note();
      return Reflect.apply(addEventListener, this ?? view, values);
    });
    const real = Object.getOwnPropertyDescriptor(view, "onmessage");
    Object.defineProperty(view, "onmessage", {
      ...real,
      set(value: unknown) {
        note();
        real?.set?.call(view, value);
      },
    });
  }

  /** Lets a window's own messages pass as events; excess ones are dispatched again later. */
  private receive(event: MessageEvent, view: Window): void {
    if (!event.isTrusted || event.source === null || this.pass()) return;
    event.stopImmediatePropagation();
    const { data, origin, lastEventId, source, ports } = event;
    const again = { data, origin, lastEventId, source, ports: [...ports] };
    const late = (): void => void view.dispatchEvent(new MessageEvent("message", again));
    this.clock.setTask(late, lateMs, view);
  }

  private pass(): boolean {
    if (this.instant !== this.clock.nowMs) this.sentAtInstant = 0;
    this.instant = this.clock.nowMs;
    this.sent += 1;
    this.sentAtInstant += 1;
    return this.sentAtInstant <= (this.isLoading ? loadingMax : sentMax);
  }
}

/** Most messages per instant, about what a browser can deliver in a millisecond. */
const sentMax = 20;
const loadingMax = 10_000;
const lateMs = 1;
