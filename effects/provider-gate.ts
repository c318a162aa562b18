/**
 * Who may be submitted to one provider now: bounds what is there at a time, of which each node of a
 * cluster has the share that it has of the shards; holds everything back while the provider is down
 * or paused, and probes a provider that is down until it answers again. Jobs pass in the order in
 * which they came, but for those whose model has no free place.
 */

import type { StatusDetail } from "../actors/protocol/job.ts";
import { limits } from "../config/limits.ts";
import type { Key } from "../engine/key.ts";
import type { Clock } from "../engine/ports/clock.ts";
import type { Health } from "../providers/provider.ts";

export interface Entrant {
  readonly key: Key;
  /** Of the catalogue; with `modelMax` at most so many of its jobs are there at a time. */
  readonly model: string;
  readonly modelMax: number | undefined;
  /** It may be submitted now, and is there until it leaves. */
  admit(): void;
  /** It has to wait, for this reason. */
  wait(detail: StatusDetail): void;
  /** Another gate stands in the place of this one, and admits who waited here. */
  move(): void;
}

export interface GatePorts {
  readonly clock: Clock;
  readonly maxInFlight: number | undefined;
  readonly probe: () => Promise<Health>;
  readonly onHealth: (health: Health) => void;
}

export interface GateState {
  readonly health: Health;
  readonly isPaused: boolean;
  readonly inFlight: number;
  readonly waiting: number;
  /** When a call last failed. */
  readonly lastErrorAtMs: number | undefined;
}

export class ProviderGate {
  private readonly ports: GatePorts;
  private readonly waiting = new Map<Key, Entrant>();
  private readonly inside = new Map<Key, Entrant>();
  private readonly insideByModel = new Map<string, number>();
  private faults = 0;
  private health: Health = "up";
  private isPaused = false;
  private lastErrorAtMs: number | undefined;
  private lastWordAtMs = Number.NEGATIVE_INFINITY;
  private isClosed = false;
  /** Of what may be there at a time: the rest is other nodes'. */
  private share = 1;

  constructor(ports: GatePorts) {
    this.ports = ports;
    this.watch();
  }

  /** Admits it now, or when there is room. */
  request(entrant: Entrant): void {
    if (this.isClosed) {
      entrant.move();
      return;
    }
    const isInside = this.inside.has(entrant.key);
    const detail = isInside ? undefined : this.obstacle(entrant);
    if (isInside) entrant.admit();
    else if (detail === undefined) this.admit(entrant);
    else {
      this.waiting.set(entrant.key, entrant);
      entrant.wait(detail);
    }
  }

  /** It is there already. */
  occupy(entrant: Entrant): void {
    if (this.inside.has(entrant.key)) return;
    this.inside.set(entrant.key, entrant);
    this.count(entrant.model, 1);
  }

  /** It is not there any more, or does not want to be. */
  leave(key: Key): void {
    this.waiting.delete(key);
    const entrant = this.inside.get(key);
    if (entrant === undefined) return;
    this.inside.delete(key);
    this.count(entrant.model, -1);
    this.admitWaiting();
  }

  /** How much of what may be there at a time is this node's, 0 to 1. */
  resize(share: number): void {
    this.share = share;
    this.admitWaiting();
  }

  /** The provider answered as it should. */
  onSuccess(): void {
    this.faults = 0;
    this.lastWordAtMs = this.ports.clock.monotonicMs();
    this.become("up");
  }

  /** It could not be reached, or answered 5xx. */
  onFailure(): void {
    this.faults++;
    this.lastErrorAtMs = this.ports.clock.nowMs();
    this.become(this.faults >= limits.providers.downAfter ? "down" : "degraded");
  }

  pause(isPaused: boolean): void {
    if (this.isPaused === isPaused) return;
    this.isPaused = isPaused;
    if (!isPaused) this.admitWaiting();
    this.tellWaiting();
  }

  state(): GateState {
    const { health, isPaused, lastErrorAtMs, inside, waiting } = this;
    return { health, isPaused, lastErrorAtMs, inFlight: inside.size, waiting: waiting.size };
  }

  /** Who is there stays until it leaves; who waits moves on. */
  close(): void {
    this.isClosed = true;
    const moving = [...this.waiting.values()];
    this.waiting.clear();
    for (const entrant of moving) entrant.move();
  }

  private become(health: Health): void {
    // What is down comes up by a success alone.
    if (this.health === health || (this.health === "down" && health === "degraded")) return;
    this.health = health;
    this.ports.onHealth(health);
    if (health !== "down") this.admitWaiting();
    this.tellWaiting();
  }

  private admit(entrant: Entrant): void {
    this.occupy(entrant);
    entrant.admit();
  }

  private admitWaiting(): void {
    for (const entrant of this.waiting.values()) {
      if (this.isFull()) break;
      if (this.obstacle(entrant) !== undefined) continue;
      this.waiting.delete(entrant.key);
      this.admit(entrant);
    }
  }

  /** Why they wait may have changed. */
  private tellWaiting(): void {
    for (const entrant of this.waiting.values())
      entrant.wait(this.obstacle(entrant) ?? "upstream_at_capacity");
  }

  private obstacle({ model, modelMax }: Entrant): StatusDetail | undefined {
    if (this.isPaused || this.health === "down") return "provider_down";
    const isModelFull = this.isReached(modelMax, this.insideByModel.get(model) ?? 0);
    return this.isFull() || isModelFull ? "upstream_at_capacity" : undefined;
  }

  private isFull(): boolean {
    return this.isReached(this.ports.maxInFlight, this.inside.size);
  }

  /** Each node has one place at least, so that no job waits for ever. */
  private isReached(most: number | undefined, count: number): boolean {
    return most !== undefined && count >= Math.max(1, Math.floor(most * this.share));
  }

  private count(model: string, by: 1 | -1): void {
    this.insideByModel.set(model, (this.insideByModel.get(model) ?? 0) + by);
  }

  /** A provider that is down is probed often, one that is not asked now and then. */
  private watch(): void {
    const { probeMs, healthMs } = limits.providers;
    const isDue =
      this.health === "down" || this.ports.clock.monotonicMs() - this.lastWordAtMs >= healthMs;
    const probed = isDue ? this.probe() : Promise.resolve();
    void probed.then(() => {
      if (!this.isClosed) this.ports.clock.after(probeMs, () => this.watch());
    });
  }

  private async probe(): Promise<void> {
    const health = await this.ports.probe();
    if (health === "down") return this.onFailure();
    this.faults = 0;
    this.lastWordAtMs = this.ports.clock.monotonicMs();
    this.become(health === "up" || this.health === "down" ? "up" : health);
  }
}
