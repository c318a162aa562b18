/**
 * Threads on Piscina, which is imported by this file only. A long-lived one is one task that ends
 * only when it is stopped or dies; a death rejects the task, and `died` decides what follows. Short
 * tasks share threads that are ended when one of them takes too long.
 */
import { MessageChannel, type MessagePort } from "node:worker_threads";
import { Piscina } from "piscina";
import { PortError } from "./ports/port-error.ts";

export interface Thread {
  /** Resolves when the thread has ended normally, rejects with the error that ended it. */
  readonly ended: Promise<void>;
}

/** Port for starting threads. Adapters: worker threads, and fakes of tests. */
export interface ThreadPool {
  /** Starts a thread; `ports` are those inside `task`, and are transferred to the thread. */
  start(task: object, ports: readonly MessagePort[]): Thread;
  close(): Promise<void>;
}

export class Threads implements ThreadPool {
  private readonly pool: Piscina;

  /** `entry` is the URL of a module whose task is its export `run`; `count` threads at most. */
  constructor(entry: URL, count: number) {
    this.pool = new Piscina({
      filename: entry.href,
      name: "run",
      minThreads: count,
      maxThreads: count,
      concurrentTasksPerWorker: 1,
      idleTimeout: Number.POSITIVE_INFINITY,
    });
  }

  start(task: object, ports: readonly MessagePort[]): Thread {
    return { ended: this.pool.run(task, { transferList: [...ports] }) };
  }

  async close(): Promise<void> {
    await this.pool.destroy();
  }
}

export interface ShortTasks {
  readonly threads: number;
  /** Most tasks that may wait; further ones are refused. */
  readonly queueMax: number;
  readonly timeoutMs: number;
  readonly memoryMegabytes: number;
}

export class ShortThreads<Task extends object, Result> {
  private readonly pool: Piscina;
  private readonly timeoutMs: number;

  constructor(entry: URL, { threads, queueMax, timeoutMs, memoryMegabytes }: ShortTasks) {
    this.timeoutMs = timeoutMs;
    this.pool = new Piscina({
      filename: entry.href,
      name: "run",
      minThreads: 0,
      maxThreads: threads,
      maxQueue: queueMax,
      concurrentTasksPerWorker: 1,
      idleTimeout: idleMs,
      resourceLimits: {
        maxOldGenerationSizeMb: memoryMegabytes,
        // The service's own setting is more than a thread for short tasks can use.
        maxYoungGenerationSizeMb: youngMegabytes,
      },
    });
    // A thread whose task was given up may still run out of memory; its error is not needed.
    this.pool.on("error", () => {});
  }

  /**
   * Runs a task; `ports` are those inside `task`, and are transferred to the thread. Throws
   * `PortError`: not retryable for a task that needs too much time or memory.
   */
  async run(task: Task, ports: readonly MessagePort[] = []): Promise<Result> {
    if (this.pool.queueSize >= this.pool.options.maxQueue)
      throw new PortError("too many tasks wait for a thread", true);
    try {
      const signal = AbortSignal.timeout(this.timeoutMs);
      return await this.pool.run(task, { signal, transferList: [...ports] });
    } catch (error) {
      if (isExcess(error)) throw new PortError("the task took too much", false, error);
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.pool.destroy();
  }
}

const idleMs = 60_000;
const youngMegabytes = 32;

function isExcess(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error ? error.code : undefined;
  return error.name === "AbortError" || code === "ERR_WORKER_OUT_OF_MEMORY";
}

export function channel(): { near: MessagePort; far: MessagePort } {
  const { port1, port2 } = new MessageChannel();
  return { near: port1, far: port2 };
}
