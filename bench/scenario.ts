import type { Finding } from "./report/result.ts";
import type { Subject } from "./service/server-process.ts";

/** One file of `scenarios/` answers one question. */
export interface Scenario {
  readonly question: string;
  /** What its figures do not tell. */
  readonly excludes: string;
  /** Its options, each with what it means. */
  readonly options: readonly string[];
  /** Options of a run that takes about a minute; `all --quick` leaves out those without. */
  readonly quick?: readonly string[];
  /** Reads the command line; throws `UsageError`. */
  readonly plan: (args: readonly string[]) => Plan;
}

export type Plan = (setting: Setting) => Promise<Finding>;

export interface Setting {
  /** Starts a service on an empty store, or hands out the one that KLIEG_URL names. */
  readonly start: (start?: Start) => Promise<Subject>;
  /** The service is another machine's: it has no peers beside it. */
  readonly isRemote: boolean;
  /** Beside the service's data; what lies there is kept for the next time. */
  readonly dataDir: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** For a person who waits. */
  readonly say: (line: string) => void;
}

export interface Start {
  readonly farmWorkers?: number;
  readonly environment?: Readonly<Record<string, string>>;
  /** A service that runs elsewhere cannot answer the question. */
  readonly mustBeOwn?: boolean;
}

/** The command line asks for what there is not. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Throws `UsageError` unless it is a whole number above 0. */
export function readCount(name: string, text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new UsageError(`--${name} is "${text}"; give it a whole number above 0.`);
}

/** Whole numbers above 0 with commas between; throws `UsageError`. */
export function readCounts(name: string, text: string): number[] {
  return text.split(",").map((part) => readCount(name, part));
}
