import type { Finding } from "./report/result.ts";
import type { Subject } from "./service/server-process.ts";

/** A scenario of the bench; each file of `scenarios/` answers one question. */
export interface Scenario {
  readonly question: string;
  /** What the scenario's figures do not show. */
  readonly excludes: string;
  /** Help lines, one for each option of the scenario. */
  readonly options: readonly string[];
  /** Options for a run of about a minute; `all --quick` leaves out scenarios without them. */
  readonly quick?: readonly string[];
  /** Reads the command line; throws `UsageError`. */
  readonly plan: (args: readonly string[]) => Plan;
}

export type Plan = (setting: Setting) => Promise<Finding>;

export interface Setting {
  /** Starts a service on an empty store, or returns the one that KLIEG_URL names. */
  readonly start: (start?: Start) => Promise<Subject>;
  /** Whether the service runs on another machine, where no peers can run beside it. */
  readonly isRemote: boolean;
  /** Folder beside the service's data; its contents are kept between runs. */
  readonly dataDir: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Prints progress for the user. */
  readonly say: (line: string) => void;
}

export interface Start {
  readonly farmWorkers?: number;
  readonly environment?: Readonly<Record<string, string>>;
  /** Set when a service that runs elsewhere cannot answer the scenario's question. */
  readonly mustBeOwn?: boolean;
}

/** An error in the command line's arguments. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
