import t from "tap";
import { isAtRest, othersShare, parseStolenUs } from "../../bench/machine/rest.ts";

t.test("what the hypervisor keeps for itself is read from the kernel", async (t) => {
  const stat = "cpu  10 20 30 4000 500 60 70 8 9 10\ncpu0 1 2 3 4 5 6 7 8 9 10\n";
  t.equal(parseStolenUs(stat), 8 * 10_000);
});

t.test(
  "what the bench used itself is not others' share, and ends with its processes",
  async (t) => {
    const look = (
      atMs: number,
      stolenUs: number,
      times: readonly (readonly [number, number])[],
    ) => ({
      atMs,
      stolenUs,
      usById: new Map(times),
      own: new Set([1, 2]),
    });
    const [bench, browser, shell, compiler] = [1, 2, 3, 4];
    const before = look(1_000, 0, [
      [bench, 100_000],
      [browser, 900_000],
      [shell, 50_000],
    ]);
    const after = look(2_000, 100_000, [
      [bench, 600_000],
      [shell, 150_000],
      [compiler, 200_000],
    ]);
    t.equal(othersShare(before, after, 2), 0.2);
    t.equal(othersShare(before, before, 2), 0);
  },
);

t.test("a machine is at rest when others have at most a twentieth of it", async (t) => {
  t.ok(isAtRest([0.02, 0.06, 0.04]));
  t.notOk(isAtRest([0.04, 0.3]));
});
