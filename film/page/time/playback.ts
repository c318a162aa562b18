/**
 * How an animation plays: maps a time of its timeline to a time of its own, as Web Animations
 * define it. All values are milliseconds.
 */
export class Playback {
  rate = 1;
  /** The animation's time at `since`; `undefined` while it is idle. */
  private time: number | undefined;
  private since = 0;
  private isPlaying = false;

  /** The animation's time at `now` of the timeline, where `end` is the end of its effect. */
  at(now: number, end: number): number | undefined {
    const { time, rate } = this;
    if (time === undefined || !this.isPlaying) return time;
    const reached = time + (now - this.since) * rate;
    if (rate > 0) return time > end ? time : Math.min(reached, end);
    if (rate < 0) return time < 0 ? time : Math.max(reached, 0);
    return time;
  }

  state(now: number, end: number): AnimationPlayState {
    if (this.time === undefined) return "idle";
    if (!this.isPlaying) return "paused";
    return this.isOver(now, end) ? "finished" : "running";
  }

  isOver(now: number, end: number): boolean {
    const time = this.at(now, end);
    if (time === undefined || !this.isPlaying) return false;
    return (this.rate > 0 && time >= end) || (this.rate < 0 && time <= 0);
  }

  /** When the animation began; undefined unless it is playing. */
  start(): number | undefined {
    if (this.time === undefined || !this.isPlaying || this.rate === 0) return undefined;
    return this.since - this.time / this.rate;
  }

  /** When the animation reaches this time of its own; undefined unless it is playing. */
  reaches(time: number): number | undefined {
    if (this.time === undefined || !this.isPlaying || this.rate === 0) return undefined;
    return this.since + (time - this.time) / this.rate;
  }

  play(now: number, end: number): void {
    const time = this.at(now, end);
    const first = this.rate < 0 ? end : 0;
    const isOutside = time !== undefined && (time < 0 || time > end);
    const isAtEnd = this.rate < 0 ? time === 0 : time === end;
    this.set(time === undefined || isOutside || isAtEnd ? first : time, now, true);
  }

  pause(now: number, end: number): void {
    this.set(this.at(now, end) ?? (this.rate < 0 ? end : 0), now, false);
  }

  finish(now: number, end: number): void {
    this.set(this.rate < 0 ? 0 : end, now, true);
  }

  cancel(): void {
    this.time = undefined;
    this.isPlaying = false;
  }

  /** Seeks to a time; an idle animation is paused there. */
  seek(time: number, now: number): void {
    this.set(time, now, this.isPlaying);
  }

  startAt(start: number, now: number): void {
    this.set((now - start) * this.rate, now, true);
  }

  setRate(rate: number, now: number, end: number): void {
    const time = this.at(now, end);
    this.rate = rate;
    if (time !== undefined) this.set(time, now, this.isPlaying);
  }

  /** Continues as if the current state had been reached at this time of the timeline. */
  rebase(since: number): void {
    this.since = since;
  }

  private set(time: number, since: number, isPlaying: boolean): void {
    this.time = time;
    this.since = since;
    this.isPlaying = isPlaying;
  }
}

/** When an effect is active and how often it repeats, in milliseconds. */
export interface EffectTiming {
  readonly delay: number;
  readonly duration: number;
  readonly iterations: number;
  readonly iterationStart: number;
  readonly end: number;
}

export interface Progress {
  readonly phase: "idle" | "before" | "active" | "after";
  /** The current iteration, counted from 0. */
  readonly iteration: number;
}

/** Tolerance: times computed in two ways are equal when they differ by less. */
export const hairMs = 1e-6;

export function progressAt(time: number | undefined, timing: EffectTiming, rate: number): Progress {
  if (time === undefined) return { phase: "idle", iteration: 0 };
  const { delay, duration, iterations, iterationStart } = timing;
  const active = activeMs(timing);
  const [from, to] = [delay, delay + active];
  if (time + hairMs < from || (rate < 0 && time <= from)) return { phase: "before", iteration: 0 };
  const isAfter = rate < 0 ? time > to + hairMs : time + hairMs >= to;
  const last = Math.max(0, Math.ceil(iterationStart + iterations) - 1);
  if (isAfter) return { phase: "after", iteration: last };
  const passed = duration > 0 ? (time + hairMs - from) / duration + iterationStart : 0;
  return { phase: "active", iteration: Math.floor(passed) };
}

export function activeMs({ duration, iterations }: EffectTiming): number {
  return duration === 0 || iterations === 0 ? 0 : duration * iterations;
}

/** The animation's next time, in its direction of play, at which its progress changes. */
export function nextBoundary(time: number, timing: EffectTiming, rate: number): number | undefined {
  const { delay, duration, iterationStart, end } = timing;
  const whole = delay + activeMs(timing);
  const isForward = rate > 0;
  const isAhead = (one: number): boolean =>
    Number.isFinite(one) && (isForward ? one > time + hairMs : one < time - hairMs);
  const bounds = [delay, whole, end, 0].filter(isAhead);
  const passed = (time - delay) / duration + iterationStart;
  const step = isForward ? Math.floor(passed + hairMs) + 1 : Math.ceil(passed - hairMs) - 1;
  const turn = delay + (step - iterationStart) * duration;
  if (duration > 0 && turn > delay && turn < whole && isAhead(turn)) bounds.push(turn);
  if (bounds.length === 0) return undefined;
  return isForward ? Math.min(...bounds) : Math.max(...bounds);
}
