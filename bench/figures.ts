import { percentile } from "./report/statistics.ts";

/** One round's result; times in milliseconds. */
export interface Figures {
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Processor time of the server a request; undefined for a server on another machine. */
  readonly processorUs: number | undefined;
}

/** The middle of the rounds, each figure for itself. */
export function medians(rounds: readonly Figures[]): Figures {
  const processor = rounds.flatMap(({ processorUs }) => processorUs ?? []);
  return {
    requestsPerSecond: percentile(
      rounds.map((round) => round.requestsPerSecond),
      0.5,
    ),
    p50Ms: percentile(
      rounds.map((round) => round.p50Ms),
      0.5,
    ),
    p99Ms: percentile(
      rounds.map((round) => round.p99Ms),
      0.5,
    ),
    processorUs: processor.length === 0 ? undefined : percentile(processor, 0.5),
  };
}
