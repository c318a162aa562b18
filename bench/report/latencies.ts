/**
 * Latencies in a histogram of three significant digits (HdrHistogram), from one microsecond up. Its
 * size does not grow with the number of values, and no percentile is interpolated.
 */
import { build } from "hdr-histogram-js";
import type { Curve } from "./result.ts";

/** Percentiles that are plotted and printed. */
export const percentiles = [50, 75, 90, 95, 99, 99.5, 99.9, 99.95, 99.99] as const;

export class Latencies {
  private readonly histogram = build({ bitBucketSize: 32, numberOfSignificantValueDigits: 3 });

  record(ms: number): void {
    this.histogram.recordValue(Math.max(1, Math.round(ms * 1_000)));
  }

  get count(): number {
    return this.histogram.totalCount;
  }

  /** Returns a percentile in milliseconds; `percent` is from 0 to 100. */
  percentile(percent: number): number {
    return this.histogram.getValueAtPercentile(percent) / 1_000;
  }

  get maxMs(): number {
    return this.histogram.maxValue / 1_000;
  }

  curve(): Curve {
    return latencyCurve(percentiles.map((percent) => [percent, this.percentile(percent)]));
  }
}

export function latencyCurve(points: Curve["points"]): Curve {
  return {
    title: "Latency by percentile",
    x: { label: "percentile", scale: "nines" },
    y: { label: "ms", scale: "log" },
    points,
  };
}
