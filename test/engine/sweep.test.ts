import t from "tap";
import { limits } from "../../config/limits.ts";
import { memoryTables } from "../../engine/adapters/memory/memory-stores.ts";
import { createKey } from "../../engine/key.ts";
import { Sweep } from "../../engine/shard/sweep.ts";

const code = 17;
const { sweepRows, sweepRestMs } = limits.engine;
const rule = {
  source: (partition: number, nowMs: number) => ({
    start: createKey(partition, code, ""),
    end: createKey(partition, code, String(nowMs)),
  }),
  message: { kind: "old" },
};

t.test("rows that are not heads of actors say which actor they stand for", async (t) => {
  const tables = memoryTables();
  const row = createKey(0, code, "1-ada");
  await tables.write([[row, "1"]]);
  const findActor = (key: string) => createKey(0, 16, key.slice(4));
  const sweep = new Sweep({ ...rule, findActor }, tables, { shard: 0, shardCount: 256 });
  t.strictSame(sweep.take(5_000), [{ to: createKey(0, 16, "ada"), message: rule.message }]);
});

t.test(
  "a round tells each old actor of its shard once, a page at a time, then rests",
  async (t) => {
    const tables = memoryTables();
    const at = (n: number) => createKey(130, code, `1${String(n).padStart(5, "0")}`);
    const old = Array.from({ length: sweepRows + 3 }, (_, n) => at(n));
    const strangers = [
      createKey(5, code, "1"),
      createKey(130, code + 1, "1"),
      createKey(130, code, "9"),
    ];
    await tables.write([...old, ...strangers].map((key) => [key, "1"] as const));
    const sweep = new Sweep(rule, tables, { shard: 1, shardCount: 2 });
    const told: string[] = [];
    let pages = 0;
    for (let step = 0; step < 129; step++) {
      const page = sweep.take(5_000);
      t.ok(page.length <= sweepRows);
      if (page.length > 0) pages++;
      told.push(...page.map(({ to }) => to));
    }
    t.strictSame(told, old);
    t.equal(pages, 2);
    for (let step = 0; step < 300; step++) t.strictSame(sweep.take(5_000 + sweepRestMs - 1), []);
    const again = Array.from({ length: 129 }, () => sweep.take(5_000 + sweepRestMs).length);
    t.equal(
      again.reduce((sum, length) => sum + length, 0),
      old.length,
      "and tells them again in the next",
    );
  },
);
