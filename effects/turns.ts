/**
 * The order in which several take turns: first those that have the fewest tasks running, and of
 * those with equally many the one that entered first.
 *
 * A ring holds those that have so many tasks running. One that moves on is entered anew; its old
 * entry is known by that, and passed over when it comes up.
 */

import { Fifo } from "../engine/shard/fifo.ts";

export interface TurnTaker {
  /** Number of tasks that wait. */
  waiting: number;
  /** Number of tasks that farm nodes have. */
  running: number;
  /** Entry of the taker in a ring, while any task waits. */
  entry: object | undefined;
}

interface Entry<Taker> {
  readonly taker: Taker;
}

export class Turns<Taker extends TurnTaker> {
  /** Rings of takers, indexed by their number of running tasks. */
  private readonly rings: Fifo<Entry<Taker>>[] = [];

  /** Enters a taker behind those with as many running tasks, unless it has no task that waits. */
  enter(taker: Taker): void {
    taker.entry = undefined;
    if (taker.waiting === 0) return;
    while (this.rings.length <= taker.running) this.rings.push(new Fifo());
    const entry = { taker };
    taker.entry = entry;
    this.rings[taker.running]?.push(entry);
  }

  /**
   * Returns what `look` finds for the first taker that has anything. That taker loses its place and
   * must enter again; the others keep theirs.
   */
  find<Found>(look: (taker: Taker) => Found | undefined): Found | undefined {
    for (const ring of this.rings) {
      const found = findIn(ring, look);
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

function findIn<Taker extends TurnTaker, Found>(
  ring: Fifo<Entry<Taker>>,
  look: (taker: Taker) => Found | undefined,
): Found | undefined {
  const passed: Entry<Taker>[] = [];
  let found: Found | undefined;
  for (let entry = ring.shift(); entry !== undefined; entry = ring.shift()) {
    if (entry !== entry.taker.entry) continue;
    found = look(entry.taker);
    if (found !== undefined) break;
    passed.push(entry);
  }
  for (const entry of passed.reverse()) ring.putFirst(entry);
  return found;
}
