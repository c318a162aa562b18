/**
 * The broker between jobs and farm nodes: which task waits, which node has which lease. It holds no
 * truth. A claim is durable in the job before the node learns of it; heartbeats are volatile; a
 * result counts only under the job's current token. After a restart every unfinished job hands its
 * task over again.
 *
 * The queue chooses the next task of a node, fairly between owners; `farm-shares.ts` bounds how
 * much of the farm each holds.
 *
 *   waiting --claim--> claiming --farm.lease--> leased --finished--> concluded
 *      ^------------------lapsed (silence, a dead node, a failed attempt)---'
 *
 * An idle node, while nothing waits for it, becomes a helper node of a task that another node
 * split; it stops helping when the lease of that task ends.
 *
 * A node that drains is leased nothing more, also when it comes again; what it has, it ends.
 *
 * A task that is handed back waits again, and none of its attempts is counted.
 */

import type { JobMessage, Outcome } from "../actors/protocol/job.ts";
import { omitUndefined } from "../config/defined.ts";
import { limits } from "../config/limits.ts";
import { type Id, type IdMint, idAtEnd } from "../engine/id.ts";
import { getPartition, type Key } from "../engine/key.ts";
import { gauge, type Sample } from "../engine/metrics/tally.ts";
import type { Performance } from "../engine/outbox.ts";
import type { Clock } from "../engine/ports/clock.ts";
import type { Objects } from "../engine/ports/objects.ts";
import { PortError } from "../engine/ports/port-error.ts";
import type { FromNode, NodeConnection, ObjectAsk, TaskOutcome } from "../engine/ports/tasks.ts";
import type { FarmNodeState, FarmTasks, RunningTask } from "./effects-messages.ts";
import { FarmHelpers } from "./farm-helpers.ts";
import type { Lease, Node } from "./farm-lease.ts";
import { FarmQueue, type WaitingTask } from "./farm-queue.ts";
import { FarmShares } from "./farm-shares.ts";
import { TaskObjects } from "./task-objects.ts";

type Heartbeat = Extract<FromNode, { kind: "heartbeat" }>;

export interface BrokerPorts {
  readonly clock: Clock;
  readonly ids: IdMint;
  readonly objects: Objects;
  readonly mintToken: () => string;
  readonly send: (to: Key, message: JobMessage) => void;
}

export class FarmBroker {
  private readonly ports: BrokerPorts;
  private readonly nodes = new Set<Node>();
  private readonly waiting = new FarmQueue();
  private readonly shares: FarmShares;
  private readonly leaseByJob = new Map<Key, Lease>();
  private readonly leaseByToken = new Map<string, Lease>();
  private readonly helpers: FarmHelpers;
  /** Names of the nodes that are draining. */
  private readonly draining = new Set<string>();

  constructor(ports: BrokerPorts) {
    this.ports = ports;
    this.helpers = new FarmHelpers(ports);
    this.shares = new FarmShares(ports.clock);
    this.watch();
  }

  attach(connection: NodeConnection): void {
    const node: Node = {
      connection,
      joinedAtMs: this.ports.clock.nowMs(),
      name: undefined,
      version: undefined,
      kinds: [],
      slots: 0,
      capacity: 0,
      free: 0,
    };
    this.nodes.add(node);
    connection.onMessage((message) => this.handle(node, message));
    connection.onClose(() => this.lose(node));
  }

  /**
   * Effect `farm.run`: kept until the task has ended. A task that is already under way is
   * unchanged.
   */
  run(job: Key, { owner, scope, task }: Omit<WaitingTask, "job">): Performance {
    if (this.leaseByJob.has(job) || this.waiting.has(job)) return { kind: "kept" };
    this.waiting.add({ job, owner, scope, task });
    this.offer();
    return { kind: "kept" };
  }

  /** Effect `farm.lease`: the job's claim is durable, so the node may begin. */
  lease(token: string): Performance {
    const lease = this.leaseByToken.get(token);
    if (lease !== undefined) {
      const { kind, input, trace } = lease.task;
      lease.isDurable = true;
      lease.lastSeenMs = this.ports.clock.monotonicMs();
      const { outputPrefix } = lease.objects;
      const task = { token, kind, input, outputPrefix, ...omitUndefined({ trace }) };
      lease.node.connection.send({ kind: "lease", task });
    }
    return { kind: "concluded" };
  }

  /** Effect `farm.cancel`: the task's result is no longer needed. */
  cancel(job: Key): Performance {
    const lease = this.leaseByJob.get(job);
    if (lease !== undefined) {
      if (lease.isDurable) lease.node.connection.send({ kind: "cancel", token: lease.token });
      this.end(lease);
    }
    this.waiting.remove(job);
    this.offer();
    return { kind: "concluded" };
  }

  /** Drops tasks of jobs that moved to another service, which starts them on nodes anew. */
  giveUp(hasLeft: (job: Key) => boolean): void {
    for (const job of [...this.waiting.jobs(), ...this.leaseByJob.keys()])
      if (hasLeft(job)) this.cancel(job);
  }

  /** Asks all nodes to finish or drop their tasks and leave. */
  drain(): void {
    for (const { connection } of this.nodes) connection.send({ kind: "drain" });
  }

  /** Drains a node until its process ends. Returns false for a node that is not connected. */
  drainNode(name: string): boolean {
    const isHere = [...this.nodes].some((node) => node.name === name);
    if (isHere) this.keepDraining([name]);
    return isHere;
  }

  /** Marks nodes as draining, including those that are not connected yet. */
  keepDraining(names: Iterable<string>): void {
    for (const name of names) this.draining.add(name);
    for (const oldest of this.draining)
      if (this.draining.size > limits.farm.nodesMax) this.draining.delete(oldest);
  }

  /** Returns the states of the nodes that have sent their hello. */
  states(): readonly FarmNodeState[] {
    const leases = [...this.leaseByToken.values()];
    return [...this.nodes].flatMap((node) => {
      const { name, version, joinedAtMs, slots } = node;
      if (name === undefined) return [];
      const tasks = leases.filter((lease) => lease.node === node).length;
      return [{ name, version, joinedAtMs, isDraining: this.isDraining(node), slots, tasks }];
    });
  }

  /** Returns the running tasks, the oldest first, and how many tasks wait. */
  tasks(): FarmTasks {
    const running = Array.from(this.leaseByToken.values(), (lease): RunningTask => {
      const { job, scope, task, node, claimedAtMs, progress, thumbnail } = lease;
      const about = { id: idAtEnd(job), kind: task.kind, scope, node: node.name ?? "" };
      return { ...about, claimedAtMs, progress, hasThumbnail: thumbnail !== undefined };
    });
    return { running, waiting: this.waiting.waitingByKind() };
  }

  /** Returns a JPEG in base64 of what is being made for this id, or undefined without one. */
  thumbnail(id: Id): string | undefined {
    const leases = [...this.leaseByToken.values()];
    return leases.find(({ job, thumbnail }) => thumbnail !== undefined && idAtEnd(job) === id)
      ?.thumbnail;
  }

  samples(): readonly Sample[] {
    const states = { idle: 0, busy: 0, draining: 0 };
    for (const node of this.nodes)
      if (this.isDraining(node)) states.draining++;
      else if (node.name !== undefined) states[node.free < node.slots ? "busy" : "idle"]++;
    return [
      gauge("render_queue_depth", {}, this.waiting.waitingByKind()["render"] ?? 0),
      ...Object.entries(states).map(([state, count]) => gauge("render_nodes", { state }, count)),
    ];
  }

  private isDraining({ name }: Node): boolean {
    return name !== undefined && this.draining.has(name);
  }

  private handle(node: Node, message: FromNode): void {
    switch (message.kind) {
      case "hello":
        node.name = message.node;
        node.version = message.version;
        node.kinds = message.kinds;
        node.slots = message.slots;
        this.resize(node, message.slots);
        return;
      case "capacity":
        this.resize(node, message.slots);
        return;
      case "heartbeat":
        this.helpers.heartbeat(message.token);
        this.heartbeat(message);
        return;
      case "finished":
        this.helpers.finishPart(message.token);
        this.finishTask(message.token, message.outcome);
        this.offer();
        return;
      case "returned":
        this.helpers.finishPart(message.token);
        this.takeBack(node, message.token);
        return;
      case "ask":
        void this.answer(node, message);
        return;
      case "split": {
        const lease = this.leaseByToken.get(message.token);
        if (lease?.node !== node) return;
        this.helpers.split(node, message, lease.objects);
        this.offer();
        return;
      }
      case "take":
        this.helpers.take(message.member);
        return;
      case "made":
        this.helpers.onPart(message.member, message.part, message.result);
        return;
    }
  }

  private resize(node: Node, capacity: number): void {
    node.free += capacity - node.capacity;
    node.capacity = capacity;
    this.offer();
  }

  private offer(): void {
    const ready = [...this.nodes].filter((node) => !this.isDraining(node));
    const share = this.shares.forSlots(ready.reduce((sum, { capacity }) => sum + capacity, 0));
    for (const node of ready)
      while (node.free > 0) {
        const next = this.waiting.take(node.kinds, share);
        if (next === undefined) break;
        this.claim(node, next);
      }
    this.helpers.recruit(ready.filter(({ slots, free }) => slots > 0 && free === slots));
  }

  private claim(node: Node, waiting: WaitingTask): void {
    const { job, task } = waiting;
    const token = this.ports.mintToken();
    const lastSeenMs = this.ports.clock.monotonicMs();
    const prefix = `${task.outputPrefix}/${token}`;
    const objects = new TaskObjects(this.ports.objects, task.input, prefix);
    const times = { claimedAtMs: this.ports.clock.nowMs(), lastSeenMs, notifiedMs: 0 };
    const state = { isDurable: false, progress: 0, thumbnail: undefined };
    const lease = { ...waiting, token, node, objects, ...times, ...state };
    node.free--;
    this.leaseByJob.set(job, lease);
    this.leaseByToken.set(token, lease);
    this.ports.send(job, { kind: "claim", token });
  }

  private heartbeat({ token, progress, thumbnail }: Heartbeat): void {
    const lease = this.leaseByToken.get(token);
    if (lease === undefined) return;
    lease.progress = progress;
    lease.thumbnail = thumbnail ?? lease.thumbnail;
    lease.lastSeenMs = this.ports.clock.monotonicMs();
    if (lease.lastSeenMs - lease.notifiedMs < limits.farm.progressIntervalMs || progress === 0)
      return;
    lease.notifiedMs = lease.lastSeenMs;
    this.ports.send(lease.job, { kind: "progress", token, progress });
  }

  private finishTask(token: string, outcome: TaskOutcome): void {
    const lease = this.leaseByToken.get(token);
    if (lease === undefined) return;
    if (outcome.kind === "failed" && outcome.isTimeout === true)
      this.shares.addTimeout(lease.owner);
    if (outcome.kind === "failed" && outcome.retryable)
      this.lapse(lease, { reason: outcome.message });
    else {
      this.end(lease);
      const ended = this.getOutcome(lease, outcome);
      this.ports.send(lease.job, { kind: "finished", token, outcome: ended });
    }
  }

  private getOutcome({ job }: Lease, outcome: TaskOutcome): Outcome {
    if (outcome.kind === "failed")
      return {
        kind: "failed",
        class: "invalid_input",
        message: outcome.message,
        atOutput: false,
        billed: false,
        ...omitUndefined({ warnings: outcome.warnings }),
      };
    const partition = getPartition(job);
    const outputs = outcome.outputs.map((media) => ({
      asset: this.ports.ids.under(partition),
      media,
    }));
    const { warnings, details } = outcome;
    return {
      kind: "succeeded",
      outputs,
      ...omitUndefined({ warnings, details }),
    };
  }

  private takeBack(node: Node, token: string): void {
    const lease = this.leaseByToken.get(token);
    if (lease?.node === node) this.lapse(lease, { isReturned: true });
    this.offer();
  }

  private lapse(lease: Lease, why: { readonly reason?: string; readonly isReturned?: true }): void {
    const { job, owner, scope, task, token } = lease;
    this.end(lease);
    this.ports.send(job, { kind: "lapsed", token, ...why });
    this.waiting.putBack({ job, owner, scope, task });
  }

  /** Grants access to an object; the task is told of any failure. */
  private async answer({ connection }: Node, { token, id, order, key }: ObjectAsk): Promise<void> {
    const lease = this.leaseByToken.get(token);
    const objects =
      lease?.node.connection === connection
        ? lease.objects
        : this.helpers.listObjects(token, connection);
    try {
      if (objects === undefined) throw new PortError("the lease has ended", true);
      const url = await objects.grant(order, key);
      connection.send({ kind: "granted", token, id, url });
    } catch (fault) {
      const isKnown = fault instanceof PortError;
      const reason = isKnown ? fault.message : "the object could not be granted";
      const retryable = isKnown && fault.retryable;
      connection.send({ kind: "denied", token, id, reason, retryable });
      if (!isKnown) throw fault;
    }
  }

  private end(lease: Lease): void {
    lease.node.free++;
    this.waiting.onEnd(lease);
    if (this.helpers.disband(lease.token)) void lease.objects.clearShared();
    this.leaseByJob.delete(lease.job);
    this.leaseByToken.delete(lease.token);
  }

  private lose(node: Node): void {
    this.nodes.delete(node);
    this.helpers.lose(node);
    for (const lease of this.leaseByToken.values()) if (lease.node === node) this.lapse(lease, {});
    this.offer();
  }

  private watch(): void {
    this.ports.clock.after(limits.farm.heartbeatMs, () => {
      const nowMs = this.ports.clock.monotonicMs();
      const oldestMs = nowMs - limits.farm.leaseMs;
      for (const lease of this.leaseByToken.values())
        if (!lease.node.connection.isAudible()) lease.lastSeenMs = nowMs;
        else if (lease.lastSeenMs < oldestMs) {
          this.lapse(lease, {});
          // A node that resumes must not continue another's work, nor wait for parts of it.
          if (lease.isDurable) lease.node.connection.send({ kind: "cancel", token: lease.token });
        }
      this.helpers.watch();
      this.offer();
      this.watch();
    });
  }
}
