/** Tells between shards of different nodes: at least once, in their order, until acknowledged. */
import t from "tap";
import { tell } from "../../engine/actor.ts";
import { ManualClock } from "../../engine/adapters/manual-clock.ts";
import { MemoryShardLines } from "../../engine/adapters/memory/memory-shard-lines.ts";
import { createAddress } from "../../engine/address.ts";
import { RemoteTells } from "../../engine/cluster/remote-tells.ts";
import { createKey, engineTables, type Key } from "../../engine/key.ts";
import { Outbox, type OutboxMessage } from "../../engine/outbox.ts";
import type { Delivery } from "../../engine/shard/batch.ts";
import { counterKey, idle } from "./toys.ts";

const near = counterKey(1, "near");
const far = counterKey(200, "far");

function node(lines: MemoryShardLines, clock: ManualClock, shardCount = 2) {
  const sent: OutboxMessage[] = [];
  const tells = new RemoteTells(lines.open());
  const outbox = new Outbox(shardCount, {
    send: (_, message) => sent.push(message),
    sendElsewhere: tells.send,
    perform: async () => ({ kind: "concluded" }),
    onFault: (_, error) => t.fail(String(error)),
    after: (delayMs, run) => void clock.after(delayMs, run),
  });
  const open = (shard: number) => {
    outbox.onOpen(shard);
    tells.receive(shard, outbox);
  };
  const close = (shard: number) => {
    outbox.onClose(shard);
    tells.withdraw(shard);
  };
  return { outbox, sent, open, close };
}

function stage() {
  const clock = new ManualClock(0);
  const lines = new MemoryShardLines();
  return { clock, first: node(lines, clock), second: node(lines, clock) };
}

function makeTold(place: number, message: string): Delivery & { readonly key: Key } {
  const key = createKey(1, engineTables.outbox, String.fromCharCode(0, 0, 0, 0, 0, place, 0, 0));
  return { key, from: near, effect: tell(createAddress(far), message) };
}

t.test("a tell reaches a shard of another node, and its row goes when it is durable", async (t) => {
  const { first, second } = stage();
  first.open(0);
  second.open(1);
  const delivery = makeTold(1, "one");
  const origin = { shard: 0, key: delivery.key };
  first.outbox.deliver(0, [delivery]);
  await idle();
  t.strictSame(second.sent, [{ to: far, message: "one", origin }]);
  t.strictSame(first.sent, [], "nothing is done before it is durable there");
  second.outbox.acknowledge([origin]);
  await idle();
  t.strictSame(first.sent, [{ to: delivery.key, done: delivery.key }]);
});

t.test("tells wait for a shard that no node owns, and arrive in their order", async (t) => {
  const { clock, first, second } = stage();
  first.open(0);
  first.outbox.deliver(0, [makeTold(1, "one"), makeTold(2, "two")]);
  await idle();
  first.outbox.deliver(0, [makeTold(3, "three")]);
  second.open(1);
  clock.advance(1_000);
  await idle();
  t.strictSame(messages(second.sent).slice(0, 1), ["one"], "fewer at once after a failure");
  for (const place of [1, 2, 3]) {
    second.outbox.acknowledge([{ shard: 0, key: makeTold(place, "").key }]);
    await idle();
    await idle();
  }
  t.strictSame(messages(second.sent), ["one", "two", "three"]);
});

t.test("what the owner lost is sent again, whole and in order", async (t) => {
  const { clock, first, second } = stage();
  first.open(0);
  second.open(1);
  first.outbox.deliver(0, [makeTold(1, "one")]);
  await idle();
  second.close(1);
  await idle();
  second.open(1);
  clock.advance(1_000);
  await idle();
  t.strictSame(messages(second.sent), ["one", "one"]);
});

t.test("a shard that opens here gets its tells here", async (t) => {
  const { first } = stage();
  first.open(0);
  first.outbox.deliver(0, [makeTold(1, "one")]);
  await idle();
  first.open(1);
  t.strictSame(messages(first.sent), ["one"]);
});

t.test("a shard that left hands its tells over where it is opened", async (t) => {
  const { clock, first, second } = stage();
  first.open(0);
  first.outbox.deliver(0, [makeTold(1, "one")]);
  first.close(0);
  second.open(1);
  clock.advance(2_000);
  await idle();
  t.strictSame(second.sent, [], "the node that lost it sends nothing of it any more");
});

function messages(sent: readonly OutboxMessage[]): unknown[] {
  return sent.flatMap(({ message }) => (message === undefined ? [] : [message]));
}

t.test("a tell to a shard that has its actor no more is not taken", async (t) => {
  const clock = new ManualClock(0);
  const lines = new MemoryShardLines();
  const [first, second] = [node(lines, clock), node(lines, clock, 4)];
  first.open(0);
  second.open(1);
  first.outbox.deliver(0, [makeTold(1, "one")]);
  await idle();
  t.strictSame(second.sent, [], "shard 1 of four has not what shard 1 of two had");
});
