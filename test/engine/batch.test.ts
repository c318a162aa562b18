import t from "tap";
import { limits } from "../../config/limits.ts";
import { type Actor, type AnyActor, birth, put, tell } from "../../engine/actor.ts";
import { memoryTables } from "../../engine/adapters/memory/memory-stores.ts";
import { type Address, createAddress } from "../../engine/address.ts";
import type { Domain } from "../../engine/domain.ts";
import { JsonBytes } from "../../engine/json-bytes.ts";
import { createKey, engineTables, getCode, type Key } from "../../engine/key.ts";
import { noHash, seal } from "../../engine/record.ts";
import { EncodedRow } from "../../engine/row-codec.ts";
import { Batch } from "../../engine/shard/batch.ts";
import { ShardRows } from "../../engine/shard/rows/shard-rows.ts";
import { type CounterMessage, counterKey, noteKey, toys } from "./toys.ts";

const a = counterKey(1, "a");
const b = counterKey(1, "b");
const c = counterKey(1, "c");
const far = counterKey(200, "far");
const owns = (key: Key) => key.charCodeAt(0) < 128;

function stage(domain: Domain = toys) {
  const rows = new ShardRows(memoryTables(), domain, 0);
  const open = (seq = 1) => new Batch(rows, domain, { epoch: 1, seq }, owns, new JsonBytes());
  /** Commits a batch as the shard does: its record becomes fresh rows. */
  const commit = ({ writes, values }: Batch) => {
    const head = { shard: 0, epoch: 1, seq: 1, atMs: 0 };
    rows.fresh.add(seal(head, writes, values.bytes, noHash).bytes);
  };
  return { rows, open, commit };
}

function write(batch: Batch): Record<Key, string | undefined> {
  const { bytes } = batch.values;
  const texts = [...batch.writes].map(([key, { start, end }]) => {
    return [key, start < 0 ? undefined : bytes.toString("utf8", start, end)];
  });
  return Object.fromEntries(texts);
}

function ask(batch: Batch, to: Key, message: CounterMessage, request = 1): void {
  batch.step({ to, message, request }, 1_000);
}

t.test("a turn's head, rows and reply are in the batch", async (t) => {
  const batch = stage().open();
  t.ok(batch.isEmpty);
  ask(batch, a, { kind: "note", name: "n", text: "x" }, 7);
  t.strictSame(write(batch), { [a]: '{"count":1}', [noteKey(a, "n")]: '"x"' });
  t.strictSame(batch.replies, [{ to: 7, reply: { kind: "counted", count: 1 } }]);
  t.notOk(batch.isEmpty);
});

t.test(
  "later turns see what earlier ones of the batch wrote, and of batches before it",
  async (t) => {
    const { open, commit } = stage();
    const batch = open();
    ask(batch, a, { kind: "add", by: 1 });
    ask(batch, a, { kind: "add", by: 1 });
    t.strictSame(write(batch), { [a]: '{"count":2}' }, "a row is written once a batch");
    commit(batch);
    const next = open(2);
    ask(next, a, { kind: "look" });
    t.strictSame(next.replies, [{ to: 1, reply: { kind: "counted", count: 2 } }]);
    t.equal(next.writes.size, 0, "what did not change is not written");
  },
);

t.test("a row that comes spelled is written as it is, and read as what it says", async (t) => {
  const scribe: Actor<unknown, "write" | "read", never> = {
    kind: "scribe",
    decide(head, message, ctx) {
      const key = noteKey(ctx.self, "n");
      const rows = message === "write" ? [put(key, new EncodedRow('"x"'))] : [];
      const replies = [{ to: 1, reply: ctx.get(key) }];
      return { head, rows, replies, effects: [] };
    },
    dueAt: () => undefined,
  };
  const actorByCode = new Map([[getCode(a), scribe as AnyActor]]);
  const batch = stage({ ...toys, actorByCode }).open();
  batch.step({ to: a, message: "write" }, 0);
  batch.step({ to: a, message: "read" }, 0);
  t.strictSame(write(batch), { [noteKey(a, "n")]: '"x"' });
  t.equal(batch.replies[1]?.reply, "x");
});

t.test("a turn is one message and the tells that it causes, first in, first out", async (t) => {
  const heard: string[] = [];
  const scribe: Actor<{ n: number }, { kind: string; names?: string[] }, never> = {
    kind: "scribe",
    decide(head, { kind, names = [] }, { self }) {
      heard.push(kind);
      const effects = names.map((name) =>
        tell(createAddress(self), { kind: name, names: name === "1" ? ["1a", "1b"] : [] }),
      );
      return { head: { n: (head?.n ?? 0) + 1 }, rows: [], replies: [], effects };
    },
    dueAt: () => undefined,
  };
  const actorByCode = new Map<number, AnyActor>([[16, scribe]]);
  const batch = stage({ actorByCode, windows: [], sweeps: [] }).open();
  batch.step({ to: a, message: { kind: "first", names: ["1", "2", "3"] } }, 0);
  t.strictSame(heard, ["first", "1", "2", "3", "1a", "1b"]);
  t.strictSame(write(batch), { [a]: '{"n":6}' });
});

t.test("a step ends after 64 tells", async (t) => {
  const batch = stage().open();
  const to = (count: number) => Array.from({ length: count }, (_, at) => counterKey(1, `n${at}`));
  ask(batch, a, { kind: "spread", to: to(64), message: { kind: "add", by: 1 } });
  t.equal(batch.writes.size, 65, "64 are kept");
  const more = () => ask(batch, b, { kind: "spread", to: to(65), message: { kind: "add", by: 1 } });
  t.throws(more, { name: "BrokenInvariant" });
  t.equal(write(batch)[counterKey(1, "n0")], '{"count":1}', "65 are dropped whole");
  t.notOk(batch.writes.has(b));
});

t.test("an actor that waits for nothing leaves memory, unless it stays cached", async (t) => {
  const plain: Actor<{ n: number } | undefined, { ends: boolean }, never> = {
    kind: "plain",
    decide(_, { ends }) {
      return { head: ends ? undefined : { n: 1 }, rows: [], replies: [], effects: [] };
    },
    dueAt: () => undefined,
  };
  const actorByCode = new Map<number, AnyActor>([
    [16, plain],
    [17, { ...plain, staysCached: true } as AnyActor],
  ]);
  const { rows, open } = stage({ actorByCode, windows: [], sweeps: [] });
  const cached = createKey(1, 17, "b");
  const batch = open();
  for (const to of [a, cached]) batch.step({ to, message: { ends: false } }, 0);
  t.equal(rows.head(a, undefined), undefined);
  t.strictSame(rows.head(cached, undefined), { n: 1 });
  batch.step({ to: cached, message: { ends: true } }, 0);
  t.equal(rows.head(cached, undefined), undefined, "nor stays one that has ended");
});

t.test("a turn that breaks is dropped whole", async (t) => {
  const { open, commit } = stage();
  const before = open();
  ask(before, b, { kind: "add", by: 5 });
  commit(before);
  const batch = open(2);
  ask(batch, a, { kind: "add", by: 1 });
  const bytes = batch.bytes;
  const replies = batch.replies.length;
  const breaking: CounterMessage = {
    kind: "spread",
    to: [b, a, far, c],
    message: { kind: "spread", to: [b, a], message: { kind: "break" } },
  };
  t.throws(() => ask(batch, a, breaking), { message: "a toy broke" });
  t.strictSame(write(batch), { [a]: '{"count":1}' });
  t.equal(batch.bytes, bytes);
  t.equal(batch.replies.length, replies);
  t.strictSame(batch.deliveries, []);
  for (const key of [a, b, c]) ask(batch, key, { kind: "look" });
  t.strictSame(
    batch.replies.slice(replies).map(({ reply }) => reply),
    [1, 5, 0].map((count) => ({ kind: "counted", count })),
    "nothing of it is seen by later turns",
  );
});

t.test("a dropped turn leaves no window entry", async (t) => {
  const actor: Actor<{ n: number }, { digest: string; breaks: boolean }, never> = {
    kind: "windowed",
    decide(_, { digest, breaks }, ctx) {
      const key: Key<string> = createKey(1, 48, digest);
      const replies = [{ to: 1, reply: ctx.get(key) ?? "new" }];
      const effects = breaks ? [tell(createAddress(createKey(1, 99, "nobody")), {})] : [];
      return { head: { n: 1 }, rows: [put(key, digest)], replies, effects };
    },
    dueAt: () => undefined,
  };
  const actorByCode = new Map<number, AnyActor>([[16, actor]]);
  const batch = stage({ ...toys, actorByCode }).open();
  const digest = "sixteen bytes ok";
  t.throws(() => batch.step({ to: a, message: { digest, breaks: true } }, 0), {
    name: "BrokenInvariant",
  });
  batch.step({ to: a, message: { digest, breaks: false } }, 0);
  batch.step({ to: a, message: { digest, breaks: false } }, 0);
  t.strictSame(batch.replies, [
    { to: 1, reply: "new" },
    { to: 1, reply: digest },
  ]);
  t.notOk(
    [...batch.writes.keys()].some((key) => getCode(key) === 48),
    "an entry has no row of its own",
  );
  const before = batch.writes.size;
  batch.listWindowEntries(0);
  t.equal(batch.writes.size, before + 1, "one row lists the entries of the batch");
});

t.test("a head is at most 4 KiB", async (t) => {
  const batch = stage().open();
  const room = limits.engine.headBytesMax - '{"count":0,"padding":""}'.length;
  ask(batch, a, { kind: "pad", length: room });
  t.equal(write(batch)[a]?.length, 4_096);
  t.throws(() => ask(batch, b, { kind: "pad", length: room + 1 }), { name: "BrokenInvariant" });
  t.notOk(batch.writes.has(b));
});

t.test("a step writes at most 900 KiB", async (t) => {
  const batch = stage().open();
  const text = "x".repeat(limits.engine.recordBytesMax - 200);
  ask(batch, a, { kind: "note", name: "n", text });
  t.ok(batch.bytes >= text.length);
  const tooMuch = "x".repeat(limits.engine.recordBytesMax);
  t.throws(() => ask(batch, b, { kind: "note", name: "n", text: tooMuch }), {
    name: "BrokenInvariant",
  });
  t.notOk(batch.writes.has(noteKey(b, "n")));
});

t.test("an actor that ends is deleted, and may begin again", async (t) => {
  const { open, commit } = stage();
  const batch = open();
  ask(batch, a, { kind: "add", by: 3 });
  ask(batch, a, { kind: "end" });
  t.strictSame(write(batch), { [a]: undefined });
  commit(batch);
  const next = open(2);
  ask(next, a, { kind: "add", by: 1 });
  t.strictSame(write(next), { [a]: '{"count":1}' });
});

t.test("a birth looks for no head", async (t) => {
  const actor: Actor<{ n: number }, { to?: Address<object> }, never> = {
    kind: "parent",
    decide(head, { to }) {
      const effects = to === undefined ? [] : [birth(to, {})];
      return { head: { n: (head?.n ?? 0) + 1 }, rows: [], replies: [], effects };
    },
    dueAt: () => undefined,
  };
  const actorByCode = new Map<number, AnyActor>([[16, actor]]);
  const batch = stage({ actorByCode, windows: [], sweeps: [] }).open();
  batch.step({ to: a, message: { to: b } }, 0);
  t.strictSame(write(batch), { [a]: '{"n":1}', [b]: '{"n":1}' });
});

t.test("a tell to another shard gets an outbox row, an effect gets none", async (t) => {
  const batch = stage().open(5);
  ask(batch, a, { kind: "spread", to: [far, b, far], message: { kind: "add", by: 1 } });
  ask(batch, c, { kind: "call", names: ["x"] });
  const keys = [...batch.writes.keys()].filter((key) => getCode(key) === engineTables.outbox);
  t.equal(keys.length, 2);
  t.strictSame([...keys].sort(), keys, "rows are in the order of the tells");
  t.strictSame(
    batch.deliveries.map(({ key, from, effect }) => [key, from, effect.kind]),
    [
      [keys[0], a, "tell"],
      [keys[1], a, "tell"],
      [undefined, c, "call"],
    ],
  );
  t.equal(write(batch)[b], '{"count":1}', "a tell within the shard is part of the turn");
  const later = stage().open(6);
  ask(later, a, { kind: "spread", to: [far], message: { kind: "add", by: 1 } });
  const [next = ""] = [...later.writes.keys()].filter(
    (key) => getCode(key) === engineTables.outbox,
  );
  t.ok(next > (keys[1] ?? ""), "and later batches come after earlier ones");
});

t.test("a tell that arrives twice takes effect once and is acknowledged each time", async (t) => {
  const { open, commit } = stage();
  const origin = (place: number) => ({
    shard: 1,
    key: createKey(200, 1, `\0\0\0\0\0${String.fromCharCode(place)}\0\0`),
  });
  const message = { kind: "add", by: 1 };
  const batch = open();
  batch.step({ to: a, message, origin: origin(1) }, 0);
  batch.step({ to: a, message, origin: origin(1) }, 0);
  batch.step({ to: a, message, origin: origin(2) }, 0);
  t.equal(write(batch)[a], '{"count":2}');
  t.strictSame(batch.acknowledged, [origin(1), origin(1), origin(2)]);
  commit(batch);
  const next = open(2);
  next.step({ to: a, message, origin: origin(1) }, 0);
  next.step({ to: a, message, origin: { ...origin(1), shard: 0 } }, 0);
  t.equal(write(next)[a], '{"count":3}', "each shard's tells are counted for themselves");
  const quiet = open(3);
  quiet.step({ to: a, message, origin: origin(2) }, 0);
  t.equal(quiet.writes.size, 0);
  t.notOk(quiet.isEmpty, "an acknowledgement alone has to be released");
});

t.test("the word that a tell has arrived takes its outbox row away", async (t) => {
  const { open, commit } = stage();
  const batch = open();
  ask(batch, a, { kind: "spread", to: [far], message: { kind: "add", by: 1 } });
  const key = batch.deliveries[0]?.key ?? "";
  commit(batch);
  const next = open(2);
  next.step({ to: key, done: key }, 0);
  t.strictSame(write(next), { [key]: undefined });
});

t.test("a message for a table without actors breaks its turn", async (t) => {
  const batch = stage().open();
  t.throws(() => batch.step({ to: createKey(1, 99, "x"), message: {} }, 0), {
    name: "BrokenInvariant",
  });
  t.ok(batch.isEmpty);
});

t.test(
  "an effect that ends in its step counts once, however often the step is tried",
  async (t) => {
    let ended = 0;
    const domain: Domain = {
      ...toys,
      conclude: () => ({ kind: "answered", by: 1 }),
      onConcluded: () => ended++,
    };
    const { open } = stage(domain);
    const first = open();
    const padding = "x".repeat(limits.engine.recordBytesMax - 300);
    ask(first, a, { kind: "note", name: "n", text: padding });
    const call = { kind: "call", names: ["x", "y"] } as const;
    t.notOk(
      first.step({ to: counterKey(1, "z".repeat(100)), message: call }, 0),
      "it does not fit",
    );
    t.equal(ended, 0);
    t.ok(open(2).step({ to: b, message: call }, 0));
    t.equal(ended, 2);
  },
);
