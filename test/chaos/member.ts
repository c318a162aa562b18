/**
 * A process of the cluster. A process that ends by itself is started again after a second, as
 * systemd does; one that is killed stays down until `start`. The kernel kills it when this process
 * ends.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import type { Kind } from "./faults.ts";

const againMs = 1_000;

export interface MemberOptions {
  readonly kind: Kind;
  readonly index: number;
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly logFile: string;
}

export class Member {
  readonly name: string;
  readonly kind: Kind;
  readonly index: number;
  readonly logFile: string;
  /** How the process ended each time that it was not told to. */
  readonly ownEnds: string[] = [];
  private readonly options: MemberOptions;
  private child: ChildProcess | undefined;
  private isWanted = false;
  private isPaused = false;
  private life = Promise.resolve();

  constructor(options: MemberOptions) {
    this.options = options;
    this.kind = options.kind;
    this.index = options.index;
    this.logFile = options.logFile;
    this.name = `${options.kind}-${options.index}`;
  }

  start(): void {
    if (this.isWanted) return;
    this.isWanted = true;
    this.life = this.life.then(() => this.live());
  }

  /** Resolves when the process has ended; kills it if it outlives SIGTERM by `patienceMs`. */
  async end(signal: "SIGTERM" | "SIGKILL", patienceMs = 60_000): Promise<boolean> {
    this.isWanted = false;
    this.signal(signal);
    const patience = new AbortController();
    const late = delay(patienceMs, true, { signal: patience.signal }).catch(() => false);
    const isLate = await Promise.race([this.life.then(() => false), late]);
    patience.abort();
    if (isLate) this.signal("SIGKILL");
    await this.life;
    return !isLate;
  }

  pause(): void {
    this.isPaused = true;
    this.signal("SIGSTOP");
  }

  resume(): void {
    this.isPaused = false;
    this.signal("SIGCONT");
  }

  private signal(signal: NodeJS.Signals): void {
    this.child?.kill(signal);
  }

  private async live(): Promise<void> {
    while (this.isWanted) {
      const log = openSync(this.logFile, "a", 0o600);
      const child = spawn("setpriv", ["--pdeathsig", "KILL", "--", ...this.options.command], {
        env: { ...this.options.env },
        stdio: ["ignore", log, log],
      });
      closeSync(log);
      this.child = child;
      if (this.isPaused) child.kill("SIGSTOP");
      const [code, signal] = await once(child, "exit");
      this.child = undefined;
      if (!this.isWanted) return;
      this.ownEnds.push(`${signal ?? `exit code ${code}`}`);
      await delay(againMs);
    }
  }
}
