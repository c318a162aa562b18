import { parseArgs } from "node:util";
import { countOf } from "../question.ts";
import type { Course } from "../render/contest.ts";

/** The options of the questions that are answered by load. */
export interface LoadOptions {
  readonly course: Course;
  readonly accounts: number;
  /** How many jobs are made before reading. */
  readonly jobs: number;
  /** Of a cluster that is made to be asked. */
  readonly shards: number;
}

export const loadOptions: readonly string[] = [
  "--seconds N      of one round (12)",
  "--rounds N       of peer and service each (3)",
  "--connections N  open at once (256)",
  "--threads N      of the load generator (2)",
  "--accounts N     that the load comes from (2000)",
];

const text = (initial: string) => ({ type: "string", default: initial }) as const;

/** Throws `UsageError`. */
export function readLoadOptions(args: readonly string[]): LoadOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seconds: text("12"),
      rounds: text("3"),
      connections: text("256"),
      threads: text("2"),
      accounts: text("2000"),
      jobs: text("20000"),
      shards: text("2"),
    },
  });
  const course = {
    seconds: countOf("seconds", values.seconds),
    rounds: countOf("rounds", values.rounds),
    connections: countOf("connections", values.connections),
    threads: countOf("threads", values.threads),
  };
  return {
    course,
    accounts: countOf("accounts", values.accounts),
    jobs: countOf("jobs", values.jobs),
    shards: countOf("shards", values.shards),
  };
}
