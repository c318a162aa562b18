import t from "tap";
import { tell } from "../../engine/actor.ts";
import { ManualClock } from "../../engine/adapters/manual-clock.ts";
import { createAddress } from "../../engine/address.ts";
import { createKey, engineTables, type Key } from "../../engine/key.ts";
import { Outbox, type OutboxMessage, type Performance } from "../../engine/outbox.ts";
import { PortError } from "../../engine/ports/port-error.ts";
import type { Delivery } from "../../engine/shard/batch.ts";
import { counterKey, idle } from "./toys.ts";

const a = counterKey(1, "a");
const b = counterKey(1, "b");
const far = counterKey(200, "far");

interface Sent {
  readonly shard: number;
  readonly message: OutboxMessage;
}

interface Open {
  readonly name: string;
  readonly end: (performance: Performance) => void;
  readonly fail: (error: Error) => void;
}

function stage() {
  const clock = new ManualClock(0);
  const sent: Sent[] = [];
  const open: Open[] = [];
  const faults: unknown[] = [];
  const outbox = new Outbox(2, {
    send: (shard, message) => sent.push({ shard, message }),
    perform: ({ effect }) =>
      new Promise((resolve, reject) => {
        const name = "name" in effect ? String(effect.name) : "";
        open.push({ name, end: resolve, fail: reject });
      }),
    onFault: (_, error) => faults.push(error),
    after: (delayMs, run) => void clock.after(delayMs, run),
  });
  return { clock, sent, open, faults, outbox };
}

function call(from: Key, name: string): Delivery {
  return { from, effect: Object.assign({ kind: "call" }, { name }) };
}

function makeTold(place: number, to: Key, message: unknown): Delivery {
  const key = createKey(1, engineTables.outbox, String.fromCharCode(0, 0, 0, 0, 0, place, 0, 0));
  return { key, from: a, effect: tell(createAddress(to), message) };
}

t.test("effects of one actor go out in order, one at a time", async (t) => {
  const { open, outbox } = stage();
  outbox.deliver(0, [call(a, "submit"), call(a, "cancel"), call(b, "other")]);
  t.strictSame(names(open), ["submit", "other"], "other actors do not wait");
  open[0]?.end({ kind: "concluded" });
  await idle();
  t.strictSame(names(open), ["submit", "other", "cancel"]);
});

t.test("an effect that is kept lets the next one of its actor follow", async (t) => {
  const { open, sent, outbox } = stage();
  outbox.deliver(0, [call(a, "run"), call(a, "cancel")]);
  open[0]?.end({ kind: "kept" });
  await idle();
  t.strictSame(names(open), ["run", "cancel"]);
  t.strictSame(sent, []);
});

t.test("what an effect comes to is a message to its actor", async (t) => {
  const { open, sent, outbox } = stage();
  outbox.deliver(0, [call(a, "one"), call(b, "two")]);
  open[0]?.end({ kind: "concluded", message: { kind: "add", by: 1 } });
  open[1]?.end({ kind: "concluded" });
  await idle();
  t.strictSame(sent, [{ shard: 0, message: { to: a, message: { kind: "add", by: 1 } } }]);
  outbox.send(far, "later");
  t.strictSame(sent[1], { shard: 1, message: { to: far, message: "later" } });
});

t.test("a retryable fault is tried again, and nothing of the actor overtakes it", async (t) => {
  const { clock, open, faults, outbox } = stage();
  outbox.deliver(0, [call(a, "submit"), call(a, "cancel")]);
  open[0]?.fail(new PortError("the peer is away", true));
  await idle();
  t.equal(faults.length, 1);
  t.strictSame(names(open), ["submit"]);
  clock.advance(999);
  t.strictSame(names(open), ["submit"]);
  clock.advance(60_000);
  await idle();
  t.strictSame(names(open), ["submit", "submit"]);
  open[1]?.end({ kind: "concluded" });
  await idle();
  t.strictSame(names(open), ["submit", "submit", "cancel"]);
});

t.test("a fault for good is told to the operator and not tried again", async (t) => {
  const { clock, open, faults, outbox } = stage();
  outbox.deliver(0, [call(a, "one"), call(a, "two")]);
  const faulty = new PortError("no such route", false);
  open[0]?.fail(faulty);
  await idle();
  clock.advance(600_000);
  await idle();
  t.strictSame(faults, [faulty]);
  t.strictSame(names(open), ["one", "two"]);
  open[1]?.fail(new TypeError("a bug"));
  await idle();
  clock.advance(600_000);
  t.equal(faults.length, 2);
  outbox.deliver(0, [call(a, "three")]);
  t.strictSame(names(open), ["one", "two", "three"], "the actor's effects go on");
});

t.test("a tell goes to the other shard and stays until that shard has it", async (t) => {
  const { sent, open, outbox } = stage();
  outbox.onOpen(1);
  const first = makeTold(1, far, "first");
  outbox.deliver(0, [first]);
  const origin = { shard: 0, key: first.key ?? "" };
  t.strictSame(sent, [{ shard: 1, message: { to: far, message: "first", origin } }]);
  t.strictSame(open, []);
  outbox.acknowledge([origin]);
  t.strictSame(
    sent[1],
    { shard: 0, message: { to: origin.key, done: origin.key } },
    "then its row goes",
  );
  outbox.onOpen(1);
  t.equal(sent.length, 2, "and it is not told again");
});

t.test("tells wait for a shard that is down, and are then told in order", async (t) => {
  const { sent, outbox } = stage();
  outbox.onOpen(1);
  outbox.deliver(0, [makeTold(1, far, "lost on the way")]);
  outbox.onClose(1);
  outbox.deliver(0, [makeTold(2, far, "second")]);
  outbox.deliver(0, [makeTold(3, far, "third")]);
  t.equal(sent.length, 1, "nothing goes to a shard that is down");
  outbox.onOpen(1);
  const again = sent.slice(1).map(({ message }) => message.message);
  t.strictSame(again, ["lost on the way", "second", "third"]);
});

t.test("tells that a shard hands over again keep their order", async (t) => {
  const { sent, outbox } = stage();
  outbox.deliver(0, [makeTold(1, far, "first"), makeTold(2, far, "second")]);
  outbox.deliver(0, [makeTold(1, far, "first"), makeTold(2, far, "second")]);
  outbox.onOpen(1);
  t.strictSame(
    sent.map(({ message }) => message.message),
    ["first", "second"],
  );
});

t.test("an acknowledgement of a tell that is not waiting says nothing", async (t) => {
  const { sent, outbox } = stage();
  outbox.acknowledge([{ shard: 0, key: makeTold(9, far, "").key ?? "" }]);
  t.strictSame(sent, []);
});

function names(open: readonly Open[]): string[] {
  return open.map(({ name }) => name);
}
