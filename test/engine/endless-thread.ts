/** A thread whose tasks use unlimited time or memory. */
export interface Need {
  readonly what: "nothing" | "time" | "memory";
}

export function run({ what }: Need): string {
  const kept: number[][] = [];
  while (what === "time");
  while (what === "memory") kept.push(new Array(1_000_000).fill(0.5));
  return "done";
}
