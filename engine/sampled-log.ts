/**
 * The log of how actors end: a line for each reported end, while the second's budget lasts.
 * Failures have a budget of their own, so that they are found among many successes. Skipped lines
 * are counted and never formatted.
 */
import { limits } from "../config/limits.ts";
import type { Context, Report } from "./actor.ts";
import type { Clock } from "./ports/clock.ts";

type Line = Omit<Report, "count" | "span">;

interface Output {
  line(level: "info" | "warn", fields: object, message: string): void;
  /** Called with the number of lines of an earlier second that were not written. */
  onSkip(lines: number): void;
}

const windowMs = 1_000;

export class SampledLog {
  private readonly clock: Clock;
  private readonly output: Output;
  private window = -1;
  private left = { info: 0, warn: 0 };
  private missing = 0;

  constructor(clock: Clock, output: Output) {
    this.clock = clock;
    this.output = output;
  }

  add({ level, message, fields }: Line, get: Context["get"]): void {
    const window = Math.floor(this.clock.monotonicMs() / windowMs);
    if (window !== this.window) this.begin(window);
    if (this.left[level]-- <= 0) {
      this.missing++;
      return;
    }
    this.output.line(level, fields(get), message);
  }

  private begin(window: number): void {
    if (this.missing > 0) this.output.onSkip(this.missing);
    this.window = window;
    const { endsPerSecond, failuresPerSecond } = limits.log;
    this.left = { info: endsPerSecond, warn: failuresPerSecond };
    this.missing = 0;
  }
}
