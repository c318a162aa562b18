// What the scripts of all job queues have in common: so many jobs under way at a time, each timed
// from its adding to its end, for as long as the parent says. `add` resolves when a job is stored
// to the name that `ended` is then called with. Copied beside each script by packages.ts.
const ends = new Map();
const early = new Set();

/** A job that ends before its adding is answered is remembered until then. */
export function ended(name) {
  const resolve = ends.get(name);
  if (resolve === undefined) early.add(name);
  else resolve();
  ends.delete(name);
}

export function serveRounds(underWay, add) {
  process.on("message", async ({ seconds, percentiles }) => {
    const took = [];
    const begun = performance.now();
    const until = begun + seconds * 1_000;
    const lane = async () => {
      while (performance.now() < until) {
        const from = performance.now();
        const name = await add();
        if (!early.delete(name)) await new Promise((resolve) => ends.set(name, resolve));
        took.push(performance.now() - from);
      }
    };
    await Promise.all(Array.from({ length: underWay }, lane));
    const sorted = Float64Array.from(took).sort();
    const at = (percent) => sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)];
    process.send({
      jobs: took.length,
      seconds: (performance.now() - begun) / 1_000,
      latencies: percentiles.map(at),
    });
  });
  process.on("disconnect", () => process.exit(0));
  process.send("ready");
}
