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
  /** Of libuv's pool: tasks that it does at once. */
  readonly threads: number;
  /** A process that takes longer for a task is ended. */
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

  /** Throws `PortError`, which may be retried, when the process died over it. */
  run(task: Task): Promise<Result> {
    this.child ??= this.start();
    const { child } = this;
    const number = ++this.tasks;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => void child.kill("SIGKILL"), this.options.timeoutMs);
      this.waiting.set(number, { resolve, reject, timer: timer.unref() });
      // A process that cannot be reached has ended or is about to: `lose` follows.
      child.send({ number, task }, () => undefined);
    });
  }

  /** What it has is rejected. */
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

  /** All that waits was sent to it: another is started only when it is gone. */
  private lose(child: ChildProcess): void {
    if (this.child !== child) return;
    this.child = undefined;
    for (const { reject, timer } of this.waiting.values()) {
      clearTimeout(timer);
      reject(new PortError("the process that does it has ended", true));
    }
    this.waiting.clear();
  }
}
