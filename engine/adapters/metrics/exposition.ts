/** Formats samples in Prometheus' text format 0.0.4, using prom-client. */
import { AggregatorRegistry, collectDefaultMetrics, Registry } from "prom-client";
import { metrics } from "../../metrics/metrics.ts";
import type { Sample } from "../../metrics/tally.ts";

export const expositionType = Registry.PROMETHEUS_CONTENT_TYPE;

/** A value as prom-client represents it. */
interface Value {
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
  readonly metricName?: string;
}

/** Metrics of the process: processor time, memory, and delays of the thread that writes them. */
export class ProcessFigures {
  private readonly registry = new Registry();

  constructor() {
    collectDefaultMetrics({ register: this.registry });
    // These gauges have names of counters, which Prometheus' own check refuses.
    for (const what of ["handles", "requests", "resources"])
      this.registry.removeSingleMetric(`nodejs_active_${what}_total`);
  }

  all(): Promise<object> {
    return this.registry.getMetricsAsJSON();
  }
}

/** Formats samples; series with the same name and labels are added up. */
export function expose(samples: readonly Sample[], process: object): Promise<string> {
  const families = Object.entries(metrics).map(([name, { kind, help }]) => ({
    name,
    help,
    type: kind,
    aggregator: "sum",
    values: samples.filter((sample) => sample.name === name).flatMap(listValues),
  }));
  return AggregatorRegistry.aggregate([families, process]).metrics();
}

function listValues({ name, labels, value, buckets }: Sample): readonly Value[] {
  const metric = metrics[name];
  if (metric.kind !== "histogram" || buckets === undefined) return [{ labels, value }];
  let below = 0;
  const bounds = [...metric.bounds, "+Inf"];
  const counted = bounds.map((le, at): Value => {
    below += buckets[at] ?? 0;
    return { labels: { ...labels, le }, value: below, metricName: `${name}_bucket` };
  });
  return [
    ...counted,
    { labels, value, metricName: `${name}_sum` },
    { labels, value: below, metricName: `${name}_count` },
  ];
}
