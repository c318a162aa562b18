/** A chart of figures over time, in the colours of the light or dark theme. */
import UPlot from "uplot";
import { useEffect, useRef, useState } from "../view.ts";

export interface Series {
  readonly label: string;
  readonly values: readonly (number | null)[];
  /** A CSS custom property of the theme. */
  readonly color: "--accent" | "--arc" | "--good" | "--bad" | "--warn" | "--quiet";
  readonly isBars?: boolean;
}

interface ChartProps {
  label: string;
  /** Times in seconds since 1970. */
  times: readonly number[];
  series: readonly Series[];
  height?: number;
  unit?: (value: number) => string;
  isByDay?: boolean;
}

const dark = matchMedia("(prefers-color-scheme: dark)");

export function Chart(props: ChartProps) {
  const own = useRef<HTMLDivElement>(null);
  const [scheme, setScheme] = useState(dark.matches);
  useEffect(() => {
    const change = () => setScheme(dark.matches);
    dark.addEventListener("change", change);
    return () => dark.removeEventListener("change", change);
  }, []);
  const shape = JSON.stringify(props.series.map(({ label, isBars }) => [label, isBars]));
  const plot = useRef<UPlot>(undefined);
  useEffect(() => {
    const root = own.current;
    if (root === null) return undefined;
    const drawn = new UPlot(buildOptions(props, root.clientWidth), columns(props), root);
    plot.current = drawn;
    const watch = new ResizeObserver(() =>
      drawn.setSize({ width: root.clientWidth, height: getHeight(props) }),
    );
    watch.observe(root);
    return () => {
      watch.disconnect();
      drawn.destroy();
    };
  }, [shape, scheme, props.isByDay]);
  useEffect(() => plot.current?.setData(columns(props)), [props.times, props.series]);
  return (
    <figure class="chart">
      <figcaption>
        {props.label}
        <span class="legend">
          {props.series.map(({ label, color }) => (
            <span key={label} class={`legend-${color.slice(2)}`}>
              {label}
            </span>
          ))}
        </span>
      </figcaption>
      <div ref={own} role="img" aria-label={describeChart(props)} />
    </figure>
  );
}

function getHeight({ height = 168 }: ChartProps): number {
  return height;
}

function columns({ times, series }: ChartProps): UPlot.AlignedData {
  return [[...times], ...series.map(({ values }) => [...values])];
}

/** Describes the latest figures for users of screen readers. */
function describeChart({ label, series, unit = String }: ChartProps): string {
  const last = series.map(({ label: name, values }) => {
    const value = values.findLast((one) => one !== null);
    return `${name} ${value === undefined || value === null ? "none" : unit(value)}`;
  });
  return `${label}: ${last.join(", ")}`;
}

function buildOptions(props: ChartProps, width: number): UPlot.Options {
  const { series, unit = String, isByDay = false } = props;
  const style = getComputedStyle(document.documentElement);
  const color = (name: string) => style.getPropertyValue(name).trim();
  const font = `11px ${style.getPropertyValue("--sans") || "sans-serif"}`;
  const grid = { stroke: color("--line"), width: 1 };
  const axis = { stroke: color("--quiet"), font, grid, ticks: { show: false } };
  return {
    width,
    height: getHeight(props),
    // Half of the time axis's last label extends beyond the right edge of the plot.
    padding: [8, 24, 0, 0],
    legend: { show: false },
    cursor: { y: false, points: { size: 6 } },
    scales: { y: { range: (_, __, max) => [0, max > 0 ? max * 1.08 : 1] } },
    axes: [
      {
        ...axis,
        size: 26,
        grid: { show: false },
        space: 64,
        values: isByDay ? formatDays : formatTimes,
      },
      {
        ...axis,
        size: (plot, values) => measureWidest(plot, values, font),
        space: 36,
        values: (_, splits) => splits.map((value) => unit(value)),
      },
    ],
    series: [
      {},
      ...series.map(({ label, color: name, isBars = false }) => ({
        label,
        stroke: color(name),
        width: 1.5,
        points: { show: false },
        fill: isBars ? color(name) : `color-mix(in srgb, ${color(name)} 10%, transparent)`,
        ...(isBars && UPlot.paths.bars ? { paths: UPlot.paths.bars({ size: [0.7, 26] }) } : {}),
      })),
    ],
  };
}

const labelGap = 14;

/** Returns the width of an axis's longest label, in pixels. */
function measureWidest(plot: UPlot, labels: readonly string[] | null, font: string): number {
  plot.ctx.save();
  plot.ctx.font = font;
  const widths = (labels ?? []).map((label) => plot.ctx.measureText(label).width);
  plot.ctx.restore();
  return Math.ceil(Math.max(34, ...widths) + labelGap);
}

const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });

function formatTimes(_: UPlot, splits: number[]): string[] {
  return splits.map((seconds) => clock.format(seconds * 1_000));
}

const days = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });

function formatDays(_: UPlot, splits: number[]): string[] {
  const named = splits.map((seconds) => days.format(seconds * 1_000));
  return named.map((name, at) => (name === named[at - 1] ? "" : name));
}
