import t from "tap";
import { median, percentile, spread } from "../../bench/report/statistics.ts";

t.test("percentiles are values that were measured", async (t) => {
  const values = [5, 1, 4, 2, 3];
  t.equal(percentile(values, 0.5), 3);
  t.equal(percentile(values, 0.99), 5);
  t.equal(percentile(values, 0), 1);
  t.ok(Number.isNaN(percentile([], 0.5)), "none of nothing");
});

t.test("the median of an even number of rounds is between both in the middle", async (t) => {
  t.equal(median([4, 1, 3, 2]), 2.5);
  t.equal(median([7]), 7);
  t.ok(Number.isNaN(median([])), "none of nothing");
});

t.test("the spread is half of the distance of the ends as a share of the median", async (t) => {
  t.equal(spread([90, 100, 110]), 0.1);
});
