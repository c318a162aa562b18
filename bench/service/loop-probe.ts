/**
 * Loaded into a service by NODE_OPTIONS. Writes down the turns of its main thread's event loop that
 * were long, with the processor time that the thread had in each: on a machine that others use too,
 * a turn is also long while the thread waits for a processor, which is not the service's doing.
 */
import { openSync, readSync, writeSync } from "node:fs";
import { isMainThread } from "node:worker_threads";
import { type LoopTurn, longTurnMs, turnsFile } from "./loop-turns.ts";

const everyMs = 2;

if (isMainThread && /\/dist[^/]*\/http\/main\.js$/.test(process.argv[1] ?? "")) watchLoop();

function watchLoop(): void {
  const out = openSync(turnsFile(process.pid), "w", 0o600);
  const ownTimeMs = openOwnTime();
  let last = { wallMs: performance.now(), ownMs: ownTimeMs() };
  const look = (): void => {
    const now = { wallMs: performance.now(), ownMs: ownTimeMs() };
    const wallMs = now.wallMs - last.wallMs;
    const turn: LoopTurn = { wallMs, ownMs: now.ownMs - last.ownMs, endMs: Date.now() };
    if (wallMs > longTurnMs) writeSync(out, `${JSON.stringify(turn)}\n`);
    last = now;
  };
  setInterval(look, everyMs).unref();
}

/** Returns a reader of the thread's processor time in ms (schedstat's first number, in ns). */
function openOwnTime(): () => number {
  const file = openSync("/proc/thread-self/schedstat", "r");
  const bytes = Buffer.alloc(64);
  return () => {
    const length = readSync(file, bytes, 0, bytes.length, 0);
    return Number.parseInt(bytes.toString("latin1", 0, length), 10) / 1e6;
  };
}
