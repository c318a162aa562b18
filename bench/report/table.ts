/** Formats a result as text for a terminal. */
import { machineLine } from "../machine/machine.ts";
import { describeRest, isAtRest } from "../machine/rest.ts";
import type { BenchResult, Figure, ScenarioResult, Series } from "./result.ts";
import { median, spread } from "./statistics.ts";

export function describeScenario(result: ScenarioResult): string[] {
  const { name, question, excludes, series = [], lines, others, isSound, seconds } = result;
  const names = [...new Set(series.flatMap(({ figures }) => figures.map((each) => each.name)))];
  return [
    `${name}: ${question}`,
    ...names.flatMap((figure) => figureLines(figure, series)),
    ...series.flatMap((each) => (each.lacks === undefined ? [] : [`${each.name} ${each.lacks}`])),
    ...lines,
    `not measured: ${excludes}`,
    `${seconds.toFixed(0)} s; ${describeRest(others)}`,
    ...(isAtRest(others) ? [] : ["WARNING: the machine is not at rest; read ratios at most"]),
    ...(isSound ? [] : ["NOT SOUND: the figures above count for nothing"]),
    "",
  ];
}

export function describeCircumstances({ machine, disk, commit, date }: BenchResult): string {
  const [p50, p99] = [disk.p50Ms.toFixed(2), disk.p99Ms.toFixed(2)];
  const flush = `a flush of 40 KB: p50 ${p50} ms, p99 ${p99} ms`;
  return `${date}, commit ${commit}; ${machineLine(machine)}; ${flush}`;
}

/** Formats one figure of all series: a headline, then a line each with its ratio to the first. */
function figureLines(name: string, series: readonly Series[]): string[] {
  const found = series.flatMap((each) => {
    const figure = each.figures.find((candidate) => candidate.name === name);
    return figure === undefined ? [] : [{ series: each.name, figure }];
  });
  const [first] = found;
  if (first === undefined) return [];
  const base = median(first.figure.rounds);
  return [
    `  ${name}, ${first.figure.unit}`,
    ...found.map(({ series: owner, figure }, at) => {
      const times =
        at === 0 || first.series !== series[0]?.name
          ? ""
          : `   ${first.series} has ${ratio(base, figure)} of it`;
      return `    ${owner.padEnd(22)}${describeFigure(figure).padStart(20)}${times}`;
    }),
  ];
}

function ratio(base: number, figure: Figure): string {
  return (base / median(figure.rounds)).toFixed(2);
}

export function describeFigure({ rounds }: Figure): string {
  const text = describeNumber(median(rounds));
  return rounds.length < 2 ? text : `${text} ±${(100 * spread(rounds)).toFixed(0)} %`;
}

/** Formats a number with three significant digits, or as an integer with commas from 100 up. */
export function describeNumber(value: number): string {
  if (!Number.isFinite(value)) return "-";
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString("en-US");
  if (value === 0) return "0";
  return value.toFixed(Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value)))));
}
