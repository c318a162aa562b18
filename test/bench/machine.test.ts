import t from "tap";
import { isAtRest, othersShare, parseBusyUs } from "../../bench/machine/rest.ts";

t.test("a machine is busy with programs and its hypervisor, not with idling", async (t) => {
  const stat = "cpu  10 20 30 4000 500 60 70 8 9 10\ncpu0 1 2 3 4 5 6 7 8 9 10\n";
  t.equal(parseBusyUs(stat), (10 + 20 + 30 + 8) * 10_000);
});

t.test("what the bench used itself is not others' share", async (t) => {
  const before = { atMs: 1_000, busyUs: 500_000, ownUs: 100_000 };
  const after = { atMs: 2_000, busyUs: 2_000_000, ownUs: 1_400_000 };
  t.equal(othersShare(before, after, 2), 0.1);
  t.equal(othersShare(before, { ...after, ownUs: 2_000_000 }, 2), 0, "never less than nothing");
  t.equal(othersShare(before, before, 2), 0);
});

t.test("a machine is at rest when others have at most a twentieth of it", async (t) => {
  t.ok(isAtRest([0.02, 0.06, 0.04]));
  t.notOk(isAtRest([0.04, 0.3]));
});
