import t from "tap";
import { ManualClock } from "../../engine/adapters/manual-clock.ts";
import { memoryTables } from "../../engine/adapters/memory/memory-stores.ts";
import { type Address, createAddress } from "../../engine/address.ts";
import { Gateway, lost } from "../../engine/gateway.ts";
import { createKey, type Key } from "../../engine/key.ts";
import type { Tables } from "../../engine/ports/tables.ts";
import { ProcessClock } from "../../engine/process-clock.ts";
import { noHash } from "../../engine/record.ts";
import type { ToShard } from "../../engine/wire.ts";
import { sealRecord } from "./sealed.ts";
import { idle } from "./toys.ts";

type Message = { readonly kind: string };
const at = (partition: number, code: number, name: string): Address<Message, unknown> =>
  createAddress(createKey(partition, code, name));
const a = at(1, 16, "a");
const b = createKey(1, 16, "b");
const far = at(200, 16, "far");

function stage(listens = true, firstRequest = 1) {
  const clock = new ManualClock(1_000);
  const sent: { shard: number; message: ToShard }[] = [];
  const changed: Key[] = [];
  const missed: number[] = [];
  const left: number[] = [];
  const failures: unknown[] = [];
  const tables: Tables[] = [memoryTables(), memoryTables(), memoryTables()];
  const listener = {
    listens: () => listens,
    onChange: (key: Key) => changed.push(key),
    onMiss: (shard: number) => missed.push(shard),
    onLeave: (shard: number) => left.push(shard),
    onFailure: (error: unknown) => failures.push(error),
  };
  const gateway = new Gateway(2, new ProcessClock(clock), listener, {}, firstRequest);
  const attach = (shard: number) =>
    gateway.attach(
      shard,
      (message) => sent.push({ shard, message }),
      tables[shard] ?? memoryTables(),
    );
  for (const shard of [0, 1, 2]) attach(shard);
  return { clock, gateway, sent, changed, missed, left, failures, tables, attach };
}

let seq = 0;

function release(rows: Readonly<Record<Key, string | undefined>>, reply?: [number, unknown]) {
  seq++;
  const record = sealRecord({ shard: 0, epoch: 1, seq, atMs: 0 }, rows, noHash).bytes;
  const replies = reply === undefined ? [] : [{ to: reply[0], reply: reply[1] }];
  return { kind: "release", seq, record, replies } as const;
}

t.test("a question goes to the shard of its address, and its reply comes back", async (t) => {
  const { gateway, sent } = stage();
  const first = gateway.ask(a, { kind: "one" }, "work");
  const second = gateway.ask(far, { kind: "two" }, "settle");
  const third = gateway.ask(at(0, 128, ""), { kind: "three" }, "work");
  t.strictSame(sent, [
    {
      shard: 0,
      message: [a, { kind: "one" }, 1, "work", 1_000],
    },
    {
      shard: 1,
      message: [far, { kind: "two" }, 2, "settle", 1_000],
    },
    {
      shard: 2,
      message: [createKey(0, 128, ""), { kind: "three" }, 3, "work", 1_000],
    },
  ]);
  gateway.event(0, release({}, [1, "reply one"]));
  t.equal(await first, "reply one");
  gateway.event(0, release({}, [3, "from the account"]));
  t.equal(await third, "from the account", "another shard may answer in the end");
  gateway.event(1, release({}, [2, "reply two"]));
  t.equal(await second, "reply two");
  gateway.event(1, release({}, [2, "again"]));
});

t.test("ids count up from the one that was drawn for this life of the process", async (t) => {
  const { gateway, sent } = stage(true, 9_000_000);
  gateway.event(0, { kind: "opened", seq: 1, atMs: 9_000 });
  void gateway.ask(a, { kind: "one" }, "work");
  void gateway.ask(a, { kind: "two" }, "work");
  t.match(sent, [
    { message: [a, { kind: "one" }, 9_000_000] },
    { message: [a, { kind: "two" }, 9_000_001] },
  ]);
  const reply = { to: 5, reply: "of an earlier life" };
  gateway.event(0, { ...release({}), replies: [reply] });
  gateway.event(0, release({}, [9_000_001, "mine"]));
});

t.test(
  "a shard's rows are read until its lease has ended, and again when it is renewed",
  async (t) => {
    const { gateway, clock } = stage();
    gateway.event(0, release({ [b]: '"row"' }));
    clock.advance(60_000);
    t.equal(gateway.read(b), "row", "without a log there is no lease");
    gateway.event(0, { kind: "lease", endsMs: clock.monotonicMs() + 2_000 });
    clock.advance(2_000);
    t.equal(gateway.read(b), "row");
    clock.advance(1);
    t.throws(() => gateway.read(b), { name: "ShardDown" });
    gateway.event(0, { kind: "lease", endsMs: clock.monotonicMs() + 2_000 });
    t.equal(gateway.read(b), "row");
  },
);

t.test("a read looks at the fresh rows, then at the tables", async (t) => {
  const { gateway, tables } = stage();
  await tables[0]?.write([
    [a, '"table"'],
    [b, '"table"'],
  ]);
  t.equal(gateway.read(a), "table");
  gateway.event(0, release({ [a]: '"fresh"', [b]: undefined }));
  t.equal(gateway.read(a), "fresh");
  t.equal(gateway.read(b), undefined, "a fresh deletion hides the table's row");
  gateway.event(0, { kind: "frozen" });
  gateway.event(0, release({ [b]: '"newer"' }));
  t.equal(gateway.read(a), "fresh", "a row that a pass is writing is still fresh");
  t.equal(gateway.read(b), "newer");
  await tables[0]?.write([
    [a, '"written"'],
    [b, undefined],
  ]);
  gateway.event(0, { kind: "flushed", seq });
  t.equal(gateway.read(a), "written");
  t.equal(gateway.read(b), "newer", "what came after the freeze stays");
});

t.test("whoever got a reply reads what it speaks of", async (t) => {
  const { gateway } = stage();
  const ask = gateway.ask(a, { kind: "write" }, "work").then(() => gateway.read(a));
  gateway.event(0, release({ [a]: '"written"' }, [1, "done"]));
  t.equal(await ask, "written");
});

t.test("a range read waits for a pass when rows are fresh", async (t) => {
  const { gateway, sent, tables } = stage();
  const range = { start: createKey(1, 16, ""), end: createKey(1, 17, "") };
  t.strictSame(await gateway.range(range, 10, false), [], "without fresh rows it does not");
  t.strictSame(sent, []);

  gateway.event(0, release({ [a]: '"1"' }));
  const reads = [gateway.range(range, 10, false), gateway.range(range, 10, false)];
  await idle();
  t.strictSame(sent, [{ shard: 0, message: { kind: "flush" } }], "waiters share one pass");
  gateway.event(0, { kind: "frozen" });
  gateway.event(0, release({ [b]: '"2"' }));
  const late = gateway.range(range, 10, false);
  await tables[0]?.write([[a, '"1"']]);
  gateway.event(0, { kind: "flushed", seq });
  for (const read of reads) t.strictSame(await read, [{ key: a, text: '"1"' }]);
  t.equal(sent.length, 2, "one that came after the freeze waits for the next pass");
  gateway.event(0, { kind: "frozen" });
  await tables[0]?.write([[b, '"2"']]);
  gateway.event(0, { kind: "flushed", seq });
  t.strictSame(await late, [
    { key: a, text: '"1"' },
    { key: b, text: '"2"' },
  ]);
  t.strictSame(await gateway.range(range, 1, true), [{ key: b, text: '"2"' }]);
});

t.test("while passes fail, a range read merges what is fresh with the tables", async (t) => {
  const { gateway, sent, tables } = stage();
  const c = createKey(1, 16, "c");
  const d = createKey(1, 16, "d");
  const range = { start: createKey(1, 16, ""), end: createKey(1, 17, "") };
  await tables[0]?.write([
    [a, '"old"'],
    [b, '"old"'],
    [d, '"old"'],
  ]);
  gateway.event(0, release({ [a]: '"new"', [b]: undefined, [c]: '"new"' }));
  const waiting = gateway.range(range, 10, false);
  gateway.event(0, { kind: "frozen" });
  const late = gateway.range(range, 2, true);
  gateway.event(0, { kind: "stuck" });
  const [rowA, rowC, rowD] = [
    { key: a, text: '"new"' },
    { key: c, text: '"new"' },
    { key: d, text: '"old"' },
  ];
  t.strictSame(await waiting, [rowA, rowC, rowD]);
  t.strictSame(await late, [rowD, rowC]);
  gateway.event(0, release({ [c]: undefined }));
  t.strictSame(await gateway.range(range, 2, false), [rowA, rowD], "nobody waits any more");
  t.equal(sent.length, 2);
  await tables[0]?.write([
    [a, '"new"'],
    [b, undefined],
    [c, '"new"'],
  ]);
  gateway.event(0, { kind: "flushed", seq });
  const next = gateway.range(range, 10, false);
  t.equal(sent.length, 3, "a pass is waited for again");
  gateway.event(0, { kind: "frozen" });
  await tables[0]?.write([[c, undefined]]);
  gateway.event(0, { kind: "flushed", seq });
  t.strictSame(await next, [rowA, rowD]);
});

t.test("when a shard goes away, whoever waits for it hears lost", async (t) => {
  const { gateway, attach } = stage();
  t.ok(gateway.isOpen);
  const one = gateway.ask(a, { kind: "one" }, "work");
  const other = gateway.ask(far, { kind: "other" }, "work");
  gateway.detach(0);
  t.equal(await one, lost);
  t.notOk(gateway.isOpen);
  t.equal(
    await gateway.ask(a, { kind: "again" }, "work"),
    lost,
    "and so does whoever asks meanwhile",
  );
  t.throws(() => gateway.read(a), { name: "ShardDown" });
  await t.rejects(gateway.range({ start: a, end: b }, 1, false), { name: "ShardDown" });
  gateway.event(1, release({}, [2, "here"]));
  t.equal(await other, "here", "the other shards go on");
  gateway.event(0, release({}, [1, "too late"]));
  attach(0);
  t.ok(gateway.isOpen);
});

t.test("a shard that leaves answers what it was asked, and is asked no more", async (t) => {
  const { gateway, sent } = stage();
  const question = gateway.ask(a, { kind: "one" }, "work");
  gateway.event(0, { kind: "leaving" });
  t.strictSame(await gateway.ask(a, { kind: "two" }, "work"), { kind: "busy" });
  gateway.event(0, release({ [b]: '"row"' }, [1, "its reply"]));
  t.strictSame([await question, gateway.read(b), sent.length], ["its reply", "row", 1]);
  gateway.event(0, { kind: "lease", endsMs: Number.NEGATIVE_INFINITY });
  t.throws(() => gateway.read(b), { name: "ShardDown" }, "another node may write them now");
});

t.test("a shard that follows is read when it has all that the log had", (t) => {
  const { clock, gateway, missed } = stage();
  gateway.attach(2, undefined, memoryTables());
  gateway.event(2, { kind: "following" });
  const looked: unknown[] = [];
  gateway.look(() => void looked.push(gateway.read(createKey(0, 128, ""))));
  gateway.event(2, { ...release({ [createKey(0, 128, "")]: '"now"' }), kind: "applied" });
  gateway.event(2, { kind: "lease", endsMs: clock.monotonicMs() + 5_000 });
  t.strictSame([looked, missed], [["now"], [2]], "who looked meanwhile looks again");
  t.end();
});

t.test("a shard that cannot be written is read, and asked nothing (C10)", async (t) => {
  const { gateway, sent, tables, attach, missed } = stage();
  await tables[0]?.write([[a, '"table"']]);
  gateway.detach(0);
  gateway.attach(0, undefined, tables[0] ?? memoryTables());
  gateway.event(0, { kind: "readable", records: [release({ [b]: '"journal"' }).record] });
  t.strictSame([gateway.isOpen, gateway.isReadable], [false, true]);
  t.strictSame([gateway.read(a), gateway.read(b)], ["table", "journal"]);
  t.equal((await gateway.range({ start: a, end: createKey(1, 16, "c") }, 9, false)).length, 2);
  t.strictSame(await gateway.ask(a, { kind: "one" }, "work"), { kind: "busy" });
  t.strictSame([sent, missed], [[], [0]]);
  attach(0);
  t.ok(gateway.isOpen);
});

t.test("while no standby has the last records, who waits learns lost, and rows stay", async (t) => {
  const { gateway } = stage();
  gateway.event(0, release({ [b]: "1" }));
  const waiting = gateway.ask(a, { kind: "one" }, "work");
  gateway.event(0, { kind: "unconfirmed" });
  t.equal(await waiting, lost);
  t.equal(gateway.read(b), 1);
  t.ok(gateway.owns(0));
});

t.test("when the service is given up, whoever waits for any shard hears lost (A5)", async (t) => {
  const { gateway } = stage();
  const waiting = [
    gateway.ask(a, { kind: "one" }, "work"),
    gateway.ask(far, { kind: "two" }, "work"),
  ];
  gateway.close();
  t.strictSame(await Promise.all(waiting), [lost, lost]);
  t.equal(gateway.isOpen, false);
});

t.test("a range read whose shard goes away does not answer without the fresh rows", async (t) => {
  const { gateway } = stage();
  gateway.event(0, release({ [a]: '"acknowledged"' }));
  const read = gateway.range({ start: createKey(1, 16, ""), end: createKey(1, 17, "") }, 10, false);
  await idle();
  gateway.detach(0);
  await t.rejects(read, { name: "ShardDown" });
});

t.test("a watcher is called after each change of its row until it goes", async (t) => {
  const { gateway } = stage();
  const calls: unknown[] = [];
  const leaveFirst = gateway.watch(a, () => calls.push(["first", gateway.read(a)]));
  const leaveSecond = gateway.watch(a, () => calls.push(["second"]));
  gateway.event(0, release({ [a]: '"1"', [b]: '"2"' }));
  t.strictSame(calls, [["first", "1"], ["second"]]);
  leaveFirst();
  gateway.event(0, release({ [b]: '"3"' }));
  gateway.event(0, release({ [a]: '"4"' }));
  t.strictSame(calls.length, 3);
  leaveSecond();
  leaveSecond();
  gateway.event(0, release({ [a]: '"5"' }));
  t.equal(calls.length, 3);
});

t.test("a watcher may leave while it is called", async (t) => {
  const { gateway } = stage();
  let calls = 0;
  const leave = gateway.watch(a, () => {
    calls++;
    leave();
  });
  gateway.watch(a, () => calls++);
  gateway.event(0, release({ [a]: '"1"' }));
  gateway.event(0, release({ [a]: '"2"' }));
  t.equal(calls, 3);
});

t.test("the listener hears of each row, and of none while it does not listen", async (t) => {
  const heard = stage();
  heard.gateway.event(0, release({ [a]: '"1"', [b]: undefined }));
  t.strictSame(heard.changed, [a, b]);
  const deaf = stage(false);
  deaf.gateway.event(0, release({ [a]: '"1"' }));
  t.strictSame(deaf.changed, []);
});

t.test("a watcher that meets a shard which is down looks again when it has opened", async (t) => {
  const { gateway, attach, failures, tables } = stage();
  const seen: unknown[] = [];
  gateway.watch(a, () => seen.push([gateway.read(a), gateway.read(far)]));
  gateway.detach(1);
  gateway.event(0, release({ [a]: '"1"' }));
  t.strictSame(seen, [], "nothing is thrown where the shard's event is heard");
  await tables[1]?.write([[far, '"far"']]);
  attach(1);
  t.strictSame(seen, [], "its rows can be read once it says that it has opened");
  gateway.event(1, { kind: "opened", seq: 9, atMs: 0 });
  t.strictSame(seen, [["1", "far"]]);
  gateway.event(1, { kind: "opened", seq: 9, atMs: 0 });
  t.equal(seen.length, 1);
  t.strictSame(failures, []);
});

t.test("I11: all who watch rows of a shard that comes back look once", async (t) => {
  const { gateway, attach, missed } = stage();
  const looks: string[] = [];
  gateway.watch(a, () => looks.push("a"));
  gateway.watch(b, () => looks.push("b"));
  gateway.watch(far, () => looks.push("far"));
  gateway.detach(0);
  attach(0);
  gateway.event(0, { kind: "opened", seq: 9, atMs: 0 });
  t.strictSame(looks, ["a", "b"]);
  t.strictSame(missed, [0], "and what was remembered of its rows is forgotten");
});

t.test("a timer that reads while a shard is down looks again, unless it broke", async (t) => {
  const { gateway, attach, failures } = stage();
  const seen: unknown[] = [];
  gateway.detach(0);
  const bug = new TypeError("a bug");
  gateway.look(() => seen.push(gateway.read(a)));
  gateway.look(() => {
    throw bug;
  });
  t.strictSame(seen, []);
  t.strictSame(failures, [bug]);
  attach(0);
  gateway.event(0, { kind: "opened", seq: 9, atMs: 0 });
  t.strictSame(seen, [undefined]);
  t.strictSame(failures, [bug]);
});

t.test("a watcher that left while its shard was down does not look again", async (t) => {
  const { gateway, attach } = stage();
  let looks = 0;
  const leave = gateway.watch(a, () => {
    looks++;
    gateway.read(far);
  });
  gateway.detach(1);
  gateway.event(0, release({ [a]: '"1"' }));
  leave();
  attach(1);
  gateway.event(1, { kind: "opened", seq: 9, atMs: 0 });
  t.equal(looks, 1);
});
