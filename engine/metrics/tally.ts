/**
 * What one thread counts for operators. A series is looked up once where it is counted often:
 * counting is then an addition. The thread of requests takes what the others have counted since it
 * last asked, so that no total falls when a thread starts again.
 */
import { type LabelsOf, type MetricName, type MetricOf, metrics } from "./metrics.ts";

/** The value of one series at one time. */
export interface Sample {
  readonly name: MetricName;
  readonly labels: Readonly<Record<string, string>>;
  /** For a histogram, the sum of its observations. */
  readonly value: number;
  /** Number of observations in each bucket of a histogram; the last bucket has no upper bound. */
  readonly buckets?: readonly number[];
}

export class Count {
  value = 0;

  add(by = 1): void {
    this.value += by;
  }
}

export class Histogram {
  sum = 0;
  readonly buckets: number[];
  private readonly bounds: readonly number[];

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.buckets = new Array<number>(bounds.length + 1).fill(0);
  }

  add(sum: number, buckets: readonly number[]): void {
    this.sum += sum;
    for (const [at, more] of buckets.entries()) this.buckets[at] = (this.buckets[at] ?? 0) + more;
  }

  clear(): void {
    this.sum = 0;
    this.buckets.fill(0);
  }

  observe(value: number): void {
    const { bounds, buckets } = this;
    let at = 0;
    while (at < bounds.length && value > (bounds[at] ?? 0)) at++;
    buckets[at] = (buckets[at] ?? 0) + 1;
    this.sum += value;
  }
}

interface Series<Value> {
  readonly name: MetricName;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: Value;
}

/**
 * All series of one kind, by name and label values. A look-up creates no string, since some series
 * are counted for every request.
 */
class SeriesTree<Value> {
  private readonly roots = new Map<string, Branch<Value>>();
  private readonly all: Series<Value>[] = [];

  get(name: MetricName, labels: Readonly<Record<string, string>>, make: () => Value): Value {
    let branch = below(this.roots, name);
    for (const label of metrics[name].labels) branch = below(branch.next, labels[label] ?? "");
    if (branch.series === undefined) {
      branch.series = { name, labels, value: make() };
      this.all.push(branch.series);
    }
    return branch.series.value;
  }

  values(): readonly Series<Value>[] {
    return this.all;
  }
}

/** The series whose labels begin with the same values. */
interface Branch<Value> {
  readonly next: Map<string, Branch<Value>>;
  series: Series<Value> | undefined;
}

function below<Value>(branches: Map<string, Branch<Value>>, value: string): Branch<Value> {
  const known = branches.get(value);
  if (known !== undefined) return known;
  const branch: Branch<Value> = { next: new Map(), series: undefined };
  branches.set(value, branch);
  return branch;
}

export class Tally {
  private readonly counts = new SeriesTree<Count>();
  private readonly histograms = new SeriesTree<Histogram>();

  /** Returns the counter of these labels, always the same one for the same labels. */
  count<Name extends MetricOf<"counter">>(name: Name, labels: LabelsOf<Name>): Count {
    return this.counts.get(name, labels, () => new Count());
  }

  /** Returns the histogram of these labels, always the same one for the same labels. */
  histogram<Name extends MetricOf<"histogram">>(name: Name, labels: LabelsOf<Name>): Histogram {
    return this.histograms.get(name, labels, () => new Histogram(metrics[name].bounds));
  }

  samples(): Sample[] {
    const counts = Array.from(this.counts.values(), ({ name, labels, value }): Sample => {
      return { name, labels, value: value.value };
    });
    const histograms = Array.from(this.histograms.values(), ({ name, labels, value }): Sample => {
      return { name, labels, value: value.sum, buckets: [...value.buckets] };
    });
    return [...counts, ...histograms];
  }

  /** Returns what was counted since the last call. */
  take(): Sample[] {
    const samples = this.samples();
    for (const { value } of this.counts.values()) value.value = 0;
    for (const { value } of this.histograms.values()) value.clear();
    return samples;
  }

  /** Adds a sample that another thread has counted. */
  add({ name, labels, value, buckets }: Sample): void {
    if (buckets !== undefined && isHistogram(name))
      this.histograms
        .get(name, labels, () => new Histogram(metrics[name].bounds))
        .add(value, buckets);
    else this.counts.get(name, labels, () => new Count()).add(value);
  }
}

function isHistogram(name: MetricName): name is MetricOf<"histogram"> {
  return metrics[name].kind === "histogram";
}

/** Makes a sample of a gauge, whose value is only known when it is read. */
export function gauge<Name extends MetricOf<"gauge">>(
  name: Name,
  labels: LabelsOf<Name>,
  value: number,
): Sample {
  return { name, labels, value };
}
