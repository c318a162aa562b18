import { type Cost, getPeak } from "../machine/cost.ts";
import { percentile } from "../report/statistics.ts";
import type { Bar, Film, RendererName } from "./films.ts";

/** The outcome of one renderer's rounds. */
export type Outcome =
  | { readonly kind: "rendered"; readonly costs: readonly Cost[] }
  | { readonly kind: "failed"; readonly why: string }
  | { readonly kind: "absent" };

export type Outcomes = ReadonlyMap<RendererName, Outcome>;

interface Middle {
  readonly wallSeconds: number;
  readonly cpuSeconds: number;
  readonly megabytes: number;
}

/** One line a renderer, then one a bar; medians of the rounds. */
export function filmTable(film: Film, rounds: number, outcomes: Outcomes): readonly string[] {
  const { name, seconds, height, renderers, bars } = film;
  const present = renderers.filter((one) => outcomes.get(one)?.kind !== "absent");
  return [
    `${name}: ${seconds} s in ${height}p30, medians of ${rounds} rounds`,
    columns("", "wall s", "CPU s", "peak MB"),
    ...present.map((one) => describeRenderer(one, outcomes.get(one))),
    ...bars.flatMap((bar) => barLine(bar, outcomes)),
    ...memoryLines(film, outcomes),
  ];
}

export function verdict(name: string, isMet: boolean): string {
  return `  ${isMet ? "pass" : "FAIL"}  ${name}`;
}

function describeRenderer(name: RendererName, outcome: Outcome | undefined): string {
  const middle = computeMiddle(outcome);
  if (middle !== undefined) {
    const { wallSeconds, cpuSeconds, megabytes } = middle;
    return columns(name, wallSeconds.toFixed(1), cpuSeconds.toFixed(1), megabytes.toFixed(0));
  }
  return `${name.padEnd(nameWidth)} ${outcome?.kind === "failed" ? outcome.why : "not run"}`;
}

function barLine({ klieg, peer, times }: Bar, outcomes: Outcomes): readonly string[] {
  const own = computeMiddle(outcomes.get(klieg));
  const other = computeMiddle(outcomes.get(peer));
  if (own === undefined || other === undefined) return [];
  const ratio = other.wallSeconds / own.wallSeconds;
  const work = (other.cpuSeconds / own.cpuSeconds).toFixed(2);
  const said = `${klieg} is ${ratio.toFixed(2)} x as fast as ${peer}, bar ${times}`;
  return [verdict(`${said}; by CPU ${work} x`, ratio >= times)];
}

function memoryLines({ megabytesMax, isFlat }: Film, outcomes: Outcomes): readonly string[] {
  const outcome = outcomes.get("klieg standard");
  const own = computeMiddle(outcome);
  if (outcome?.kind !== "rendered" || own === undefined) return [];
  const lines: string[] = [];
  if (megabytesMax !== undefined) {
    const said = `memory of klieg: ${own.megabytes.toFixed(0)} MB at most; bar ${megabytesMax}`;
    lines.push(verdict(said, own.megabytes <= megabytesMax));
  }
  if (isFlat === true) {
    const growths = outcome.costs.map(computeGrowth);
    const growth = percentile(growths, 0.5);
    const said = `memory of klieg after its first minute: ${growth.toFixed(2)} x; bar ${growthMax}`;
    lines.push(verdict(said, growth <= growthMax));
  }
  return lines;
}

const growthMax = 1.1;
const settledSeconds = 60;

/** Ratio of the peak memory after the first minute to the peak within it. */
function computeGrowth({ memory }: Cost): number {
  const peak = (isLate: boolean): number => {
    const looks = memory.filter(({ atSeconds }) => atSeconds > settledSeconds === isLate);
    return Math.max(0, ...looks.map(({ megabytes }) => megabytes));
  };
  return peak(true) / peak(false);
}

function computeMiddle(outcome: Outcome | undefined): Middle | undefined {
  if (outcome?.kind !== "rendered") return undefined;
  const middle = (of: (cost: Cost) => number) => percentile(outcome.costs.map(of), 0.5);
  return {
    wallSeconds: middle(({ wallSeconds }) => wallSeconds),
    cpuSeconds: middle(({ cpuSeconds }) => cpuSeconds),
    megabytes: middle(getPeak),
  };
}

const nameWidth = 22;

function columns(name: string, ...cells: readonly string[]): string {
  return name.padEnd(nameWidth) + cells.map((cell) => cell.padStart(9)).join("");
}
