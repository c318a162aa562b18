/** Shards that are held together, and how a process finds out whether none of them moved. */
import t from "tap";
import { ManualClock } from "../../engine/adapters/manual-clock.ts";
import { ShardHolds } from "../../engine/shard-holds.ts";
import type { ToShardThread } from "../../engine/wire.ts";

function stage() {
  const clock = new ManualClock(1_000_000);
  const holds = new ShardHolds(clock);
  const shards = [0, 1].map((shard) => {
    const got: ToShardThread[] = [];
    return { shard, got, link: { send: (message: ToShardThread) => void got.push(message) } };
  });
  const [first, second] = shards as [(typeof shards)[0], (typeof shards)[0]];
  return { clock, holds, shards, first, second };
}

t.test("shards are held when each stands still, until the end", async (t) => {
  const { clock, holds, shards, first, second } = stage();
  const begun = holds.begin("a", shards);
  t.strictSame(first.got, [{ kind: "hold", number: 1 }]);
  holds.confirmHeld(second, 1, { epoch: 2, seq: 9 });
  await t.rejects(holds.begin("b", shards), { retryable: true, message: /being held already/ });
  holds.confirmHeld(first, 1, { epoch: 1, seq: 5 });
  t.strictSame(await begun, [
    { shard: 1, epoch: 2, seq: 9 },
    { shard: 0, epoch: 1, seq: 5 },
  ]);
  clock.advance(1_499);
  t.notOk(holds.end("b"), "another's");
  t.ok(holds.end("a"));
  t.strictSame(second.got.slice(1), [{ kind: "resume" }]);
  t.notOk(holds.end("a"), "it is over");
});

t.test("a hold is over after 1.5 s, and did not last when a shard went away", async (t) => {
  for (const break_ of ["time", "death"]) {
    const { clock, holds, shards, first, second } = stage();
    const begun = holds.begin("a", shards);
    for (const shard of shards) holds.confirmHeld(shard, 1, { epoch: 1, seq: 1 });
    await begun;
    if (break_ === "time") clock.advance(1_500);
    else holds.onLoss(first);
    t.notOk(holds.end("a"), break_);
    t.strictSame(second.got.at(-1), { kind: "resume" });
  }
});

t.test("shards that do not stand still in 750 ms go on", async (t) => {
  const { clock, holds, shards, first, second } = stage();
  const begun = holds.begin("a", shards);
  holds.confirmHeld(first, 1, { epoch: 1, seq: 1 });
  clock.advance(750);
  await t.rejects(begun, { retryable: true, message: /could not be held at one time/ });
  for (const { got } of shards) t.strictSame(got.at(-1), { kind: "resume" });
  holds.confirmHeld(second, 1, { epoch: 1, seq: 1 });
  void holds.begin("b", shards).catch(() => {});
  t.strictSame(first.got.at(-1), { kind: "hold", number: 2 }, "others may hold them now");
});

t.test("standbys are asked for the records that their owners have", async (t) => {
  const { holds, shards, first, second } = stage();
  const owners = [
    { shard: 0, epoch: 3, seq: 7 },
    { shard: 1, epoch: 4, seq: 8 },
  ];
  const reached = holds.reach(shards, owners);
  t.strictSame(
    [first.got, second.got],
    [[{ kind: "reach", number: 1, seq: 7 }], [{ kind: "reach", number: 1, seq: 8 }]],
  );
  holds.confirmHeld(first, 1, { epoch: 3, seq: 7 });
  holds.confirmHeld(second, 1, { epoch: 4, seq: 8 });
  await reached;
  const later = holds.reach([first], owners);
  holds.confirmHeld(first, 2, { epoch: 3, seq: 8 });
  await t.rejects(later, { retryable: true, message: /shard 0 went on while it was held/ });
  const other = holds.reach([first], owners);
  holds.confirmHeld(first, 3, { epoch: 4, seq: 7 });
  await t.rejects(other, /went on/, "of another owner");
});
