/**
 * Result of a run of the bench. The JSON that `--json` writes is exactly a `BenchResult`, and
 * `--against` reads one; `format` rises when an older one can no longer be read.
 */
import type { DiskFigures } from "../machine/disk.ts";
import type { Machine } from "../machine/machine.ts";

/** One quantity, measured once per round. */
export interface Figure {
  readonly name: string;
  readonly unit: string;
  readonly better: "more" | "less";
  readonly rounds: readonly number[];
}

export interface Axis {
  readonly label: string;
  /** `nines` draws percentiles by their distance from 100, so that the last ones have room. */
  readonly scale: "linear" | "log" | "nines";
}

/** A line of a plot; curves with the same title share a plot, whatever their series. */
export interface Curve {
  readonly title: string;
  readonly x: Axis;
  readonly y: Axis;
  readonly points: readonly (readonly [number, number])[];
}

/** One side of a comparison: Klieg or a peer. */
export interface Series {
  readonly name: string;
  /** What a peer does not do that Klieg does; undefined for Klieg. */
  readonly lacks?: string;
  /** Figures of the series; the first one is the scenario's headline. */
  readonly figures: readonly Figure[];
  readonly curves: readonly Curve[];
}

export interface Finding {
  /** Whether every answer was right; the figures are worthless otherwise. */
  readonly isSound: boolean;
  readonly series?: readonly Series[];
  /** What no figure shows: results of checks, and why a peer is missing. */
  readonly lines: readonly string[];
}

export interface ScenarioResult extends Finding {
  readonly name: string;
  readonly question: string;
  readonly excludes: string;
  readonly seconds: number;
  /** Share of processor time used by other processes, at each sample while the scenario ran. */
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
