/**
 * A process that answers tasks over IPC, for work that must slow nothing else: its entry gives it
 * a low priority. It shares not even a lock with this one: a thread of low priority is
 * preempted by the very thread that its message wakes, while it still holds the port's lock that
 * the other then waits for.
 *
 * Started with the first task, told nothing of the environment, ended with this process. When it
 * dies, what it had is rejected, and the next task starts another.
 */
import { type ChildProcess, fork } from "node:child_process";
import { PortError } from "../ports/port-error.ts";

export interface QuietProcessOptions {
  /** Threads of libuv's pool: the number of tasks that run at once. */
  readonly threads: number;
  /** Maximum time for a task, after which the process is killed. */
  readonly timeoutMs: number;
}

interface Waiting<Result> {
  readonly resolve: (result: Result) => void;
  readonly reject: (error: PortError) => void;
  readonly timer: NodeJS.Timeout;
}

interface Answered<Result> {
  readonly number: number;
  readonly result: Result;
}

export class QuietProcess<Task extends object, Result> {
  private readonly entry: URL;
  private readonly options: QuietProcessOptions;
  private readonly waiting = new Map<number, Waiting<Result>>();
  private child: ChildProcess | undefined;
  private tasks = 0;

  /** `entry` receives `{ number, task }` and sends `{ number, result }`. */
  constructor(entry: URL, options: QuietProcessOptions) {
    this.entry = entry;
    this.options = options;
  }

  /** Runs a task; throws a retryable `PortError` when the process died during the task. */
  run(task: Task): Promise<Result> {
    this.child ??= this.start();
    const { child } = this;
    const number = ++this.tasks;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => void child.kill("SIGKILL"), this.options.timeoutMs);
      this.waiting.set(number, { resolve, reject, timer: timer.unref() });
      // A process that cannot be reached has ended or is about to end: `lose` follows.
      child.send({ number, task }, () => undefined);
    });
  }

  /** Kills the process; its tasks are rejected. */
  close(): void {
    this.child?.kill("SIGKILL");
  }

  private start(): ChildProcess {
    const child = fork(this.entry, [], {
      env: { UV_THREADPOOL_SIZE: String(this.options.threads) },
      execArgv: [],
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    child.on("message", (answered) => this.settle(answered as Answered<Result>));
    child.on("error", () => this.lose(child));
    child.once("exit", () => this.lose(child));
    return child;
  }

  private settle({ number, result }: Answered<Result>): void {
    const waiting = this.waiting.get(number);
    this.waiting.delete(number);
    clearTimeout(waiting?.timer);
    waiting?.resolve(result);
  }

  /** Rejects all waiting tasks; they were all sent to this process, the only one at a time. */
  private lose(child: ChildProcess): void {
    if (this.child !== child) return;
    this.child = undefined;
    for (const { reject, timer } of this.waiting.values()) {
      clearTimeout(timer);
      reject(new PortError("the process that does this work has ended", true));
    }
    this.waiting.clear();
  }
}
