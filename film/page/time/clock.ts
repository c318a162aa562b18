/**
 * The time of a page. It stands still until the film moves it, and then goes from one thing that
 * happens to the next, in the order of their times, so that a page which is led to a time is as if
 * it had been watched until then.
 *
 * 1. What is due runs at its own time, never at the frame after it.
 * 2. All that a thing sets off (promises, messages, requests) ends before the next thing runs.
 * 3. Functions that wait for a frame run once a frame of the film, at its time.
 */
export interface Agenda {
  /** When the agenda's next event happens; `undefined` when none is known. */
  nextMs(): number | undefined;
  /** Runs the events that are due at the clock's time. */
  run(): void;
  /** Updates what the page shows to the clock's time, before scripts read it. */
  pose(): void;
}

interface Timer {
  readonly due: number;
  /** Order in which timers were set; of those due at the same time, the first one runs first. */
  readonly order: number;
  readonly every: number | undefined;
  readonly nesting: number;
  readonly owner: object;
  readonly call: () => void;
}

interface Painter {
  readonly owner: object;
  readonly call: (nowMs: number) => void;
}

/** Most calls that run in one frame; the rest runs in the next one. */
const runsMax = 20_000;
/** Least wait of timers that set each other, from the sixth on, as in browsers. */
const nestedMs = 4;
const nestingMax = 5;

export class Clock {
  nowMs = 0;
  private readonly agenda: Agenda;
  private readonly timers = new Map<number, Timer>();
  private painters = new Map<number, Painter>();
  private lastId = 0;
  private order = 0;
  /** How many timers, each set by the one before, led to the current call. */
  private nesting = 0;

  constructor(agenda: Agenda) {
    this.agenda = agenda;
  }

  /** Returns the timer's id; `owner` is the window to which the timer belongs. */
  setTimer(call: () => void, waitMs: number, repeats: boolean, owner: object): number {
    this.lastId += 1;
    const nesting = this.nesting + 1;
    this.put(this.lastId, { call, owner, nesting, every: repeats ? waitMs : undefined }, waitMs);
    return this.lastId;
  }

  /** Sets a timer that does not count as nested. */
  setTask(call: () => void, waitMs: number, owner: object): void {
    this.lastId += 1;
    this.put(this.lastId, { call, owner, nesting: 0, every: undefined }, waitMs);
  }

  clearTimer(id: number): void {
    this.timers.delete(id);
  }

  requestFrame(call: (nowMs: number) => void, owner: object): number {
    this.lastId += 1;
    this.painters.set(this.lastId, { call, owner });
    return this.lastId;
  }

  cancelFrame(id: number): void {
    this.painters.delete(id);
  }

  /** Removes all timers and frame requests of a window that is gone. */
  forget(owner: object): void {
    for (const [id, timer] of this.timers) if (timer.owner === owner) this.timers.delete(id);
    for (const [id, painter] of this.painters)
      if (painter.owner === owner) this.painters.delete(id);
  }

  /** Whether anything happens until then, so that no frame may be left out. */
  isBusy(untilMs: number): boolean {
    return this.painters.size > 0 || (this.nextMs() ?? Number.POSITIVE_INFINITY) <= untilMs;
  }

  /** Whether any timer or frame request is pending. */
  isWaiting(): boolean {
    return this.painters.size > 0 || this.timers.size > 0;
  }

  /** Moves the page to a time; `settle` resolves when everything triggered has ended. */
  async advance(toMs: number, settle: () => Promise<void>): Promise<void> {
    for (let runs = 0; runs < runsMax; runs++) {
      const next = this.nextMs();
      if (next === undefined || next > toMs) break;
      this.nowMs = Math.max(this.nowMs, next);
      this.agenda.pose();
      this.runNext();
      await settle();
      this.nesting = 0;
    }
    this.nowMs = toMs;
    if (this.painters.size === 0) return;
    this.agenda.pose();
    const waiting = this.painters;
    this.painters = new Map();
    for (const { call } of waiting.values()) run(() => call(toMs));
    await settle();
  }

  /** Declares the present to be `atMs` of the film; pending timers keep their remaining wait. */
  restart(atMs: number): void {
    for (const [id, timer] of this.timers)
      this.timers.set(id, { ...timer, due: atMs + Math.max(0, timer.due - this.nowMs) });
    this.nowMs = atMs;
  }

  private nextMs(): number | undefined {
    const [first] = this.firstTimer() ?? [];
    const happens = this.agenda.nextMs();
    if (first === undefined || happens === undefined) return first?.due ?? happens;
    return Math.min(first.due, happens);
  }

  /** Runs the first timer if it is due, or else the agenda's events. */
  private runNext(): void {
    const [timer, id] = this.firstTimer() ?? [];
    if (timer === undefined || id === undefined || timer.due > this.nowMs) {
      this.agenda.run();
      return;
    }
    this.nesting = timer.nesting;
    if (timer.every === undefined) this.timers.delete(id);
    else this.put(id, { ...timer, nesting: timer.nesting + 1 }, timer.every, timer.due);
    run(timer.call);
  }

  private put(
    id: number,
    timer: Omit<Timer, "due" | "order">,
    waitMs: number,
    fromMs = this.nowMs,
  ): void {
    this.order += 1;
    const wait = timer.nesting > nestingMax ? Math.max(nestedMs, waitMs) : waitMs;
    this.timers.set(id, { ...timer, due: fromMs + Math.max(0, wait), order: this.order });
  }

  private firstTimer(): readonly [timer: Timer, id: number] | undefined {
    let first: readonly [timer: Timer, id: number] | undefined;
    for (const [id, timer] of this.timers)
      if (first === undefined || isBefore(timer, first[0])) first = [timer, id];
    return first;
  }
}

function isBefore(one: Timer, other: Timer): boolean {
  return one.due < other.due || (one.due === other.due && one.order < other.order);
}

/** Calls a script's function; an error is reported as the page's, and stops nothing else. */
export function run(call: () => void): void {
  try {
    call();
  } catch (fault) {
    globalThis.reportError(fault);
  }
}
