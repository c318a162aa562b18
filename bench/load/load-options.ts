import { parseArgs } from "node:util";
import { readCount } from "../scenario.ts";
import type { LoadProfile } from "./by-turns.ts";

/** Options of the scenarios that measure under load. */
export interface LoadOptions {
  readonly profile: LoadProfile;
  readonly accounts: number;
  /** Number of jobs to create before reading. */
  readonly jobs: number;
  /** Number of shards of a cluster that is started for the measurement. */
  readonly shards: number;
  /** Names of the peers to run, or undefined for all that the scenario has. */
  readonly peers: readonly string[] | undefined;
}

export const loadOptions: readonly string[] = [
  "--seconds N      of one round (12)",
  "--rounds N       of each contestant (3)",
  "--connections N  open at once (256)",
  "--threads N      of the load generator (2)",
  "--accounts N     that the load comes from (2000)",
  '--peers NAMES    with commas between (all); "" for none',
];

export const quickLoad: readonly string[] = [
  "--seconds",
  "3",
  "--rounds",
  "2",
  "--accounts",
  "500",
];

const text = (initial: string) => ({ type: "string", default: initial }) as const;

/** Parses the options of a load scenario. Throws `UsageError`. */
export function readLoadOptions(args: readonly string[], jobs = "20000"): LoadOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seconds: text("12"),
      rounds: text("3"),
      connections: text("256"),
      threads: text("2"),
      accounts: text("2000"),
      jobs: text(jobs),
      shards: text("2"),
      peers: { type: "string" },
    },
  });
  return {
    profile: {
      seconds: readCount("seconds", values.seconds),
      rounds: readCount("rounds", values.rounds),
      connections: readCount("connections", values.connections),
      threads: readCount("threads", values.threads),
    },
    accounts: readCount("accounts", values.accounts),
    jobs: readCount("jobs", values.jobs),
    shards: readCount("shards", values.shards),
    peers: values.peers?.split(",").filter((name) => name !== ""),
  };
}
