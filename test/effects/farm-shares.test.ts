import t from "tap";
import { FarmShares } from "../../effects/farm-shares.ts";
import { ManualClock } from "../../engine/adapters/manual-clock.ts";

t.test("A1: one owner's work holds half of the farm's slots, at least one", async (t) => {
  const shares = new FarmShares(new ManualClock(0));
  t.strictSame(
    [0, 1, 2, 3, 8].map((slots) => shares.forSlots(slots)("ada")),
    [1, 1, 1, 1, 4],
  );
});

t.test("A1: after three timeouts in ten minutes it holds one", async (t) => {
  const clock = new ManualClock(0);
  const shares = new FarmShares(clock);
  shares.addTimeout("eve");
  clock.advance(60_000);
  shares.addTimeout("eve");
  t.equal(shares.forSlots(8)("eve"), 4);
  shares.addTimeout("eve");
  t.equal(shares.forSlots(8)("eve"), 1);
  t.equal(shares.forSlots(8)("ada"), 4, "others keep theirs");
  clock.advance(540_000);
  t.equal(shares.forSlots(8)("eve"), 4, "the first is ten minutes ago");
});
