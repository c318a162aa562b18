import t from "tap";
import { FarmQueue } from "../../effects/farm-queue.ts";

const kinds = ["still", "film"];

function stage() {
  const queue = new FarmQueue();
  /** Adds work whose owner is the account that pays for it, unless another is given. */
  const add = (scope: string, job: string, kind = "still", owner = scope) =>
    queue.add({ job, owner, scope, task: { kind, input: {}, outputPrefix: job } });
  const take = (of = kinds, most = Number.POSITIVE_INFINITY) => queue.take(of, () => most);
  /** Takes all tasks in order, as one node does that makes one task at a time. */
  const drain = (of = kinds) => {
    const jobs: string[] = [];
    for (let next = take(of); next !== undefined; next = take(of)) {
      jobs.push(next.job);
      queue.onEnd(next);
    }
    return jobs;
  };
  return { queue, add, take, drain };
}

t.test("one account's tasks are taken in their order", async (t) => {
  const { queue, add, drain } = stage();
  for (const job of ["1", "2", "3"]) add("ada", job);
  t.ok(queue.has("2"));
  t.strictSame(drain(), ["1", "2", "3"]);
  t.notOk(queue.has("2"));
});

t.test("accounts take turns, whoever came first with however many", async (t) => {
  const { add, drain } = stage();
  for (let n = 1; n <= 24; n++) add("ada", `ada ${n}`);
  for (const job of ["bob 1", "bob 2"]) add("bob", job);
  add("eve", "eve 1");
  t.strictSame(drain().slice(0, 6), ["ada 1", "bob 1", "eve 1", "ada 2", "bob 2", "ada 3"]);
});

t.test("who has tasks with nodes waits behind who has none", async (t) => {
  const { queue, add, take } = stage();
  for (let n = 1; n <= 24; n++) add("ada", `ada ${n}`);
  const slow = [take()?.job, take()?.job];
  t.strictSame(slow, ["ada 1", "ada 2"], "alone, an account has every node");
  for (const n of [1, 2, 3]) add("bob", `bob ${n}`);
  queue.onEnd({ owner: "ada", scope: "ada" });
  const taken: unknown[] = [];
  for (let n = 0; n < 3; n++) {
    taken.push(take()?.job);
    queue.onEnd({ owner: "bob", scope: "bob" });
  }
  t.strictSame(taken, ["bob 1", "bob 2", "bob 3"], "short tasks go past those that take long");
  t.equal(take()?.job, "ada 3");
});

t.test("an account with two kinds of tasks has no more turns than one with one kind", async (t) => {
  const { add, drain } = stage();
  for (const n of [1, 2, 3]) {
    add("ada", `still ${n}`, "still");
    add("ada", `film ${n}`, "film");
    add("bob", `bob ${n}`, "film");
  }
  t.strictSame(drain().slice(0, 6), ["still 1", "bob 1", "film 1", "bob 2", "still 2", "bob 3"]);
});

t.test("a node takes only its kinds", async (t) => {
  const { add, take, drain } = stage();
  add("ada", "film 1", "film");
  add("ada", "still 1", "still");
  t.strictSame(drain(["still"]), ["still 1"]);
  t.equal(take(["still", "sound"]), undefined);
  t.strictSame(drain(), ["film 1"]);
});

t.test("what is put back goes before the others of its account", async (t) => {
  const { queue, add, take, drain } = stage();
  for (const n of [1, 2, 3]) add("ada", `ada ${n}`);
  add("bob", "bob 1");
  const first = take();
  queue.onEnd({ owner: "ada", scope: "ada" });
  if (first !== undefined) queue.putBack(first);
  t.strictSame(drain(), ["bob 1", "ada 1", "ada 2", "ada 3"]);
  if (first !== undefined) queue.putBack(first);
  t.strictSame(drain(), ["ada 1"], "also when nothing else waits");
});

t.test("a canceled task is not taken, and its place is not kept", async (t) => {
  const { queue, add, drain } = stage();
  for (let n = 0; n < 1_000; n++) add("ada", `${n}`);
  for (let n = 0; n < 1_000; n++) if (n % 100 !== 7) queue.remove(`${n}`);
  queue.remove("unknown");
  t.notOk(queue.has("8"));
  add("ada", "8");
  t.strictSame(drain(), ["7", "107", "207", "307", "407", "507", "607", "707", "807", "907", "8"]);
});

t.test("A1: owners take turns whatever contexts they have, then an owner's contexts", async (t) => {
  const { add, drain } = stage();
  for (let n = 1; n <= 24; n++) add(`organization ${n}`, `eve ${n}`, "still", "eve");
  add("ada", "ada 1");
  add("organization 1", "eve 25", "still", "eve");
  add("ada", "ada 2");
  const order = drain();
  t.strictSame(order.slice(0, 5), ["eve 1", "ada 1", "eve 2", "ada 2", "eve 3"]);
  t.equal(order.at(-1), "eve 25", "whose organization had its turn already");
});

t.test("A1: an owner at its share is passed over, with all of its contexts", async (t) => {
  const { queue, add, take } = stage();
  for (const n of [1, 2, 3]) add(`organization ${n}`, `eve ${n}`, "still", "eve");
  const first = take(kinds, 1);
  t.equal(first?.job, "eve 1");
  t.equal(take(kinds, 1), undefined, "though two tasks wait");
  add("ada", "ada 1");
  t.equal(take(kinds, 1)?.job, "ada 1");
  if (first !== undefined) queue.onEnd(first);
  t.equal(take(kinds, 1)?.job, "eve 2");
});
