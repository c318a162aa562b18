/** Turns the costs of renderers into series of a result: one per renderer, for all films. */
import { type Cost, getPeak } from "../machine/cost.ts";
import type { Figure, Series } from "../report/result.ts";
import type { Contestant, Film, PeerName } from "./films.ts";
import type { Outcome } from "./render-table.ts";

const lacking: Readonly<Record<PeerName, string>> = {
  hyperframes: "is a program on this machine: no service, no queue, no stored result",
  remotion: "is a program on this machine, and its films are written in its own components",
  ffmpeg: "joins and codes clips; it paints no page",
};

export function toSeries(film: Film, outcomes: ReadonlyMap<Contestant, Outcome>): Series[] {
  return film.contestants.flatMap((name) => {
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
        curves: [],
      },
    ];
  });
}

/** Joins the series of all films into one per contestant. */
export function joinSeries(all: readonly Series[]): Series[] {
  const joined = new Map<string, Series>();
  for (const series of all) {
    const earlier = joined.get(series.name);
    const figures = [...(earlier?.figures ?? []), ...series.figures];
    joined.set(series.name, { ...series, figures });
  }
  return [...joined.values()];
}
