/**
 * Long-lived threads on Piscina. A thread is one task that ends only when it is told to stop or
 * dies; a death rejects the task, and `died` decides what follows. Piscina is imported by this file
 * only.
 */
import { MessageChannel, type MessagePort } from "node:worker_threads";
import { Piscina } from "piscina";

export interface Thread {
  /** Resolves when the thread ended by itself, throws what killed it. */
  readonly ended: Promise<void>;
}

export class Threads {
  private readonly pool: Piscina;

  /** `entry` is the URL of a module whose default task is named `run`; `count` threads at most. */
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

  /** `ports` are handed over to the thread inside `task`. */
  start(task: object, ports: readonly MessagePort[]): Thread {
    return { ended: this.pool.run(task, { transferList: [...ports] }) };
  }

  async close(): Promise<void> {
    await this.pool.destroy();
  }
}

export function channel(): { near: MessagePort; far: MessagePort } {
  const { port1, port2 } = new MessageChannel();
  return { near: port1, far: port2 };
}
