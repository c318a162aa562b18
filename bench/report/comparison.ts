/** Two results of the bench, figure by figure: what became better, what worse. */
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
  /** Above 1 is better, whichever way the figure points. */
  readonly gain: number;
  /** Within the spread of the rounds of both, nothing is said to have changed. */
  readonly change: "better" | "worse" | "same";
}

/** Even where all rounds are alike, a difference of a few hundredths says nothing. */
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

/** Why the two should not be compared; empty when nothing speaks against it. */
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
