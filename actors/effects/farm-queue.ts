/**
 * Tasks that wait for a farm node, taken fairly: next is the account that has the fewest tasks with
 * nodes, of several such the one that waits longest for its turn; and of its tasks the first that
 * came. All of it costs the same however many tasks wait.
 *
 * A ring holds the accounts that have so many tasks with nodes. One that moves on is entered anew;
 * its old entry is known by that, and passed over when it comes up.
 */

import { limits } from "../../config/limits.ts";
import type { Id } from "../../engine/id.ts";
import type { Key } from "../../engine/key.ts";
import { Fifo } from "../../engine/shard/fifo.ts";
import type { FarmTask } from "../job/farm-task.ts";

export interface WaitingTask {
  readonly job: Key;
  /** Who pays. */
  readonly scope: Id;
  readonly task: FarmTask;
}

interface Place extends WaitingTask {
  readonly account: Account;
  readonly line: Line;
  /** In the order in which they came. */
  readonly number: number;
  isGone: boolean;
}

/** One account's tasks of one kind. */
interface Line {
  readonly places: Fifo<Place>;
  /** Those that are not gone. */
  waiting: number;
}

interface Account {
  readonly scope: Id;
  readonly linesByKind: Map<string, Line>;
  waiting: number;
  /** Tasks that nodes have. */
  running: number;
  /** Its place in a ring, while anything waits. */
  entry: Entry | undefined;
}

interface Entry {
  readonly account: Account;
}

export class FarmQueue {
  private readonly placesByJob = new Map<Key, Place>();
  private readonly accounts = new Map<Id, Account>();
  /** By the number of running tasks. */
  private readonly rings: Fifo<Entry>[] = [];
  private numbers = 0;

  has(job: Key): boolean {
    return this.placesByJob.has(job);
  }

  jobs(): Iterable<Key> {
    return this.placesByJob.keys();
  }

  /** How many of each kind wait. */
  waitingByKind(): Readonly<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const { linesByKind } of this.accounts.values())
      for (const [kind, { waiting }] of linesByKind)
        if (waiting > 0) counts[kind] = (counts[kind] ?? 0) + waiting;
    return counts;
  }

  add(waiting: WaitingTask): void {
    const place = this.placeOf(waiting);
    place.line.places.push(place);
  }

  /** One that was taken before: it goes before the others of its account and kind. */
  putBack(waiting: WaitingTask): void {
    const place = this.placeOf(waiting);
    place.line.places.putFirst(place);
  }

  /** The next task of one of the kinds, to be followed by `ended`; undefined when none waits. */
  take(kinds: readonly string[]): WaitingTask | undefined {
    for (const ring of this.rings) {
      const place = placeIn(ring, kinds);
      if (place === undefined) continue;
      const { account } = place;
      this.leave(place);
      account.running++;
      this.enter(account);
      return place;
    }
    return undefined;
  }

  /** A task that was taken is with its node no longer. */
  ended(scope: Id): void {
    const account = this.accounts.get(scope);
    if (account === undefined) return;
    account.running--;
    this.enter(account);
  }

  remove(job: Key): void {
    const place = this.placesByJob.get(job);
    if (place === undefined) return;
    this.leave(place);
    if (place.account.waiting === 0) this.enter(place.account);
    const { places, waiting } = place.line;
    if (places.size > 2 * waiting + limits.farm.goneMax) places.keep(({ isGone }) => !isGone);
  }

  private placeOf(waiting: WaitingTask): Place {
    const { job, scope, task } = waiting;
    const account = this.accounts.get(scope) ?? accountOf(scope);
    this.accounts.set(scope, account);
    const line = account.linesByKind.get(task.kind) ?? { places: new Fifo(), waiting: 0 };
    account.linesByKind.set(task.kind, line);
    const place: Place = { ...waiting, account, line, number: ++this.numbers, isGone: false };
    this.placesByJob.set(job, place);
    line.waiting++;
    if (account.waiting++ === 0) this.enter(account);
    return place;
  }

  private leave(place: Place): void {
    place.isGone = true;
    place.line.waiting--;
    place.account.waiting--;
    this.placesByJob.delete(place.job);
  }

  /** Behind those that have as many running tasks. */
  private enter(account: Account): void {
    account.entry = undefined;
    if (account.waiting > 0) {
      while (this.rings.length <= account.running) this.rings.push(new Fifo());
      account.entry = { account };
      this.rings[account.running]?.push(account.entry);
    } else if (account.running === 0) this.accounts.delete(account.scope);
  }
}

function accountOf(scope: Id): Account {
  return { scope, linesByKind: new Map(), waiting: 0, running: 0, entry: undefined };
}

/** Accounts that have nothing for the node keep their places. */
function placeIn(ring: Fifo<Entry>, kinds: readonly string[]): Place | undefined {
  const passed: Entry[] = [];
  let place: Place | undefined;
  for (let entry = ring.shift(); entry !== undefined; entry = ring.shift()) {
    if (entry !== entry.account.entry) continue;
    place = firstPlace(entry.account, kinds);
    if (place !== undefined) break;
    passed.push(entry);
  }
  for (const entry of passed.reverse()) ring.putFirst(entry);
  return place;
}

function firstPlace({ linesByKind }: Account, kinds: readonly string[]): Place | undefined {
  let first: Place | undefined;
  for (const kind of kinds) {
    const places = linesByKind.get(kind)?.places;
    while (places?.first?.isGone === true) places.shift();
    const place = places?.first;
    if (place !== undefined && place.number < (first?.number ?? Number.POSITIVE_INFINITY))
      first = place;
  }
  return first;
}
