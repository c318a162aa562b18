/** Compares two results of the bench, figure by figure. */
import { describeRest, isAtRest } from "../machine/rest.ts";
import type { BenchResult, Figure } from "./result.ts";
import { median, spread } from "./statistics.ts";

export interface FigureComparison {
  readonly scenario: string;
  readonly series: string;
  readonly figure: string;
  readonly unit: string;
  readonly before: number;
  readonly after: number;
  /** Ratio of the two results; above 1 is better, whether more or less of the figure is better. */
  readonly gain: number;
  /** A difference within the spread of both results' rounds counts as no change. */
  readonly change: "better" | "worse" | "same";
}

/** Differences of a few hundredths mean nothing, even where all rounds are alike. */
const noiseMin = 0.03;

export function compareResults(before: BenchResult, after: BenchResult): FigureComparison[] {
  return after.scenarios.flatMap(({ name: scenario, series = [] }) => {
    const old = before.scenarios.find(({ name }) => name === scenario);
    return series.flatMap(({ name, figures }) => {
      const other = old?.series?.find((each) => each.name === name);
      return figures.flatMap((figure) => {
        const earlier = other?.figures.find((each) => each.name === figure.name);
        if (earlier === undefined) return [];
        return [{ scenario, series: name, ...compareFigures(earlier, figure) }];
      });
    });
  });
}

function compareFigures(before: Figure, after: Figure) {
  const [old, now] = [median(before.rounds), median(after.rounds)];
  const gain = after.better === "more" ? now / old : old / now;
  const noise = Math.max(noiseMin, spread(before.rounds) + spread(after.rounds));
  return {
    figure: after.name,
    unit: after.unit,
    before: old,
    after: now,
    gain,
    change: describeChange(gain, noise),
  };
}

function describeChange(gain: number, noise: number): FigureComparison["change"] {
  if (gain > 1 + noise) return "better";
  return gain < 1 / (1 + noise) ? "worse" : "same";
}

/** Returns reasons why the two should not be compared; empty when there are none. */
export function findObjections(before: BenchResult, after: BenchResult): string[] {
  const [one, other] = [before.machine, after.machine];
  const shares = [before, after].map(({ scenarios }) => scenarios.flatMap(({ others }) => others));
  return [
    ...(one.processor === other.processor && one.cores === other.cores
      ? []
      : ["the two were measured on different machines"]),
    ...(one.node === other.node ? [] : [`Node was ${one.node}, and is ${other.node}`]),
    ...shares.flatMap((share, at) =>
      isAtRest(share) ? [] : [`the ${at === 0 ? "earlier" : "later"} run: ${describeRest(share)}`],
    ),
  ];
}

export function describeComparison(before: BenchResult, after: BenchResult): string[] {
  const compared = compareResults(before, after);
  return [
    `against ${before.commit} of ${before.date}; above 1 is better`,
    ...findObjections(before, after).map((objection) => `WARNING: ${objection}`),
    ...compared.map(
      ({ scenario, series, figure, unit, before: old, after: now, gain, change }) =>
        `  ${`${scenario}, ${series}: ${figure}`.padEnd(44)}${old.toFixed(1).padStart(12)}` +
        `${now.toFixed(1).padStart(12)} ${unit.padEnd(16)} ${gain.toFixed(2)} ${change}`,
    ),
  ];
}
