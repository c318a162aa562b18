import type { Subject } from "./server-process.ts";

/** One file of the bench answers one of these. */
export interface Question {
  readonly summary: string;
  /** Its options, each with what it means. */
  readonly options: readonly string[];
  /** Farm processes of the service that is asked. */
  readonly farmWorkers: number;
  /** Further settings of that service. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Starts what the service needs before it starts, and says of it in its settings. */
  readonly prepare?: () => Promise<Prepared>;
  /** What to do as the command line says; throws `UsageError`. */
  readonly plan: (args: readonly string[]) => Plan;
}

export interface Prepared {
  readonly environment: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

export type Plan = (setting: Setting) => Promise<Finding>;

export interface Setting {
  readonly subject: Subject;
  /** Beside the service's data; what lies there is kept for the next time. */
  readonly dataDir: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** For a person who waits. */
  readonly say: (line: string) => void;
}

export interface Finding {
  readonly lines: readonly string[];
  /** Every answer was right: figures of wrong answers count for nothing. */
  readonly isSound: boolean;
}

/** The command line asks for what there is not. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Throws `UsageError` unless it is a whole number above 0. */
export function countOf(name: string, text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new UsageError(`--${name} is "${text}"; give it a whole number above 0.`);
}
