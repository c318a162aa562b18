/** The table of recovery times, with a line for each kind of round. */

export interface RoundFigures {
  readonly name: string;
  /** Longest time without a write on one shard, including the time of the faults. */
  readonly gap: number;
  /** Time from the end of the last fault until every shard had completed a write. */
  readonly toWrite: number;
  /** Time from the end of the last fault until every node was ready. */
  readonly toReady: number;
}

const columns = [
  "fault",
  "rounds",
  "no write, max",
  "median",
  "to a write, max",
  "median",
  "to ready, max",
  "median",
];

export function formatTable(figures: readonly RoundFigures[]): string {
  const names = [...new Set(figures.map(({ name }) => name))].sort();
  const rows = [columns, ...names.map((name) => row(name, figures)), row(undefined, figures)];
  const widths = columns.map((_, at) => Math.max(...rows.map((cells) => (cells[at] ?? "").length)));
  return rows
    .map((cells) =>
      cells
        .map((cell, at) =>
          at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0),
        )
        .join("  "),
    )
    .join("\n");
}

/** Formats a line of the table; without a name, for all rounds. */
function row(name: string | undefined, figures: readonly RoundFigures[]): string[] {
  const own = figures.filter((each) => name === undefined || each.name === name);
  const pair = (pick: (figure: RoundFigures) => number) => {
    const sorted = own.map(pick).sort((a, b) => a - b);
    return [sorted.at(-1), sorted[Math.floor(sorted.length / 2)]].map((value) =>
      (value ?? 0).toFixed(1),
    );
  };
  return [
    name ?? "all, seconds",
    `${own.length}`,
    ...pair(({ gap }) => gap),
    ...pair(({ toWrite }) => toWrite),
    ...pair(({ toReady }) => toReady),
  ];
}
