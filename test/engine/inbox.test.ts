import t from "tap";
import { limits } from "../../config/limits.ts";
import { Inbox } from "../../engine/shard/inbox.ts";

t.test("an inbox is first in, first out", async (t) => {
  const inbox = new Inbox();
  for (let at = 0; at < 5_000; at++) inbox.offer({ to: String(at) }, "work");
  const taken: string[] = [];
  for (let at = 0; at < 3_000; at++) taken.push(inbox.take()?.to ?? "");
  for (let at = 5_000; at < 6_000; at++) inbox.offer({ to: String(at) }, "work");
  for (let envelope = inbox.take(); envelope; envelope = inbox.take()) taken.push(envelope.to);
  t.strictSame(
    taken,
    Array.from({ length: 6_000 }, (_, at) => String(at)),
  );
  t.ok(inbox.isEmpty);
});

t.test("what settles goes before new work", async (t) => {
  const inbox = new Inbox();
  inbox.offer({ to: "work 1" }, "work");
  inbox.offer({ to: "result" }, "settle");
  inbox.offer({ to: "work 2" }, "work");
  inbox.offer({ to: "cancel" }, "settle");
  t.strictSame(
    [1, 2, 3, 4, 5].map(() => inbox.take()?.to),
    ["result", "cancel", "work 1", "work 2", undefined],
  );
});

t.test("a full inbox refuses new work and never what settles", async (t) => {
  const inbox = new Inbox();
  for (let at = 0; at < limits.engine.inboxMax; at++)
    if (!inbox.offer({ to: "a" }, "work")) t.fail("refused before it was full");
  t.notOk(inbox.offer({ to: "a" }, "work"));
  for (let at = 0; at < 10_000; at++)
    if (!inbox.offer({ to: "b" }, "settle")) t.fail("a settlement was refused");
  t.notOk(inbox.offer({ to: "a" }, "work"));
  for (let at = 0; at < 10_001; at++) inbox.take();
  t.ok(inbox.offer({ to: "a" }, "work"), "one place is free again");
  t.notOk(inbox.offer({ to: "a" }, "work"));
});

t.test("waiting ends with the next envelope, or when it rings", async (t) => {
  const inbox = new Inbox();
  const first = inbox.awaitWaiting(false);
  inbox.offer({ to: "a" }, "work");
  await first;
  await inbox.awaitWaiting(false);
  inbox.take();
  const second = inbox.awaitWaiting(false);
  inbox.ring();
  await second;
  t.ok(inbox.isEmpty);
});

t.test("whoever can take nothing waits for a ring, whatever lies in the inbox", async (t) => {
  const inbox = new Inbox();
  inbox.offer({ to: "a" }, "work");
  let rung = false;
  const blocked = inbox.awaitWaiting(true).then(() => {
    rung = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  t.notOk(rung);
  inbox.ring();
  await blocked;
  t.ok(rung);
});
