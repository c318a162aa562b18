/**
 * The time of a simulated cluster and all that is to happen in it: one queue, by time and then by
 * the order in which it was added. What belongs to a life of a node that has ended never happens;
 * what belongs to one that stands still happens when it goes on.
 */
import type { Clock } from "../../../engine/ports/clock.ts";
import { settle } from "./idle.ts";

/** A process of a node, from its start to its end. */
export class Life {
  isOver = false;
  isPaused = false;
  /** What would have happened while it stood still. */
  readonly late: (() => void)[] = [];
}

interface Happening {
  readonly atMs: number;
  readonly order: number;
  readonly life: Life | undefined;
  run: (() => void) | undefined;
}

export class Timeline {
  nowMs = 0;
  private orders = 0;
  private readonly heap: Happening[] = [];

  /** `run` happens in so many milliseconds, unless the returned function is called before. */
  after(life: Life | undefined, delayMs: number, run: () => void): () => void {
    const atMs = this.nowMs + Math.max(0, Math.ceil(delayMs));
    const happening: Happening = { atMs, order: ++this.orders, life, run };
    this.add(happening);
    return () => {
      happening.run = undefined;
    };
  }

  /** Lets so many milliseconds pass. */
  async pass(ms: number): Promise<void> {
    const untilMs = this.nowMs + ms;
    await settle();
    for (let next = this.heap[0]; next !== undefined && next.atMs <= untilMs; next = this.heap[0]) {
      this.nowMs = next.atMs;
      let hasRun = false;
      for (
        let one = this.heap[0];
        one !== undefined && one.atMs <= this.nowMs;
        one = this.heap[0]
      ) {
        this.removeFirst();
        if (this.happen(one)) hasRun = true;
      }
      if (hasRun) await settle();
    }
    this.nowMs = untilMs;
  }

  /** A life that stood still goes on. */
  async resume(life: Life): Promise<void> {
    life.isPaused = false;
    for (const run of life.late.splice(0)) if (!life.isOver) run();
    await settle();
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

  private add(happening: Happening): void {
    const { heap } = this;
    let at = heap.push(happening) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent];
      if (above === undefined || !isBefore(happening, above)) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = happening;
  }

  private removeFirst(): void {
    const { heap } = this;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      const [one, other] = [heap[left], heap[left + 1]];
      if (one === undefined) break;
      const least = other !== undefined && isBefore(other, one) ? left + 1 : left;
      const child = heap[least];
      if (child === undefined || !isBefore(child, last)) break;
      heap[at] = child;
      at = least;
    }
    heap[at] = last;
  }
}

function isBefore(one: Happening, other: Happening): boolean {
  return one.atMs === other.atMs ? one.order < other.order : one.atMs < other.atMs;
}

/** The clock of a node in one of its lives; its wall clock may be moved. */
export class LifeClock implements Clock {
  private readonly timeline: Timeline;
  private readonly life: Life;
  private readonly wallMs: () => number;

  /** `wallMs` is what the node's wall clock has shown at the beginning of the simulation. */
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
