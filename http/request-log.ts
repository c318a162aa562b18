/**
 * A line of the log for every request, by which an operator finds a request id again. At high rates
 * only some are written, but always failures; the number of skipped lines is logged.
 */
import { limits } from "../config/limits.ts";
import type { Id } from "../engine/id.ts";

export interface RequestLine {
  readonly method: string;
  /** The path of the route table, without ids and query; undefined for an unknown path. */
  readonly route: string | undefined;
  readonly status: number;
  /** To the answer; of a stream to its beginning. */
  readonly ms: number;
  readonly requestId: string;
  /** The id of what it made: the line of a job's end names the same. */
  readonly made: string | undefined;
  /** The user's id. */
  readonly account: Id | undefined;
  readonly address: string;
}

export type RequestLevel = "debug" | "info" | "warn" | "error";

interface Output {
  line(level: RequestLevel, line: RequestLine): void;
  /** Lines of the last second that were not written. */
  onSkip(lines: number): void;
}

const windowMs = 1_000;
/** Paths that monitoring polls. */
const probes: readonly (string | undefined)[] = ["/healthz", "/readyz"];

export class RequestLog {
  private readonly output: Output;
  private window = 0;
  private written = 0;
  private missing = 0;

  constructor(output: Output) {
    this.output = output;
  }

  /** Calls `describe` only for a line that is written. `startedMs`: when the request came. */
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
