/** Tests that requests, which all read the directory, do not notice it moving between nodes. */
import t from "tap";
import { ManualClock } from "../../engine/adapters/manual-clock.ts";
import { MemoryLog } from "../../engine/adapters/memory/memory-log.ts";
import { memoryTables } from "../../engine/adapters/memory/memory-stores.ts";
import { Gateway } from "../../engine/gateway.ts";
import { createKey } from "../../engine/key.ts";
import { ProcessClock } from "../../engine/process-clock.ts";
import { noHash } from "../../engine/record.ts";
import { OwnedLog } from "../../engine/shard/log/owned-log.ts";
import { sealRecord } from "./sealed.ts";

const directory = 2;
const row = createKey(0, 128, "a");

async function stage() {
  const clock = new ManualClock(1_000);
  const missed: number[] = [];
  const ignore = () => {};
  const gateway = new Gateway(directory, new ProcessClock(clock), {
    listens: () => true,
    onChange: ignore,
    onLeave: ignore,
    onFailure: ignore,
    onMiss: (shard) => missed.push(shard),
  });
  const tables = memoryTables();
  await tables.write([[row, '"table"']]);
  gateway.attach(directory, ignore, tables);
  const leaseFor = (ms: number) =>
    gateway.event(directory, { kind: "lease", endsMs: clock.monotonicMs() + ms });
  return { clock, gateway, missed, leaseFor };
}

t.test("the directory is read while its owner hands it over and begins to follow", async (t) => {
  const { clock, gateway, missed, leaseFor } = await stage();
  gateway.event(directory, { kind: "leaving" });
  leaseFor(5_000);
  gateway.detach(directory, true);
  t.equal(gateway.read(row), "table", "no thread has it now");
  t.notOk(gateway.owns(directory));
  clock.advance(4_000);
  gateway.event(directory, { kind: "following" });
  t.equal(gateway.read(row), "table");
  t.strictSame(missed, [directory], "what is remembered of it is read anew");
  const { bytes: record } = sealRecord(
    { shard: directory, epoch: 2, seq: 1, atMs: 0 },
    { [row]: '"of the next owner"' },
    noHash,
  );
  gateway.event(directory, { kind: "applied", record });
  t.equal(gateway.read(row), "of the next owner");
  clock.advance(1_001);
  t.throws(() => gateway.read(row), { name: "ShardDown" }, "a follower that hears nothing ends it");
});

t.test("a directory whose thread has died is not read before it is followed", async (t) => {
  const { gateway, leaseFor } = await stage();
  leaseFor(5_000);
  gateway.detach(directory);
  t.throws(() => gateway.read(row), { name: "ShardDown" });
  gateway.attach(directory, undefined, memoryTables());
  gateway.event(directory, { kind: "following" });
  t.throws(() => gateway.read(row), { name: "ShardDown" }, "nor before all of it is here");
});

t.test("an owner that hands over answers no more reads, but those of the directory", async (t) => {
  const clock = new ManualClock(10_000);
  const leaseBehind = async (isDirectory: boolean) => {
    const log = new OwnedLog(new MemoryLog().open(), clock, "nonce", isDirectory, () => false);
    await log.append(Uint8Array.of(1), { epoch: 1, seq: 1 }, 0);
    t.equal(log.leaseEndsMs, clock.monotonicMs() + 2_000);
    log.handOver();
    return log.leaseEndsMs;
  };
  t.equal(await leaseBehind(false), Number.NEGATIVE_INFINITY);
  t.equal(await leaseBehind(true), clock.monotonicMs() + 5_000, "as old as a follower's may be");
});
