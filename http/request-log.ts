/**
 * Logs a line for every request, so that an operator can find a request id again. At high rates
 * only some requests are logged, but failures always; the number of skipped lines is logged too.
 */
import { limits } from "../config/limits.ts";
import type { Id } from "../engine/id.ts";

export interface RequestLine {
  readonly method: string;
  /** Path in the route table, without ids and query; undefined for an unknown path. */
  readonly route: string | undefined;
  readonly status: number;
  /** Milliseconds until the answer; for a stream, until its beginning. */
  readonly ms: number;
  readonly requestId: string;
  /** Id of the object that the request created; the log line of a job's end names it too. */
  readonly made: string | undefined;
  /** Id of the user. */
  readonly account: Id | undefined;
  readonly address: string;
}

export type RequestLevel = "debug" | "info" | "warn" | "error";

interface Output {
  line(level: RequestLevel, line: RequestLine): void;
  /** Reports the number of lines of the last second that were not written. */
  onSkip(lines: number): void;
}

const windowMs = 1_000;
/** Paths that monitoring systems poll. */
const probes: readonly (string | undefined)[] = ["/healthz", "/readyz"];

export class RequestLog {
  private readonly output: Output;
  private window = 0;
  private written = 0;
  private missing = 0;

  constructor(output: Output) {
    this.output = output;
  }

  /** Calls `describe` only for a line that is written. `startedMs` is when the request arrived. */
  add(status: number, startedMs: number, describe: () => RequestLine): void {
    const window = Math.floor(startedMs / windowMs);
    if (window > this.window) this.begin(window);
    if (status < 500 && this.written >= limits.log.requestsPerSecond) {
      this.missing++;
      return;
    }
    this.written++;
    const line = describe();
    this.output.line(getLevel(line), line);
  }

  private begin(window: number): void {
    if (this.missing > 0) this.output.onSkip(this.missing);
    this.window = window;
    this.written = 0;
    this.missing = 0;
  }
}

function getLevel({ status, route }: RequestLine): RequestLevel {
  if (status >= 500) return "error";
  if (status >= 400) return "warn";
  return probes.includes(route) ? "debug" : "info";
}
