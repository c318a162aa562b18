/// <reference lib="dom" />
import type { Clock } from "./clock.ts";
import { replace } from "./replace.ts";

/** Start of the film as a date. Any date would do, but it must always be the same. */
const epochMs = 1_767_225_600_000;

type View = Window & typeof globalThis;

/** Replaces time, timers and random numbers as the scripts of a window see them. */
export function takeClock(view: View, clock: Clock): void {
  const now = (): number => clock.nowMs;
  replace(
    view,
    "Date",
    new Proxy(view.Date, {
      construct: (real, given, asked) =>
        Reflect.construct(real, given.length === 0 ? [epochMs + now()] : given, asked),
      apply: (real) => Reflect.construct(real, [epochMs + now()]).toString(),
      get: (real, name) => (name === "now" ? () => epochMs + now() : Reflect.get(real, name)),
    }),
  );
  replace(view.Performance.prototype, "now", now);
  Object.defineProperty(view.Performance.prototype, "timeOrigin", { value: epochMs });
  takeTimelines(view, now);
  takeTemporal(view, now);
  takeChance(view);
  takeTimers(view, clock);
}

function takeTimers(view: View, clock: Clock): void {
  const setTimer =
    (repeats: boolean) =>
    (handler: unknown, delay: unknown, ...values: unknown[]): number => {
      const call = (): void => {
        const isCode = typeof handler !== "function";
        const code = isCode ? new view.Function(String(handler)) : handler;
        Reflect.apply(code, view, isCode ? [] : values);
      };
      return clock.setTimer(call, Math.max(0, Number(delay) || 0), repeats, view);
    };
  const clear = (id: number): void => clock.clearTimer(id);
  replace(view, "setTimeout", setTimer(false));
  replace(view, "setInterval", setTimer(true));
  replace(view, "clearTimeout", clear);
  replace(view, "clearInterval", clear);
  replace(view, "requestAnimationFrame", (painter: FrameRequestCallback) =>
    clock.requestFrame(painter, view),
  );
  replace(view, "cancelAnimationFrame", (id: number) => clock.cancelFrame(id));
  const idle = (handler: (deadline: object) => void): number => {
    const deadline = { didTimeout: false, timeRemaining: () => 10 };
    return clock.setTimer(() => handler(deadline), 0, false, view);
  };
  replace(view, "requestIdleCallback", idle);
  replace(view, "cancelIdleCallback", clear);
  takeScheduler(view, clock);
  view.addEventListener("pagehide", () => clock.forget(view));
}

/** Replaces the scheduler: tasks that scripts hand to the browser become timers. */
function takeScheduler(view: View, clock: Clock): void {
  const scheduler: unknown = Reflect.get(view, "scheduler");
  if (typeof scheduler !== "object" || scheduler === null) return;
  const after = (ms: number, call: () => unknown): Promise<unknown> =>
    new Promise((resolve) => {
      clock.setTimer(() => resolve(new Promise((made) => made(call()))), ms, false, view);
    });
  replace(scheduler, "postTask", (call: () => unknown, options?: { delay?: number }) =>
    after(Math.max(0, Number(options?.delay) || 0), call),
  );
  replace(scheduler, "yield", () => after(0, () => undefined));
}

function takeTimelines({ DocumentTimeline, AnimationTimeline }: View, now: () => number): void {
  const real = Object.getOwnPropertyDescriptor(AnimationTimeline.prototype, "currentTime");
  Object.defineProperty(AnimationTimeline.prototype, "currentTime", {
    ...real,
    get(this: AnimationTimeline) {
      if (this instanceof DocumentTimeline) return now();
      return real?.get === undefined ? null : Reflect.apply(real.get, this, []);
    },
  });
}

function takeTemporal(view: View, now: () => number): void {
  const temporal: unknown = Reflect.get(view, "Temporal");
  if (typeof temporal !== "object" || temporal === null) return;
  const { Now, Instant } = temporal as {
    readonly Now: { timeZoneId(): string };
    readonly Instant: { fromEpochMilliseconds(ms: number): TemporalInstant };
  };
  const instant = (): TemporalInstant => Instant.fromEpochMilliseconds(epochMs + Math.floor(now()));
  const toZoned = (zone: string = Now.timeZoneId()): TemporalZoned =>
    instant().toZonedDateTimeISO(zone);
  replace(Now, "instant", instant);
  replace(Now, "zonedDateTimeISO", toZoned);
  replace(Now, "plainDateTimeISO", (zone?: string) => toZoned(zone).toPlainDateTime());
  replace(Now, "plainDateISO", (zone?: string) => toZoned(zone).toPlainDate());
  replace(Now, "plainTimeISO", (zone?: string) => toZoned(zone).toPlainTime());
}

interface TemporalInstant {
  toZonedDateTimeISO(zone: string): TemporalZoned;
}

interface TemporalZoned {
  toPlainDateTime(): unknown;
  toPlainDate(): unknown;
  toPlainTime(): unknown;
}

function takeChance(view: View): void {
  let seed = 0x9e3779b9;
  const random = (): number => {
    seed = (seed + 0x6d2b79f5) | 0;
    let bits = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 4_294_967_296;
  };
  replace(view.Math, "random", random);
  const fill = (array: Uint8Array): Uint8Array => {
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    for (let at = 0; at < bytes.length; at++) bytes[at] = Math.floor(random() * 256);
    return array;
  };
  replace(view.Crypto.prototype, "getRandomValues", fill);
  replace(view.Crypto.prototype, "randomUUID", () => {
    const digits = [...fill(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0"));
    const text = digits.join("");
    const parts = [text.slice(0, 8), text.slice(8, 12), `4${text.slice(13, 16)}`];
    return [...parts, `a${text.slice(17, 20)}`, text.slice(20)].join("-");
  });
}
