/**
 * The time of a simulated cluster and all that is to happen in it, by time and then by the order in
 * which it was added. What belongs to a life of a node that has ended never happens;
 * what belongs to one that stands still happens when it goes on.
 */
import type { Clock } from "../../../engine/ports/clock.ts";
import { whenSettled } from "./idle.ts";

/** A process of a node, from its start to its end. */
export class Life {
  isOver = false;
  isPaused = false;
  /** Events that were due while the process was paused. */
  readonly late: (() => void)[] = [];
}

interface Happening {
  readonly atMs: number;
  readonly life: Life | undefined;
  run: (() => void) | undefined;
}

/** Number of milliseconds ahead for each of which the ring has a list of events. */
const ringMs = 2 ** 16;

export class Timeline {
  nowMs = 0;
  /** The list of an instant is at its remainder, in the order in which events were added. */
  private readonly ring: (Happening[] | undefined)[] = new Array(ringMs).fill(undefined);
  /** Events later than the ring reaches. */
  private far: Happening[] = [];

  /** Runs `run` after `delayMs` milliseconds, unless the returned function is called before. */
  after(life: Life | undefined, delayMs: number, run: () => void): () => void {
    const atMs = this.nowMs + Math.max(0, Math.ceil(delayMs));
    const happening: Happening = { atMs, life, run };
    if (atMs - this.nowMs < ringMs) this.add(happening);
    else this.far.push(happening);
    return () => {
      happening.run = undefined;
    };
  }

  /** Lets `ms` milliseconds pass. */
  pass(ms: number): Promise<void> {
    const untilMs = this.nowMs + ms;
    return new Promise((resolve, reject) => {
      const goOn = () => {
        try {
          if (this.happenUntil(untilMs)) resolve();
          else whenSettled(goOn);
        } catch (error) {
          reject(error);
        }
      };
      whenSettled(goOn);
    });
  }

  /** False when something has happened: more may come of it before time goes on. */
  private happenUntil(untilMs: number): boolean {
    for (;;) {
      const at = this.nowMs % ringMs;
      if (at === 0) this.bringNear();
      if (this.happenNow(at)) return false;
      if (this.nowMs >= untilMs) return true;
      this.nowMs++;
    }
  }

  /** Events that are added for this instant meanwhile run after those that are there already. */
  private happenNow(at: number): boolean {
    let hasRun = false;
    for (let list = this.ring[at]; list !== undefined && !hasRun; list = this.ring[at]) {
      this.ring[at] = undefined;
      for (const one of list) if (this.happen(one)) hasRun = true;
    }
    return hasRun;
  }

  private add(happening: Happening): void {
    const at = happening.atMs % ringMs;
    const list = this.ring[at];
    if (list === undefined) this.ring[at] = [happening];
    else list.push(happening);
  }

  private bringNear(): void {
    const { far } = this;
    this.far = [];
    for (const happening of far) {
      if (happening.atMs - this.nowMs < ringMs) this.add(happening);
      else this.far.push(happening);
    }
  }

  /** Resumes a paused process. */
  resume(life: Life): void {
    life.isPaused = false;
    for (const run of life.late.splice(0)) this.after(life, 0, run);
  }

  private happen({ life, run }: Happening): boolean {
    if (run === undefined || life?.isOver === true) return false;
    if (life?.isPaused === true) {
      life.late.push(run);
      return false;
    }
    run();
    return true;
  }
}

/** The clock of one process of a node; its wall clock may be moved. */
export class LifeClock implements Clock {
  private readonly timeline: Timeline;
  private readonly life: Life;
  private readonly wallMs: () => number;

  /** `wallMs` is what the node's wall clock showed at the beginning of the simulation. */
  constructor(timeline: Timeline, life: Life, wallMs: () => number) {
    this.timeline = timeline;
    this.life = life;
    this.wallMs = wallMs;
  }

  nowMs(): number {
    return this.wallMs() + this.timeline.nowMs;
  }

  monotonicMs(): number {
    return this.timeline.nowMs;
  }

  after(delayMs: number, run: () => void): () => void {
    return this.timeline.after(this.life, delayMs, run);
  }
}
