/** Formats the guard's result, as lines for the terminal and as an entry of RESULTS.md. */
import { type Machine, machineLine } from "../machine/machine.ts";
import { describeRest, isAtRest } from "../machine/rest.ts";
import { median, spread } from "../report/statistics.ts";

/** Highest allowed ratio of a request's cost to its cost at the base commit. */
export const ratioMax = 1.05;

export interface Comparison {
  readonly name: string;
  readonly unit: string;
  /** Processor time in microseconds per round; equal indexes are rounds measured side by side. */
  readonly base: readonly number[];
  readonly tree: readonly number[];
}

export interface GuardResult {
  readonly base: string;
  readonly tree: string;
  readonly date: string;
  readonly machine: Machine;
  readonly comparisons: readonly Comparison[];
  /** Share of processor time used by other processes: at the start, then one per round. */
  readonly others: readonly number[];
}

/** `untrusted` means that the machine was not at rest, so the figures decide nothing. */
export type Verdict = "kept" | "dearer" | "untrusted";

/** Median of the rounds' ratios: a drifting machine affects both sides of a round alike. */
export function computeRatio({ base, tree }: Comparison): number {
  return median(tree.map((us, round) => us / (base[round] ?? Number.NaN)));
}

export function isDearer(comparison: Comparison): boolean {
  return !(computeRatio(comparison) <= ratioMax);
}

export function judge({ comparisons, others }: GuardResult): Verdict {
  if (!isAtRest(others)) return "untrusted";
  return comparisons.some(isDearer) ? "dearer" : "kept";
}

export function describeResult(result: GuardResult): string[] {
  const { base, tree, comparisons, machine, others } = result;
  return [
    `processor time, medians of ${comparisons[0]?.base.length ?? 0} rounds by turns`,
    `base: ${base}; tree: ${tree}`,
    columns("", "base", "tree", "tree/base", "of the rounds"),
    ...comparisons.map(describeComparison),
    `machine: ${machineLine(machine)}`,
    describeRest(others),
    describeVerdict(result),
  ];
}

export function describeVerdict(result: GuardResult): string {
  const dearer = result.comparisons.filter(isDearer).map(({ name }) => name);
  const bar = `the bar is ${percent(ratioMax - 1)} more`;
  const cost = dearer.length === 0 ? `nothing costs more: ${bar}` : `${dearer.join(", ")}: ${bar}`;
  switch (judge(result)) {
    case "kept":
      return `SOUND: ${cost}`;
    case "dearer":
      return `NOT SOUND: ${cost}`;
    case "untrusted":
      return `NOT TO BE TRUSTED, the machine is not at rest (${cost})`;
  }
}

/** Formats a Markdown entry; the newest entry goes to the head of the file. */
export function describeEntry(result: GuardResult): string {
  const { base, tree, date, machine, comparisons, others } = result;
  const rows = comparisons.map((comparison) => {
    const { name, unit } = comparison;
    const cells = [`${name} (${unit})`, figure(comparison.base), figure(comparison.tree)];
    return [...cells, computeRatio(comparison).toFixed(3)];
  });
  return [
    `## ${date}: ${tree} beside ${base}`,
    "",
    `${machineLine(machine)}; ${describeRest(others)}.`,
    "",
    ...markdownTable([["Processor time", "base", "tree", "tree/base"], ...rows]),
    "",
    `${describeVerdict(result)}.`,
    "",
  ].join("\n");
}

/** Columns are as wide as their widest cell, as the source formatter requires. */
function markdownTable([head = [], ...rows]: readonly (readonly string[])[]): string[] {
  const widths = head.map((cell, at) =>
    Math.max(cell.length, ...rows.map((row) => (row[at] ?? "").length)),
  );
  const rule = widths.map((width) => "-".repeat(width));
  return [head, rule, ...rows].map(
    (row) => `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(" | ")} |`,
  );
}

/** Inserts an entry before all others. */
export function addEntry(text: string, entry: string): string {
  const at = text.indexOf("\n## ");
  if (at === -1) return `${text.trimEnd()}\n\n${entry}`;
  return `${text.slice(0, at + 1)}${entry}\n${text.slice(at + 1)}`;
}

function describeComparison(comparison: Comparison): string {
  const ratios = comparison.tree.map((us, round) => us / (comparison.base[round] ?? Number.NaN));
  const range = `${Math.min(...ratios).toFixed(3)} to ${Math.max(...ratios).toFixed(3)}`;
  const cells = [
    figure(comparison.base),
    figure(comparison.tree),
    computeRatio(comparison).toFixed(3),
  ];
  const mark = isDearer(comparison) ? "  DEARER" : "";
  return `${columns(comparison.name, ...cells, range)}  ${comparison.unit}${mark}`;
}

function figure(values: readonly number[]): string {
  const us = median(values);
  const text = us < 100_000 ? us.toFixed(1) : Math.round(us).toLocaleString("en-US");
  return `${text} ±${percent(spread(values))}`;
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

function columns(name: string, ...cells: readonly string[]): string {
  return name.padEnd(12) + cells.map((cell) => cell.padStart(20)).join("");
}
