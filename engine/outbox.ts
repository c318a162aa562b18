/**
 * The outbox: carries effects out of the shards, in the order in which each actor caused them, one
 * at a time, at least once. It lives on the effects thread and holds nothing that a restart needs:
 * an effect follows from the state of its actor, which hands it over again when its shard starts
 * again; a tell to another shard is stored in a row until that shard has made it durable.
 *
 * I3 an effect leaves only after its record is durable: shards hand over released effects only.
 * A performer either concludes at once or keeps the effect (a farm task runs for minutes) and
 * concludes later; the actor's next effect, a cancel for example, follows as soon as the performer
 * has answered.
 */
import type { OutsideEffect, Tell } from "./actor.ts";
import { getShard, type Key } from "./key.ts";
import { PortError } from "./ports/port-error.ts";
import type { Delivery, Origin } from "./shard/batch.ts";

/**
 * The outcome of an effect: a message that concludes it, nothing, or an answer that comes later.
 */
export type Performance =
  | { readonly kind: "concluded"; readonly message?: unknown }
  | { readonly kind: "kept" };

/** Carries out one effect; one that throws a retryable `PortError` is tried again. */
export type Performer = (delivery: Delivery) => Promise<Performance>;

/**
 * A message for a shard, or the acknowledgement of a tell: then `to` and `done` are its outbox row.
 */
export interface OutboxMessage {
  readonly to: Key;
  readonly message?: unknown;
  readonly done?: Key;
  readonly origin?: Origin;
}

export interface OutboxPorts {
  /** Sends to the shard that owns the message's address; lost when that shard is down. */
  readonly send: (shard: number, message: OutboxMessage) => void;
  readonly perform: Performer;
  readonly onFault: (from: Key, error: unknown) => void;
  readonly after: (delayMs: number, run: () => void) => void;
  /**
   * In a cluster, sends tells to the node that owns the shard; resolves to whether they are durable
   * there.
   */
  readonly sendElsewhere?: (shard: number, tells: readonly Arrival[]) => Promise<boolean>;
}

/** A tell with its origin, in the form in which it reaches its shard. */
export interface Arrival {
  readonly to: Key;
  readonly message: unknown;
  readonly origin: Origin;
}

const retryDelayMs = 1_000;
/** Most tells in one message to another node; fewer are sent after one that failed. */
const tellsPerMessage = 64;

export class Outbox {
  private readonly shardCount: number;
  private readonly ports: OutboxPorts;
  private readonly queueByActor = new Map<Key, Delivery[]>();
  private readonly open = new Set<number>();
  /** Tells that the other shard has not acknowledged, in the order of the shard that sent them. */
  private readonly tells = new Map<string, { readonly origin: Origin; readonly tell: Tell }>();
  /** Shards of other nodes to which tells are being sent. */
  private readonly carried = new Set<number>();
  /** Tells of other nodes that a shard here has not acknowledged. */
  private readonly arrived = new Map<string, { shard: number; settle(isDurable: boolean): void }>();

  constructor(shardCount: number, ports: OutboxPorts) {
    this.shardCount = shardCount;
    this.ports = ports;
  }

  /** Takes what `shard` releases, or hands over again after a restart. */
  deliver(shard: number, deliveries: readonly Delivery[]): void {
    for (const delivery of deliveries) {
      const { key, effect } = delivery;
      if (key !== undefined && isTell(effect)) this.forward({ shard, key }, effect);
      else this.enqueue(delivery);
    }
  }

  /** Removes tells that another shard has made durable. */
  acknowledge(origins: readonly Origin[]): void {
    for (const { key, shard } of origins) {
      const name = getName(shard, key);
      if (this.tells.delete(name)) this.ports.send(shard, { to: key, done: key });
      this.arrived.get(name)?.settle(true);
    }
  }

  /**
   * Closes a shard that went away: tells to it wait, so that none overtakes an earlier one; its own
   * are handed over again when it is back.
   */
  onClose(shard: number): void {
    this.open.delete(shard);
    for (const [name, { origin }] of this.tells)
      if (origin.shard === shard) this.tells.delete(name);
    for (const arrival of [...this.arrived.values()])
      if (arrival.shard === shard) arrival.settle(false);
    // Another node may own the shard from now on.
    void this.carry(shard);
  }

  /** Takes another node's tells to a shard of this one; resolves to whether they are durable. */
  async receive(shard: number, arrivals: readonly Arrival[]): Promise<boolean> {
    if (!this.open.has(shard)) return false;
    // A node that was not heard while the store got more shards counts by those of before.
    if (arrivals.some(({ to }) => getShard(to, this.shardCount) !== shard)) return false;
    const outcomes = arrivals.map(({ to, message, origin }) => {
      const outcome = this.arrival(shard, getName(origin.shard, origin.key));
      this.ports.send(shard, { to, message, origin });
      return outcome;
    });
    return (await Promise.all(outcomes)).every((isDurable) => isDurable);
  }

  /** When a tell comes again before it was acknowledged, the earlier wait ends with false. */
  private arrival(shard: number, name: string): Promise<boolean> {
    this.arrived.get(name)?.settle(false);
    return new Promise((resolve) => {
      const settle = (isDurable: boolean) => {
        this.arrived.delete(name);
        resolve(isDurable);
      };
      this.arrived.set(name, { shard, settle });
    });
  }

  /** Sends a shard that has opened the tells that it has not acknowledged, in order. */
  onOpen(shard: number): void {
    this.open.add(shard);
    for (const { origin, tell } of this.tells.values())
      if (getShard(tell.to, this.shardCount) === shard) this.forward(origin, tell);
  }

  /**
   * Sends a message to an actor. It is lost when the actor's shard is down: what follows from the
   * shard's state is done again when it is back.
   */
  send(to: Key, message: unknown): void {
    this.ports.send(getShard(to, this.shardCount), { to, message });
  }

  private forward(origin: Origin, tell: Tell): void {
    const { to, message } = tell;
    const shard = getShard(to, this.shardCount);
    this.tells.set(getName(origin.shard, origin.key), { origin, tell });
    if (this.open.has(shard)) this.ports.send(shard, { to, message, origin });
    else void this.carry(shard);
  }

  /**
   * Sends tells to the node that owns the shard, one message at a time: a later tell must not
   * arrive before an earlier one.
   */
  private async carry(shard: number): Promise<void> {
    const { sendElsewhere, after } = this.ports;
    if (sendElsewhere === undefined || this.carried.has(shard)) return;
    this.carried.add(shard);
    for (let most = tellsPerMessage; !this.open.has(shard); ) {
      const arrivals = this.waitingFor(shard, most);
      if (arrivals.length === 0) break;
      if (await sendElsewhere(shard, arrivals)) {
        this.acknowledge(arrivals.map(({ origin }) => origin));
        continue;
      }
      most = Math.ceil(most / 2);
      await new Promise<void>((resolve) => after(retryDelayMs, resolve));
    }
    this.carried.delete(shard);
  }

  private waitingFor(shard: number, most: number): Arrival[] {
    const arrivals: Arrival[] = [];
    for (const { origin, tell } of this.tells.values()) {
      if (getShard(tell.to, this.shardCount) !== shard) continue;
      if (arrivals.push({ to: tell.to, message: tell.message, origin }) === most) break;
    }
    return arrivals;
  }

  private enqueue(delivery: Delivery): void {
    const queue = this.queueByActor.get(delivery.from);
    if (queue !== undefined) {
      queue.push(delivery);
      return;
    }
    this.queueByActor.set(delivery.from, [delivery]);
    this.next(delivery);
  }

  private next(delivery: Delivery): void {
    this.ports.perform(delivery).then(
      (performance) => {
        if (performance.kind === "concluded" && performance.message !== undefined)
          this.send(delivery.from, performance.message);
        this.advance(delivery.from);
      },
      (error: unknown) => {
        this.ports.onFault(delivery.from, error);
        const again = error instanceof PortError && error.retryable;
        if (again) this.ports.after(retryDelayMs, () => this.next(delivery));
        else this.advance(delivery.from);
      },
    );
  }

  private advance(actor: Key): void {
    const queue = this.queueByActor.get(actor);
    queue?.shift();
    const next = queue?.[0];
    if (next === undefined) this.queueByActor.delete(actor);
    else this.next(next);
  }
}

function isTell(effect: OutsideEffect | Tell): effect is Tell {
  return effect.kind === "tell";
}

function getName(shard: number, key: Key): string {
  return `${shard} ${key}`;
}
