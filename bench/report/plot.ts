/**
 * Plots as SVG text: no script runs in the report. Colours are the page's custom properties, so one
 * drawing serves light and dark. A plot is as wide as a phone's screen and is never scaled down.
 */
import { scaleLinear, scaleLog } from "d3-scale";
import { line } from "d3-shape";
import type { Axis, Curve } from "./result.ts";
import { describeNumber } from "./table.ts";

const width = 360;
const height = 240;
const margin = { top: 12, right: 24, bottom: 34, left: 52 } as const;
/** Number of series colours that the page defines. */
export const colorCount = 8;

export interface PlotLine {
  readonly name: string;
  /** Colour index from 0; a series has the same one in all plots. */
  readonly color: number;
  readonly curve: Curve;
}

interface Scale {
  readonly place: (value: number) => number;
  readonly ticks: readonly { readonly at: number; readonly text: string }[];
}

export function drawPlot(title: string, lines: readonly PlotLine[]): string {
  const [first] = lines;
  if (first === undefined) return "";
  const points = lines.flatMap(({ curve }) => curve.points);
  const right = width - margin.right;
  const bottom = height - margin.bottom;
  const x = makeScale(
    first.curve.x,
    points.map(([value]) => value),
    [margin.left, right],
  );
  const y = makeScale(
    first.curve.y,
    points.map(([, value]) => value),
    [bottom, margin.top],
  );
  const draw = line<readonly [number, number]>(
    ([value]) => x.place(value),
    ([, value]) => y.place(value),
  );
  const grid = y.ticks.map(
    ({ at, text }) =>
      `<line class="grid" x1="${margin.left}" x2="${right}" y1="${round(at)}" y2="${round(at)}"/>` +
      `<text class="tick" text-anchor="end" x="${margin.left - 6}" y="${round(at + 4)}">${text}</text>`,
  );
  const feet = x.ticks.map(
    ({ at, text }) =>
      `<text class="tick" text-anchor="middle" x="${round(at)}" y="${bottom + 16}">${text}</text>`,
  );
  const paths = lines.map(({ color, curve }) => drawLine(draw(curve.points) ?? "", color));
  const label = `${title}: ${first.curve.y.label} by ${first.curve.x.label}`;
  return (
    `<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${escapeHtml(label)}">` +
    `${grid.join("")}${feet.join("")}${paths.join("")}` +
    `<text class="axis" text-anchor="middle" x="${(margin.left + right) / 2}" y="${height - 3}">` +
    `${escapeHtml(first.curve.x.label)}</text></svg>`
  );
}

function drawLine(path: string, color: number): string {
  const d = path.replace(/\d+\.\d+/g, (number) => round(Number(number)));
  return `<path class="line" style="stroke: var(--color-${color % colorCount})" d="${d}"/>`;
}

function makeScale(axis: Axis, values: readonly number[], range: readonly [number, number]): Scale {
  switch (axis.scale) {
    case "linear": {
      const scale = scaleLinear()
        .domain([0, Math.max(...values, 1e-9)])
        .nice(5)
        .range(range);
      return { place: scale, ticks: label(scale.ticks(5), scale) };
    }
    case "log": {
      const positive = values.filter((value) => value > 0);
      const ends = [Math.min(...positive), Math.max(...positive)];
      const scale = scaleLog().domain(ends).nice().range(range).clamp(true);
      const ticks = scale.ticks().filter((value) => /^[1]/.test(value.toExponential()));
      return { place: (value) => scale(Math.max(value, 1e-9)), ticks: label(ticks, scale) };
    }
    case "nines": {
      const distance = (percent: number) => -Math.log10(1 - percent / 100);
      const ends = [distance(50), distance(Math.min(99.99, Math.max(...values)))];
      const scale = scaleLinear().domain(ends).range(range);
      const place = (percent: number) => scale(distance(Math.min(percent, 99.99)));
      const ticks = [50, 90, 99, 99.9, 99.99].filter((percent) => percent <= Math.max(...values));
      return { place, ticks: ticks.map((percent) => ({ at: place(percent), text: `${percent}` })) };
    }
  }
}

function label(values: readonly number[], place: (value: number) => number) {
  return values.map((value) => ({ at: place(value), text: shorten(value) }));
}

/** Shortens large numbers (12,000 becomes 12k), because axes have little room. */
function shorten(value: number): string {
  if (value >= 1e6) return `${Number((value / 1e6).toPrecision(3))}M`;
  if (value >= 1e3) return `${Number((value / 1e3).toPrecision(3))}k`;
  return Number.isInteger(value) ? `${value}` : describeNumber(value).replace(/0+$/, "");
}

function round(value: number): string {
  return `${Math.round(value * 10) / 10}`;
}

export function escapeHtml(text: string): string {
  const escapes: Readonly<Record<string, string>> = {
    "&": "amp",
    "<": "lt",
    ">": "gt",
    '"': "quot",
  };
  return text.replace(/[&<>"]/g, (mark) => `&${escapes[mark]};`);
}
