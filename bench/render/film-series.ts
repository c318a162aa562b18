/** Turns the costs of renderers into series of a result: one per renderer, for all films. */
import { type Cost, getPeak } from "../machine/cost.ts";
import type { Curve, Figure, Series } from "../report/result.ts";
import type { Film, PeerName, RendererName } from "./films.ts";
import type { Outcome } from "./render-table.ts";

const lacking: Readonly<Record<PeerName, string>> = {
  hyperframes: "is a program on this machine: no service, no queue, no stored result",
  remotion: "is a program on this machine, and its films are written in its own components",
  ffmpeg: "joins and codes clips; it paints no page",
};

export function toSeries(film: Film, outcomes: ReadonlyMap<RendererName, Outcome>): Series[] {
  return film.renderers.flatMap((name) => {
    const outcome = outcomes.get(name);
    if (outcome?.kind !== "rendered") return [];
    const figure = (title: string, unit: string, pick: (cost: Cost) => number): Figure => ({
      name: `${film.name}: ${title}`,
      unit,
      better: "less",
      rounds: outcome.costs.map(pick),
    });
    const peer = (Object.keys(lacking) as PeerName[]).find((each) => name.startsWith(each));
    return [
      {
        name,
        ...(peer === undefined ? {} : { lacks: lacking[peer] }),
        figures: [
          figure("time", "s", ({ wallSeconds }) => wallSeconds),
          figure("CPU", "s", ({ cpuSeconds }) => cpuSeconds),
          figure("memory", "MB at most", getPeak),
        ],
        curves: toCurves(film, outcome.costs),
      },
    ];
  });
}

/** Memory is that of the first round: the renderers take the same in each. */
function toCurves({ name }: Film, costs: readonly Cost[]): Curve[] {
  const times: Curve = {
    title: `${name}: time by round`,
    x: { label: "round", scale: "linear" },
    y: { label: "s", scale: "linear" },
    points: costs.map(({ wallSeconds }, at) => [at + 1, wallSeconds]),
  };
  const memory: Curve = {
    title: `${name}: memory over time`,
    x: { label: "seconds", scale: "linear" },
    y: { label: "MB", scale: "linear" },
    points: costs[0]?.memory.map(({ atSeconds, megabytes }) => [atSeconds, megabytes]) ?? [],
  };
  return [times, memory].filter(({ points }) => points.length > 1);
}

/** One series a renderer, with the figures and curves of all films. */
export function joinSeries(all: readonly Series[]): Series[] {
  const joined = new Map<string, Series>();
  for (const series of all) {
    const earlier = joined.get(series.name);
    const figures = [...(earlier?.figures ?? []), ...series.figures];
    const curves = [...(earlier?.curves ?? []), ...series.curves];
    joined.set(series.name, { ...series, figures, curves });
  }
  return [...joined.values()];
}
