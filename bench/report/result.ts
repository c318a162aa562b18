/**
 * What a run of the bench found. The JSON that `--json` writes is a `BenchResult` as it is, and
 * `--against` reads one; `format` rises when an older one can no longer be read.
 */
import type { DiskFigures } from "../machine/disk.ts";
import type { Machine } from "../machine/machine.ts";

/** One quantity, measured once a round. */
export interface Figure {
  readonly name: string;
  readonly unit: string;
  readonly better: "more" | "less";
  readonly rounds: readonly number[];
}

export interface Axis {
  readonly label: string;
  /** `nines`: percentiles, drawn by their distance from 100, so that the last ones have room. */
  readonly scale: "linear" | "log" | "nines";
}

/** A line of a plot; curves of one title are drawn in one plot, beside those of other series. */
export interface Curve {
  readonly title: string;
  readonly x: Axis;
  readonly y: Axis;
  readonly points: readonly (readonly [number, number])[];
}

/** One of those that are compared: Klieg, or a peer. */
export interface Series {
  readonly name: string;
  /** What it does not do that Klieg does. */
  readonly lacks?: string;
  /** The first one is the scenario's headline. */
  readonly figures: readonly Figure[];
  readonly curves: readonly Curve[];
}

export interface Finding {
  /** Every answer was right: figures of wrong answers count for nothing. */
  readonly isSound: boolean;
  readonly series?: readonly Series[];
  /** What no figure says: checks, and why a peer is missing. */
  readonly lines: readonly string[];
}

export interface ScenarioResult extends Finding {
  readonly name: string;
  readonly question: string;
  readonly excludes: string;
  readonly seconds: number;
  /** The share of the processors' time that others had, at looks while it ran. */
  readonly others: readonly number[];
}

export interface BenchResult {
  readonly format: 1;
  readonly date: string;
  readonly commit: string;
  readonly machine: Machine;
  readonly disk: DiskFigures;
  readonly scenarios: readonly ScenarioResult[];
}
