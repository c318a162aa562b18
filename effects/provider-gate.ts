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
  /** Catalogue name of the model; at most `modelMax` of its jobs are in flight at a time. */
  readonly model: string;
  readonly modelMax: number | undefined;
  /** Called when the job may be submitted now; it is in flight until it leaves. */
  admit(): void;
  /** Called when the job has to wait, with the reason. */
  wait(detail: StatusDetail): void;
  /** Called when another gate has replaced this one and admits the waiting jobs. */
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
  /** Time of the last failed call. */
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
  /** This node's share of the jobs that may be in flight; the rest belongs to other nodes. */
  private share = 1;

  constructor(ports: GatePorts) {
    this.ports = ports;
    this.watch();
  }

  /** Admits the job now, or as soon as there is room. */
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

  /** Records a job that is already in flight at the provider. */
  occupy(entrant: Entrant): void {
    if (this.inside.has(entrant.key)) return;
    this.inside.set(entrant.key, entrant);
    this.count(entrant.model, 1);
  }

  /** Removes a job that is no longer in flight, or no longer wants to be. */
  leave(key: Key): void {
    this.waiting.delete(key);
    const entrant = this.inside.get(key);
    if (entrant === undefined) return;
    this.inside.delete(key);
    this.count(entrant.model, -1);
    this.admitWaiting();
  }

  /** Sets this node's share of the jobs that may be in flight, 0 to 1. */
  resize(share: number): void {
    this.share = share;
    this.admitWaiting();
  }

  /** Records that the provider answered correctly. */
  onSuccess(): void {
    this.faults = 0;
    this.lastWordAtMs = this.ports.clock.monotonicMs();
    this.become("up");
  }

  /** Records that the provider could not be reached, or answered 5xx. */
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

  /** Closes the gate: jobs in flight stay until they leave, waiting ones move on. */
  close(): void {
    this.isClosed = true;
    const moving = [...this.waiting.values()];
    this.waiting.clear();
    for (const entrant of moving) entrant.move();
  }

  private become(health: Health): void {
    // A provider that is down is only brought up by a success.
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

  /** Notifies waiting jobs, because the reason may have changed. */
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

  /** Each node may have at least one job in flight, so that no job waits for ever. */
  private isReached(most: number | undefined, count: number): boolean {
    return most !== undefined && count >= Math.max(1, Math.floor(most * this.share));
  }

  private count(model: string, by: 1 | -1): void {
    this.insideByModel.set(model, (this.insideByModel.get(model) ?? 0) + by);
  }

  /** Probes a provider that is down often, and an idle one now and then. */
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
