/** Long turns of a service's event loop, which `loop-probe.ts` records inside the service. */
import { readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** One turn of the event loop, from one check to the next. */
export interface LoopTurn {
  readonly wallMs: number;
  /** Part of the turn in which the thread had a processor: its own work, in milliseconds. */
  readonly ownMs: number;
  /** When the turn ended, in milliseconds since 1970. */
  readonly endMs: number;
}

/** Turns longer than this are recorded. */
export const longTurnMs = 10;

export function turnsFile(pid: number): string {
  return join(tmpdir(), `klieg-loop-turns-${pid}`);
}

/** Returns the long turns that ended after `sinceMs`, and removes the file. */
export async function readLongTurns(pid: number, sinceMs: number): Promise<readonly LoopTurn[]> {
  const text = await readFile(turnsFile(pid), "utf8");
  await rm(turnsFile(pid));
  const lines = text.split("\n").filter((line) => line !== "");
  return lines.map((line) => JSON.parse(line)).filter((turn: LoopTurn) => turn.endMs > sinceMs);
}
