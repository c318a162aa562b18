/** The long turns of a service's event loop, as `loop-probe.ts` writes them down inside of it. */
import { readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** From one look at the loop to the next, in milliseconds. */
export interface LoopTurn {
  readonly wallMs: number;
  /** Of that the thread had a processor: its own work. */
  readonly ownMs: number;
  /** When it ended, since 1970. */
  readonly endMs: number;
}

/** Turns above this are written down. */
export const longTurnMs = 10;

export function turnsFile(pid: number): string {
  return join(tmpdir(), `klieg-loop-turns-${pid}`);
}

/** The long turns since then; removes the file. */
export async function readLongTurns(pid: number, sinceMs: number): Promise<readonly LoopTurn[]> {
  const text = await readFile(turnsFile(pid), "utf8");
  await rm(turnsFile(pid));
  const lines = text.split("\n").filter((line) => line !== "");
  return lines.map((line) => JSON.parse(line)).filter((turn: LoopTurn) => turn.endMs > sinceMs);
}
