import t from "tap";
import { type Books, checkFound, checkHistory, type Found } from "./checker.ts";
import type { Act, Operation, Result } from "./history.ts";

const never = Number.POSITIVE_INFINITY;

function operation(act: Act, [invoked, returned]: [number, number], result: Result): Operation {
  return { account: "ada", act, invoked, returned, result };
}

function create(key: string, at: [number, number], result: Result): Operation {
  return operation({ kind: "create", what: "job", key }, at, result);
}

function read(id: string, at: [number, number], status: string, name?: number): Operation {
  const seen = name === undefined ? { status } : { status, name };
  return operation({ kind: "read", id }, at, { outcome: "ok", seen });
}

function rename(to: number, at: [number, number], outcome: "ok" | "fail" | "unknown"): Operation {
  return operation({ kind: "rename", id: "a", to }, at, { outcome });
}

const make = (id: string): Result => ({ outcome: "ok", id });
const unknown: Result = { outcome: "unknown" };

const empty: Books = { opening: 10, balance: 10, held: 0, jobs: [], ledger: [] };

function makeFound(ids: readonly (readonly [string, string])[], books = empty): Found {
  const things = ids.map(([id, key]) => ({ what: "job" as const, id, key, status: "queued" }));
  return { account: "ada", things, books };
}

t.test("a history in which every answer holds has no violation", async (t) => {
  const history = [
    create("k1", [1, 2], make("j1")),
    create("k2", [3, never], unknown),
    create("k1", [4, 5], make("j1")),
    read("j1", [6, 7], "running"),
    read("j1", [8, 9], "succeeded"),
  ];
  t.strictSame(checkHistory(history), []);
  t.strictSame(checkFound(history, [makeFound([["j1", "k1"]])]), []);
  const both = makeFound([
    ["j1", "k1"],
    ["j2", "k2"],
  ]);
  t.strictSame(checkFound(history, [both]), [], "what is unknown may be there");
});

t.test("what was acknowledged and is gone is lost", async (t) => {
  const history = [create("k1", [1, 2], make("j1"))];
  t.match(checkFound(history, [makeFound([])]), [{ kind: "lost" }]);
  const gone = operation({ kind: "read", id: "j1" }, [3, 4], { outcome: "ok", seen: undefined });
  t.match(checkHistory([...history, gone]), [{ kind: "lost" }]);
});

t.test("two things for one key are doubled, by answer or by listing", async (t) => {
  const answers = [create("k1", [1, 2], make("j1")), create("k1", [3, 4], make("j2"))];
  t.match(checkHistory(answers), [{ kind: "doubled" }]);
  const shared = [create("k1", [1, 2], make("j1")), create("k2", [3, 4], make("j1"))];
  t.match(checkHistory(shared), [{ kind: "doubled" }]);
  const listed = makeFound([
    ["j1", "k1"],
    ["j2", "k1"],
  ]);
  const violations = checkFound([create("k1", [1, 2], make("j1"))], [listed]);
  t.ok(violations.length > 0);
  t.ok(violations.every(({ kind }) => kind === "doubled"));
});

t.test("what was refused, or never asked for, is invented", async (t) => {
  const history = [create("k1", [1, 2], { outcome: "fail" })];
  t.match(checkFound(history, [makeFound([["j1", "k1"]])])[0], { kind: "invented" });
  t.match(checkFound([], [makeFound([["j1", "k9"]])])[0], { kind: "invented" });
});

t.test("a status that goes back, or an end that changes, is a backward read", async (t) => {
  const back = [read("j1", [1, 2], "running"), read("j1", [3, 4], "queued")];
  t.match(checkHistory(back), [{ kind: "backward" }]);
  const other = [read("j1", [1, 2], "succeeded"), read("j1", [3, 4], "failed")];
  t.match(checkHistory(other), [{ kind: "backward" }]);
  const together = [read("j1", [1, 4], "running"), read("j1", [2, 3], "queued")];
  t.strictSame(checkHistory(together), [], "reads at one time have no order");
});

t.test("a cancel that was acknowledged is seen by every later read", async (t) => {
  const cancel = operation({ kind: "cancel", id: "j1" }, [1, 2], { outcome: "ok" });
  t.match(checkHistory([cancel, read("j1", [3, 4], "running")]), [{ kind: "backward" }]);
  t.strictSame(checkHistory([cancel, read("j1", [3, 4], "canceled")]), []);
  t.match(checkFound([cancel], [makeFound([["j1", "k1"]])])[0], { kind: "backward" });
});

t.test("a read that misses an acknowledged write is a backward read", async (t) => {
  const history = [rename(1, [1, 2], "ok"), rename(2, [3, 4], "ok")];
  t.match(checkHistory([...history, read("a", [5, 6], "ready", 1)]), [{ kind: "backward" }]);
  t.match(checkHistory([...history, read("a", [5, 6], "ready", 0)]), [{ kind: "backward" }]);
  t.strictSame(checkHistory([...history, read("a", [5, 6], "ready", 2)]), []);
});

t.test("a write of unknown outcome may come at any time, and stays when it was seen", async (t) => {
  const history = [rename(1, [1, never], "unknown"), rename(2, [2, 3], "ok")];
  t.strictSame(checkHistory([...history, read("a", [4, 5], "ready", 1)]), []);
  const seen = [rename(1, [1, 2], "ok"), rename(2, [3, never], "unknown")];
  const reads = [read("a", [4, 5], "ready", 2), read("a", [6, 7], "ready", 1)];
  t.match(checkHistory([...seen, ...reads]), [{ kind: "backward" }]);
});

t.test("a name that was never given is invented", async (t) => {
  t.match(checkHistory([read("a", [1, 2], "ready", 7)]), [{ kind: "invented" }]);
});

t.test("books in which a job is held twice, or credits are missing, are wrong", async (t) => {
  const job = { id: "j1", charged: 3, held: 3 };
  const hold = { job: "j1", type: "hold", amount: -3 };
  const right = { ...empty, balance: 7, jobs: [job], ledger: [hold] };
  t.strictSame(checkFound([], [makeFound([], right)]), []);
  const twice = { ...right, balance: 4, ledger: [hold, hold] };
  t.match(checkFound([], [makeFound([], twice)])[0], { kind: "books" });
  t.match(checkFound([], [makeFound([], { ...right, balance: 6 })])[0], { kind: "books" });
  const open = { ...right, jobs: [{ ...job, charged: null }] };
  t.match(checkFound([], [makeFound([], open)])[0], { kind: "books" });
  t.strictSame(checkFound([], [makeFound([], { ...open, held: 3 })]), []);
});
