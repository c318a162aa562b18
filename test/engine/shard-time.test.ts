import t from "tap";
import { ManualClock } from "../../engine/adapters/manual-clock.ts";
import { ShardTime } from "../../engine/shard/shard-time.ts";

t.test("shard time starts at the wall clock", async (t) => {
  const clock = new ManualClock(50_000);
  const time = new ShardTime(clock, 0);
  t.equal(time.nowMs(), 50_000);
  clock.advance(1_234);
  t.equal(time.nowMs(), 51_234);
});

t.test("shard time starts at the last record when that is later than the wall clock", async (t) => {
  const clock = new ManualClock(50_000);
  const time = new ShardTime(clock, 90_000);
  t.equal(time.nowMs(), 90_000);
  clock.advance(1_000);
  t.equal(time.nowMs(), 90_990, "it falls back to the wall clock by 1 % of what passes");
});

t.test("shard time follows a jump of the wall clock by at most 1 %", async (t) => {
  const clock = new ManualClock(100_000);
  const time = new ShardTime(clock, 0);
  clock.jump(3_600_000);
  t.equal(time.nowMs(), 100_000, "no jump is taken over");
  clock.advance(10_000);
  t.equal(time.nowMs(), 110_100);
  clock.jump(-7_200_000);
  clock.advance(10_000);
  t.equal(time.nowMs(), 120_000);
});

t.test("shard time never goes back", async (t) => {
  const clock = new ManualClock(100_000);
  const time = new ShardTime(clock, 0);
  let lastMs = time.nowMs();
  for (let step = 0; step < 200; step++) {
    clock.jump(step % 3 === 0 ? -50_000 : 20_000);
    clock.advance(step % 7);
    const nowMs = time.nowMs();
    if (nowMs < lastMs) t.fail(`went back from ${lastMs} to ${nowMs}`);
    lastMs = nowMs;
  }
  t.ok(lastMs > 100_000);
});

t.test("shard time reaches the wall clock and stays there", async (t) => {
  const clock = new ManualClock(100_000);
  const time = new ShardTime(clock, 100_500);
  clock.advance(50_000);
  t.equal(time.nowMs(), 150_000);
  clock.advance(1_000);
  t.equal(time.nowMs(), 151_000);
});

t.test("a time that is heard of after a while is not counted twice (C6)", async (t) => {
  const clock = new ManualClock(1_000_000);
  const time = new ShardTime(clock, 0);
  clock.advance(5_000);
  time.observe(1_005_000);
  t.equal(time.nowMs(), 1_005_000);
  clock.advance(3_000);
  t.equal(time.nowMs(), 1_008_000);
});
