/**
 * Runs what waits for the end of a turn of the event loop, to the last, without the event loop: the
 * engine awaits `setImmediate`, whose calls are kept in one list here, in their order. Nothing in a
 * simulation waits for anything outside of the process, so all that can go on has gone on when the
 * microtasks are done, which is when the next tick comes; a turn of the event loop costs ten times
 * as much.
 */
const { nextTick } = process;

let waiting: (() => void)[] = [];

/** Runs `simulation` while every call of `setImmediate` in this process belongs to it. */
export async function withIdle<Result>(simulation: () => Promise<Result>): Promise<Result> {
  const before = globalThis.setImmediate;
  waiting = [];
  const keep = (run: (...values: unknown[]) => void, ...values: unknown[]) => {
    waiting.push(() => run(...values));
  };
  Object.assign(globalThis, { setImmediate: keep });
  try {
    return await simulation();
  } finally {
    Object.assign(globalThis, { setImmediate: before });
    for (const run of waiting) run();
  }
}

const settled = Promise.resolve();

/**
 * Calls `run` when every promise that can settle has settled. Without promises of its own: it is
 * called for every instant at which something happens.
 */
export function whenSettled(run: () => void): void {
  // A tick that is asked for by a tick comes before the microtasks.
  void settled.then(() => nextTick(runWaiting, run));
}

function runWaiting(run: () => void): void {
  if (waiting.length === 0) {
    run();
    return;
  }
  const runs = waiting;
  waiting = [];
  for (const one of runs) one();
  whenSettled(run);
}
