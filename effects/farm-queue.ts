/**
 * Tasks that wait for a farm node, taken fairly in two levels: next is the owner that has the
 * fewest tasks with nodes, of several such the one that waits longest for its turn; among its
 * contexts (its personal space and its organizations) the next is found in the same way; and of the
 * tasks of that context the first that came. All of it costs the same however many tasks wait.
 */

import type { FarmTask } from "../actors/protocol/farm-task.ts";
import { limits } from "../config/limits.ts";
import type { Id } from "../engine/id.ts";
import type { Key } from "../engine/key.ts";
import { Fifo } from "../engine/shard/fifo.ts";
import { Turns, type TurnTaker } from "./turns.ts";

export interface WaitingTask {
  readonly job: Key;
  /** The account that is responsible for the work: the creator of an unpaid organization. */
  readonly owner: Id;
  /** The context in which the work was ordered, which pays for it. */
  readonly scope: Id;
  readonly task: FarmTask;
}

/** The owner and the context of a task. */
type Ownership = Pick<WaitingTask, "owner" | "scope">;

interface Place extends WaitingTask {
  readonly context: OwnersContext;
  readonly line: Line;
  /** Number of the task in order of arrival. */
  readonly number: number;
  isGone: boolean;
}

/** The waiting tasks of one kind and one context. */
interface Line {
  readonly places: Fifo<Place>;
  /** Number of tasks that have not been removed. */
  waiting: number;
}

interface OwnersContext extends TurnTaker {
  readonly scope: Id;
  readonly linesByKind: Map<string, Line>;
}

interface Owner extends TurnTaker {
  readonly id: Id;
  readonly contexts: Map<Id, OwnersContext>;
  readonly turns: Turns<OwnersContext>;
}

export class FarmQueue {
  private readonly placesByJob = new Map<Key, Place>();
  private readonly owners = new Map<Id, Owner>();
  private readonly turns = new Turns<Owner>();
  private numbers = 0;

  has(job: Key): boolean {
    return this.placesByJob.has(job);
  }

  jobs(): Iterable<Key> {
    return this.placesByJob.keys();
  }

  /** Counts the waiting tasks of each kind. */
  waitingByKind(): Readonly<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const { contexts } of this.owners.values())
      for (const { linesByKind } of contexts.values())
        for (const [kind, { waiting }] of linesByKind)
          if (waiting > 0) counts[kind] = (counts[kind] ?? 0) + waiting;
    return counts;
  }

  add(waiting: WaitingTask): void {
    const place = this.makePlace(waiting);
    place.line.places.push(place);
  }

  /** Returns a task that was taken to the front of its context and kind. */
  putBack(waiting: WaitingTask): void {
    const place = this.makePlace(waiting);
    place.line.places.putFirst(place);
  }

  /**
   * Takes the next task of one of the kinds; `onEnd` must follow. Returns undefined when no task
   * waits whose owner has fewer tasks on nodes than allowed.
   */
  take(kinds: readonly string[], getMost: (owner: Id) => number): WaitingTask | undefined {
    const place = this.turns.find((owner) =>
      owner.running < getMost(owner.id)
        ? owner.turns.find((context) => findFirst(context, kinds))
        : undefined,
    );
    if (place === undefined) return undefined;
    this.leave(place);
    this.count(place, 1);
    return place;
  }

  /** Records that a task which was taken is no longer on its node. */
  onEnd(ownership: Ownership): void {
    this.count(ownership, -1);
  }

  remove(job: Key): void {
    const place = this.placesByJob.get(job);
    if (place === undefined) return;
    this.leave(place);
    this.count(place, 0);
    const { places, waiting } = place.line;
    if (places.size > 2 * waiting + limits.farm.goneMax) places.keep(({ isGone }) => !isGone);
  }

  private makePlace(waiting: WaitingTask): Place {
    const { job, owner: id, scope, task } = waiting;
    const owner = this.owners.get(id) ?? makeOwner(id);
    this.owners.set(id, owner);
    const context = owner.contexts.get(scope) ?? makeContext(scope);
    owner.contexts.set(scope, context);
    const line = context.linesByKind.get(task.kind) ?? { places: new Fifo(), waiting: 0 };
    context.linesByKind.set(task.kind, line);
    const place: Place = { ...waiting, context, line, number: ++this.numbers, isGone: false };
    this.placesByJob.set(job, place);
    line.waiting++;
    if (context.waiting++ === 0) owner.turns.enter(context);
    if (owner.waiting++ === 0) this.turns.enter(owner);
    return place;
  }

  private leave(place: Place): void {
    const owner = this.owners.get(place.owner);
    if (owner === undefined) return;
    place.isGone = true;
    place.line.waiting--;
    place.context.waiting--;
    owner.waiting--;
    this.placesByJob.delete(place.job);
  }

  /** Adds `by` to the tasks on nodes, by which owner and context take their turns. */
  private count({ owner: id, scope }: Ownership, by: number): void {
    const owner = this.owners.get(id);
    const context = owner?.contexts.get(scope);
    if (owner === undefined || context === undefined) return;
    context.running += by;
    owner.running += by;
    owner.turns.enter(context);
    this.turns.enter(owner);
    if (context.running + context.waiting === 0) owner.contexts.delete(scope);
    if (owner.running + owner.waiting === 0) this.owners.delete(id);
  }
}

function makeOwner(id: Id): Owner {
  const state = { waiting: 0, running: 0, entry: undefined };
  return { id, contexts: new Map(), turns: new Turns<OwnersContext>(), ...state };
}

function makeContext(scope: Id): OwnersContext {
  return { scope, linesByKind: new Map(), waiting: 0, running: 0, entry: undefined };
}

function findFirst({ linesByKind }: OwnersContext, kinds: readonly string[]): Place | undefined {
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
