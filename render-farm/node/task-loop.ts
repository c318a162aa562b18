import { omitUndefined } from "../../config/defined.ts";
import { limits } from "../../config/limits.ts";
import type { Fault } from "../../config/schema.ts";
import type { Objects } from "../../engine/ports/objects.ts";
import { PortError } from "../../engine/ports/port-error.ts";
import type {
  BrokerConnection,
  FromNode,
  HelperTask,
  Task,
  TaskOutcome,
  ToNode,
} from "../../engine/ports/tasks.ts";
import { ObjectAsks, type ObjectSigner } from "./object-asks.ts";
import { BrokeredParts, type Parts, type SharedParts } from "./task-parts.ts";

/**
 * A farm node's life: hello, leases up to its slots, heartbeats, one `finished` for each lease.
 *
 *   serving --drain--> draining --last lease ends--> "drained"
 *      \------------------\-------broker gone------> "closed"
 *
 * 1. Every lease that arrives gets exactly one `finished` or `returned`, unless the broker goes
 *    away.
 * 2. A canceled, late or dropped task is answered and its slot freed at once; its worker is
 *    aborted and whatever it still reports is ignored.
 * 3. A worker that throws costs its task, never the node. This is the farm's only catch of faults.
 * 4. Parts of a task end with it, and so do its ways to objects; those that still wait for one are
 *    notified.
 *
 * Called by `main.ts`; tests give it the memory connection and simulated timers.
 */
export interface TaskWorker {
  /** The wall time of one task; past it the task fails and may be tried again. */
  readonly timeoutMs: number;
  /** Runs a task; should stop soon after `signal` aborts. Operating faults throw `PortError`. */
  run(context: TaskContext): Promise<TaskOutcome>;
}

/** Makes the worker of one task, given the objects that the task may access. */
export type WorkerOf = (objects: Objects) => TaskWorker;

export interface TaskContext {
  readonly input: unknown;
  readonly outputPrefix: string;
  /** Trace id, span id and flags of the client's trace, if the client traces the request. */
  readonly trace?: string;
  readonly signal: AbortSignal;
  /** Reports a fraction from 0 to 1, which is sent with the next heartbeat. */
  reportProgress(fraction: number): void;
  /** Offers operators a JPEG of the work in progress; `make` is called only when one is due. */
  reportThumbnail(make: () => Promise<Buffer>): void;
  /**
   * Lets idle nodes make `parts` parts of this task too; a later call replaces the earlier split.
   */
  split(parts: number, helpers: HelperTask): SharedParts;
  /** Returns the parts that this task, which helps another node, was leased for. */
  join(): Parts;
}

/** Timers; each call returns a function that stops the timer. */
export interface Timers {
  every(intervalMs: number, tick: () => void): () => void;
  after(delayMs: number, ring: () => void): () => void;
}

export interface FarmNode {
  readonly name: string;
  readonly version: string;
  readonly slots: number;
  readonly heartbeatMs: number;
  /** How long a drain waits for running tasks before it hands them back. */
  readonly drainMs: number;
  readonly workersByKind: ReadonlyMap<string, WorkerOf>;
  /** Returns the objects that a task may access, through its broker or by a way of the node. */
  readonly objectsFor: (signer: ObjectSigner, signal: AbortSignal) => Objects;
  /** Gets each fault that is a bug, once. */
  readonly reportBug: (fault: unknown) => void;
}

interface Run {
  readonly abort: AbortController;
  readonly stopDeadline: () => void;
  progress: number;
  /** A JPEG in base64, kept until it is sent. */
  thumbnail: string | undefined;
  /** Number of heartbeats until the next thumbnail is due. */
  thumbnailIn: number;
  /** Names under which the run makes parts. */
  readonly members: string[];
  readonly asks: ObjectAsks;
}

export class TaskLoop {
  readonly ended: Promise<"drained" | "closed">;
  private readonly node: FarmNode;
  private readonly connection: BrokerConnection;
  private readonly timers: Timers;
  private readonly runsByToken = new Map<string, Run>();
  private readonly partsByMember = new Map<string, BrokeredParts>();
  private readonly stopHeartbeat: () => void;
  private stopDrain: (() => void) | undefined;
  private end: (reason: "drained" | "closed") => void = () => undefined;

  /** Says hello; serves until `ended` resolves. */
  constructor(node: FarmNode, connection: BrokerConnection, timers: Timers) {
    this.node = node;
    this.connection = connection;
    this.timers = timers;
    this.ended = new Promise((resolve) => {
      this.end = resolve;
    });
    this.stopHeartbeat = timers.every(node.heartbeatMs, () => this.beat());
    connection.onMessage((message) => this.receive(message));
    connection.onClose(() => {
      this.stop("closed");
      this.dropAll(onFailure("the broker is gone", true));
    });
    const kinds = [...node.workersByKind.keys()];
    const { name, version, slots } = node;
    connection.send({ kind: "hello", node: name, version, slots, kinds });
  }

  /** Number of running tasks. */
  get running(): number {
    return this.runsByToken.size;
  }

  /** Takes no new tasks; ends when the last running task does. */
  drain(): void {
    if (this.stopDrain !== undefined) return;
    this.stopDrain = this.timers.after(this.node.drainMs, () => this.returnAll());
    this.connection.send({ kind: "capacity", slots: 0 });
    if (this.runsByToken.size === 0) this.stop("drained");
  }

  private receive(message: ToNode): void {
    switch (message.kind) {
      case "lease":
        this.lease(message.task);
        break;
      case "cancel":
        this.finish(message.token, onFailure("the task was canceled", false));
        break;
      case "drain":
        this.drain();
        break;
      case "granted":
      case "denied":
        this.runsByToken.get(message.token)?.asks.handle(message);
        break;
      case "part":
      case "made":
        this.partsByMember.get(message.member)?.handle(message);
    }
  }

  private lease(task: Task): void {
    if (this.runsByToken.has(task.token)) return;
    const workerOf = this.node.workersByKind.get(task.kind);
    const isFull = this.runsByToken.size >= this.node.slots;
    if (workerOf === undefined) {
      const outcome = onFailure(`the node does not do ${task.kind}`, true);
      this.connection.send({ kind: "finished", token: task.token, outcome });
    } else if (this.stopDrain !== undefined || isFull)
      this.connection.send({ kind: "returned", token: task.token });
    else this.start(task, workerOf);
  }

  private start(task: Task, workerOf: WorkerOf): void {
    const { token, kind, input, outputPrefix, trace } = task;
    const abort = new AbortController();
    const asks = new ObjectAsks(token, (message) => this.connection.send(message));
    const worker = workerOf(this.node.objectsFor(asks, abort.signal));
    const stopDeadline = this.timers.after(worker.timeoutMs, () =>
      this.finish(token, {
        ...onFailure(`${kind} took longer than ${worker.timeoutMs} ms`, true),
        isTimeout: true,
      }),
    );
    const picture = { thumbnail: undefined, thumbnailIn: 1 };
    const run: Run = { abort, stopDeadline, progress: 0, ...picture, members: [], asks };
    this.runsByToken.set(token, run);
    const reportProgress = (fraction: number): void => {
      run.progress = Math.max(run.progress, Math.min(1, fraction));
    };
    const reportThumbnail = (make: () => Promise<Buffer>): void => takeThumbnail(run, make);
    const split = (parts: number, helpers: HelperTask): SharedParts => {
      const member = `${token}/${run.members.length}`;
      const shared = this.open(run, member);
      this.connection.send({ kind: "split", token, member, parts, helpers });
      return shared;
    };
    const join = (): Parts => this.open(run, token);
    const isCurrent = () => this.runsByToken.get(token) === run;
    const reports = { reportProgress, reportThumbnail };
    const about = { input, outputPrefix, ...omitUndefined({ trace }), signal: abort.signal };
    worker.run({ ...about, ...reports, split, join }).then(
      (outcome) => isCurrent() && this.finish(token, outcome),
      (fault: unknown) => {
        if (!isCurrent()) return;
        if (!(fault instanceof PortError)) this.node.reportBug(fault);
        this.finish(token, outcomeOfFault(fault));
      },
    );
  }

  /** Opens parts for a run; parts that it made under an earlier split no longer count. */
  private open(run: Run, member: string): BrokeredParts {
    this.closeParts(run);
    const parts = new BrokeredParts(member, (message) => this.connection.send(message));
    this.partsByMember.set(member, parts);
    run.members.push(member);
    if (run.abort.signal.aborted) this.closeParts(run);
    return parts;
  }

  private closeParts({ members }: Run): void {
    for (const member of members) {
      this.partsByMember.get(member)?.close();
      this.partsByMember.delete(member);
    }
  }

  private finish(token: string, outcome: TaskOutcome): void {
    this.conclude(token, { kind: "finished", token, outcome });
  }

  private conclude(token: string, message: FromNode): void {
    const run = this.runsByToken.get(token);
    if (run === undefined) return;
    this.runsByToken.delete(token);
    run.stopDeadline();
    run.abort.abort();
    this.closeParts(run);
    run.asks.close();
    this.connection.send(message);
    if (this.stopDrain !== undefined && this.runsByToken.size === 0) this.stop("drained");
  }

  private returnAll(): void {
    for (const token of [...this.runsByToken.keys()])
      this.conclude(token, { kind: "returned", token });
  }

  private dropAll(outcome: TaskOutcome): void {
    for (const token of [...this.runsByToken.keys()]) this.finish(token, outcome);
  }

  private beat(): void {
    for (const [token, run] of this.runsByToken) {
      const { progress, thumbnail } = run;
      this.connection.send({ kind: "heartbeat", token, progress, ...omitUndefined({ thumbnail }) });
      run.thumbnail = undefined;
      run.thumbnailIn = Math.max(0, run.thumbnailIn - 1);
    }
  }

  private stop(reason: "drained" | "closed"): void {
    this.stopHeartbeat();
    this.stopDrain?.();
    this.end(reason);
  }
}

/** Keeps a thumbnail for the next heartbeat; skips one that fails or is too large. */
function takeThumbnail(run: Run, make: () => Promise<Buffer>): void {
  const { thumbnailBeats, thumbnailMax } = limits.farm;
  if (run.thumbnailIn > 0 || run.abort.signal.aborted) return;
  run.thumbnailIn = thumbnailBeats;
  const keep = (jpeg: Buffer): void => {
    const text = jpeg.toString("base64");
    if (text.length <= thumbnailMax) run.thumbnail = text;
  };
  make().then(keep, () => undefined);
}

/** The outcome hides a bug's own message, which may name files and hosts and is only logged. */
function outcomeOfFault(fault: unknown): TaskOutcome {
  if (fault instanceof PortError) return onFailure(fault.message, fault.retryable);
  return onFailure("The render farm failed to carry out this task.", false);
}

function onFailure(message: string, retryable: boolean) {
  return { kind: "failed", message, retryable } as const;
}

/** Outcome for an input that the schema refuses; names the first member at fault. */
export function refuseInput(kind: string, [first]: readonly Fault[]): TaskOutcome {
  const message = `${kind}: ${first?.pointer || "the input"} ${first?.detail ?? "is wrong"}`;
  return onFailure(message, false);
}
