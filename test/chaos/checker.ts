/**
 * Judges a history, and what was found of it in the end:
 * 1. what was acknowledged is there, under the id that was acknowledged;
 * 2. one thing for each key, and none that was never asked for;
 * 3. a read shows every write that was acknowledged before it began, and nothing older than what an
 *    earlier read had shown;
 * 4. each account's credits add up, and each job is held and settled once.
 */
import type { Act, Operation, What } from "./history.ts";

export type ViolationKind = "lost" | "doubled" | "backward" | "invented" | "books";

export interface Violation {
  readonly kind: ViolationKind;
  readonly text: string;
}

export interface Found {
  readonly account: string;
  readonly things: readonly FoundThing[];
  readonly books: Books;
}

export interface FoundThing {
  readonly what: What;
  readonly id: string;
  readonly status: string;
  /** Idempotency key, for kinds whose representation shows it. */
  readonly key?: string | undefined;
}

export interface Books {
  /** Credits that the account was given at first. */
  readonly opening: number;
  readonly balance: number;
  readonly held: number;
  /** Jobs of the account; `charged` is null until the job is settled. */
  readonly jobs: readonly {
    readonly id: string;
    readonly charged: number | null;
    readonly held: number;
  }[];
  /** Entries after the opening one. `amount` is the signed change of spendable credits. */
  readonly ledger: readonly {
    readonly job: string;
    readonly type: string;
    readonly amount: number;
  }[];
}

type Of<Kind extends Act["kind"]> = Operation & { readonly act: Extract<Act, { kind: Kind }> };

function only<Kind extends Act["kind"]>(operations: readonly Operation[], kind: Kind): Of<Kind>[] {
  return operations.filter((operation): operation is Of<Kind> => operation.act.kind === kind);
}

/** Checks the history alone, which is possible at any time. */
export function checkHistory(operations: readonly Operation[]): Violation[] {
  const reads = groupBy(only(operations, "read"), ({ act }) => act.id);
  const cancels = groupBy(only(operations, "cancel"), ({ act }) => act.id);
  const renames = groupBy(only(operations, "rename"), ({ act }) => act.id);
  return [
    ...checkIds(only(operations, "create")),
    ...[...reads].flatMap(([id, ofId]) => [
      ...checkStatuses(id, ofId, cancels.get(id) ?? []),
      ...checkNames(id, ofId, renames.get(id) ?? []),
    ]),
  ];
}

/** Checks that each key belongs to one id and each id to one key. */
function checkIds(creates: readonly Of<"create">[]): Violation[] {
  const idsByKey = new Map<string, string>();
  const keysById = new Map<string, string>();
  return creates.flatMap(({ act, result }) => {
    if (result.outcome !== "ok" || result.id === undefined) return [];
    const key = `${act.what} ${act.key}`;
    const id = idsByKey.get(key) ?? result.id;
    const owner = keysById.get(result.id) ?? key;
    idsByKey.set(key, id);
    keysById.set(result.id, owner);
    if (id !== result.id) return [violation("doubled", `${key} is both ${id} and ${result.id}`)];
    if (owner !== key) return [violation("doubled", `${id} answers both ${owner} and ${key}`)];
    return [];
  });
}

const ended: readonly string[] = ["succeeded", "failed", "canceled", "ready", "partial"];
const rank = (status: string): number => {
  if (ended.includes(status)) return 2;
  return status === "queued" ? 0 : 1;
};

/** A value that is known from the answer at this place of the history. */
interface Known<Value> {
  readonly returned: number;
  readonly value: Value;
}

/** Checks that statuses only advance and that a final status never changes. */
function checkStatuses(
  id: string,
  reads: readonly Of<"read">[],
  cancels: readonly Of<"cancel">[],
): Violation[] {
  const known: Known<string>[] = [];
  for (const { result, returned } of cancels)
    if (result.outcome === "ok") known.push({ returned, value: "canceled" });
  for (const { result, returned } of reads)
    if (result.outcome === "ok" && result.seen !== undefined)
      known.push({ returned, value: result.seen.status });
  const newest = newestBefore(known, (a, b) => rank(b) > rank(a));
  return reads.flatMap(({ result, invoked }) => {
    if (result.outcome !== "ok") return [];
    if (result.seen === undefined) return [violation("lost", `${id} was not there for a read`)];
    const before = newest(invoked);
    if (before === undefined) return [];
    const { status } = result.seen;
    const isBehind = rank(status) < rank(before);
    const isOther = rank(before) === 2 && status !== before;
    return isBehind || isOther
      ? [violation("backward", `${id} was ${before}, then ${status}`)]
      : [];
  });
}

/** Checks that no read returns a name older than one that had taken effect before. */
function checkNames(
  id: string,
  reads: readonly Of<"read">[],
  renames: readonly Of<"rename">[],
): Violation[] {
  const byName = new Map(renames.map((rename) => [rename.act.to, rename]));
  const known: Known<number>[] = [];
  const add = (name: number | undefined, returned: number): void => {
    const rename = name === undefined ? undefined : byName.get(name);
    if (rename !== undefined) known.push({ returned, value: rename.invoked });
  };
  for (const { act, result, returned } of renames)
    if (result.outcome === "ok") add(act.to, returned);
  for (const { result, returned } of reads)
    if (result.outcome === "ok") add(result.seen?.name, returned);
  const newest = newestBefore(known, (a, b) => b > a);
  return reads.flatMap(({ result, invoked, returned }) => {
    const name = result.outcome === "ok" ? result.seen?.name : undefined;
    if (name === undefined) return [];
    const rename = byName.get(name) ?? (name === 0 ? { invoked: 0, returned: 0 } : undefined);
    if (rename === undefined || rename.invoked > returned)
      return [violation("invented", `${id} has the name ${name}, which it was never given`)];
    const before = newest(invoked);
    if (before === undefined || rename.returned >= before) return [];
    return [violation("backward", `${id} has the name ${name}, and was given another since`)];
  });
}

/** Returns the newest value that was known before a place of the history. */
function newestBefore<Value>(
  known: readonly Known<Value>[],
  isNewer: (a: Value, b: Value) => boolean,
): (place: number) => Value | undefined {
  const steps: Known<Value>[] = [];
  for (const { returned, value } of known.toSorted((a, b) => a.returned - b.returned)) {
    const last = steps.at(-1);
    if (last === undefined || isNewer(last.value, value)) steps.push({ returned, value });
  }
  return (place) => steps.findLast(({ returned }) => returned < place)?.value;
}

/** Checks what was found in the store while the load was held. */
export function checkFound(operations: readonly Operation[], found: readonly Found[]): Violation[] {
  return found.flatMap((account) => {
    const own = operations.filter((operation) => operation.account === account.account);
    return [...checkThings(own, account), ...checkBooks(account)];
  });
}

function checkThings(own: readonly Operation[], { account, things }: Found): Violation[] {
  const creates = only(own, "create");
  const byId = new Map(things.map((thing) => [thing.id, thing]));
  const lost = creates.flatMap(({ act, result }) => {
    if (result.outcome !== "ok" || result.id === undefined || byId.has(result.id)) return [];
    return [violation("lost", `${act.what} ${result.id} (${act.key}) of ${account} is gone`)];
  });
  const uncanceled = only(own, "cancel").flatMap(({ act, result }) => {
    const status = byId.get(act.id)?.status;
    if (result.outcome !== "ok" || status === undefined || status === "canceled") return [];
    return [violation("backward", `${act.id} was canceled, and is ${status}`)];
  });
  const whats = new Set(things.map(({ what }) => what));
  return [
    ...lost,
    ...uncanceled,
    ...[...whats].flatMap((what) =>
      checkCount(
        account,
        what,
        creates.filter(({ act }) => act.what === what),
        things.filter((thing) => thing.what === what),
      ),
    ),
  ];
}

/** Checks that there are no more things than keys that may have been used, one for each key. */
function checkCount(
  account: string,
  what: What,
  creates: readonly Of<"create">[],
  things: readonly FoundThing[],
): Violation[] {
  const taken = new Set(
    creates.filter(({ result }) => result.outcome !== "fail").map(({ act }) => act.key),
  );
  const seen = new Set<string>();
  const wrong = things.flatMap(({ id, key }) => {
    if (key === undefined) return [];
    if (!taken.has(key)) return [violation("invented", `${what} ${id} (${key}) of ${account}`)];
    if (seen.has(key)) return [violation("doubled", `${what} ${id} (${key}) of ${account}`)];
    seen.add(key);
    return [];
  });
  if (things.length <= taken.size) return wrong;
  const text = `${account} has ${things.length} of ${what} for ${taken.size} keys`;
  return [...wrong, violation("doubled", text)];
}

function checkBooks({ account, books }: Found): Violation[] {
  const { opening, balance, held, jobs, ledger } = books;
  const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);
  const charged = sum(jobs.map((job) => job.charged ?? 0));
  const holds = sum(jobs.map((job) => (job.charged === null ? job.held : 0)));
  const wrong: string[] = [];
  if (opening !== balance + held + charged)
    wrong.push(`${opening} was given, ${balance} is left, ${held} held, ${charged} charged`);
  if (holds !== held) wrong.push(`${held} is held, by its jobs ${holds}`);
  const total = sum(ledger.map(({ amount }) => amount));
  if (opening + total !== balance) wrong.push(`the ledger leaves ${opening + total} of ${balance}`);
  const entries = groupBy(ledger, ({ job }) => job);
  for (const job of jobs) {
    const ofJob = entries.get(job.id) ?? [];
    const holdCount = ofJob.filter(({ type }) => type === "hold").length;
    if (holdCount !== 1) wrong.push(`${job.id} is held ${holdCount} times`);
    const cost = -sum(ofJob.map(({ amount }) => amount));
    if (cost !== (job.charged ?? job.held)) wrong.push(`${job.id} took ${cost}`);
  }
  return wrong.map((text) => violation("books", `${account}: ${text}`));
}

function groupBy<Value>(
  values: readonly Value[],
  key: (value: Value) => string,
): Map<string, Value[]> {
  const groups = new Map<string, Value[]>();
  for (const value of values) {
    const group = groups.get(key(value));
    if (group === undefined) groups.set(key(value), [value]);
    else group.push(value);
  }
  return groups;
}

function violation(kind: ViolationKind, text: string): Violation {
  return { kind, text };
}
