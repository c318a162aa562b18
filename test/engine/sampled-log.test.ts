import t from "tap";
import { limits } from "../../config/limits.ts";
import type { Report } from "../../engine/actor.ts";
import { ManualClock } from "../../engine/adapters/manual-clock.ts";
import { SampledLog } from "../../engine/sampled-log.ts";

const get = () => undefined;

function stage() {
  const clock = new ManualClock(1_000_000);
  const lines: unknown[] = [];
  let made = 0;
  const log = new SampledLog(clock, {
    line: (level, fields, message) => lines.push({ level, message, ...fields }),
    onSkip: (missing) => lines.push({ missing }),
  });
  const report = (level: Report["level"], job: number): Omit<Report, "count" | "span"> => ({
    level,
    message: "a job ended",
    fields: () => {
      made++;
      return { job };
    },
  });
  return { clock, lines, log, report, made: () => made };
}

t.test("an end is one line (E1)", async (t) => {
  const { lines, log, report } = stage();
  log.add(report("info", 1), get);
  log.add(report("warn", 2), get);
  t.strictSame(lines, [
    { level: "info", message: "a job ended", job: 1 },
    { level: "warn", message: "a job ended", job: 2 },
  ]);
});

t.test("at high rates failures are kept longest, and what is missing is said (E1)", async (t) => {
  const { clock, lines, log, report, made } = stage();
  const { endsPerSecond, failuresPerSecond } = limits.log;
  for (let job = 0; job < 1_000; job++) log.add(report("info", job), get);
  t.equal(lines.length, endsPerSecond);
  for (let job = 0; job < 1_000; job++) log.add(report("warn", job), get);
  t.equal(lines.length, endsPerSecond + failuresPerSecond);
  t.equal(made(), lines.length, "lines that are not written are not made");
  clock.advance(1_000);
  log.add(report("info", 7), get);
  t.strictSame(lines.slice(-2), [
    { missing: 2_000 - endsPerSecond - failuresPerSecond },
    { level: "info", message: "a job ended", job: 7 },
  ]);
});
