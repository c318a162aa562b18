/**
 * How an account follows its jobs: counts, slots, and what a hold came to. A slot that becomes free
 * goes to the first member of a set that waits for one, whether a job ended or the ceiling rose.
 */
import { limits } from "../../config/limits.ts";
import { allowanceOf } from "../../config/plans.ts";
import { put, type RowWrite, type Tell, type TurnView, tell } from "../../engine/actor.ts";
import type { Id } from "../../engine/id.ts";
import { invariant } from "../../engine/invariant.ts";
import { vpartOf } from "../../engine/key.ts";
import type { JobStatus } from "../contract/job.ts";
import { fingerprintKey, jobKey, ledgerKey, waitingKey } from "../tables.ts";
import {
  type Account,
  type AccountTurn,
  assetIndex,
  available,
  change,
  countIndex,
  type JobChanged,
  type JobDeleted,
  type JobDiscarded,
  only,
  poolOf,
  type SetTerms,
} from "./account.ts";
import { givenBack } from "./budget.ts";
import { memberCounted } from "./member-counts.ts";
import { commit } from "./run.ts";
import { dayOf, usedToday, withSlots } from "./submit.ts";

interface Step {
  readonly account: Account;
  readonly rows: readonly RowWrite[];
  readonly tells: readonly Tell[];
}

export function follow(account: Account, message: JobChanged, turn: TurnView): AccountTurn {
  const { terms, from, to, hadSlot, charge } = message;
  const moved = from === to ? account : recounted(account, message);
  const freed =
    !isActive(to) && isActive(from) ? freeSlot(moved, terms, hadSlot, turn) : kept(moved);
  const settled = charge === undefined ? kept(freed.account) : settle(freed.account, message, turn);
  return only(
    settled.account,
    [...freed.rows, ...settled.rows, ...countedForMember(message, turn)],
    [],
    [...freed.tells, ...settled.tells],
  );
}

function countedForMember({ terms, from, to }: JobChanged, turn: TurnView): RowWrite[] {
  if (from === to) return [];
  const { member, modality } = terms;
  const changes = [
    [countIndex(modality, from), -1],
    [countIndex(modality, to), 1],
  ] as const;
  return memberCounted(member, changes, turn);
}

function kept(account: Account): Step {
  return { account, rows: [], tells: [] };
}

function recounted(account: Account, message: JobChanged): Account {
  const { terms, from, to, assets: brought } = message;
  const counts = account.counts.slice();
  change(counts, countIndex(terms.modality, from), -1);
  change(counts, countIndex(terms.modality, to), 1);
  if (brought.length === 0) return { ...account, counts };
  const assets = account.assets.slice();
  for (const modality of brought) change(assets, assetIndex(modality, "ready"), 1);
  return { ...account, counts, assets };
}

function isActive(status: JobStatus): boolean {
  return status === "queued" || status === "running";
}

function freeSlot(
  account: Account,
  { job, modality }: JobChanged["terms"],
  hadSlot: boolean,
  turn: TurnView,
): Step {
  if (!hadSlot) return withoutWaiting(account, job, turn);
  const active = withSlots(account, modality, -1);
  invariant(active[poolOf(modality)] >= 0, "a slot is freed once (I7)");
  return startWaiting({ ...account, active }, turn);
}

/** A job of a set ended before it had a slot. */
function withoutWaiting(account: Account, job: Id, turn: TurnView): Step {
  const key = waitingKey(turn.self);
  const left = (turn.get(key) ?? []).filter((other) => other !== job);
  return { account: { ...account, waiting: left.length }, rows: [put(key, left)], tells: [] };
}

/** I7: only below the ceiling; a plan may have become smaller since, or larger. */
function startWaiting(account: Account, turn: TurnView): Step {
  const { concurrentMax } = allowanceOf(account.plan, account.overrides);
  const free = Math.min(concurrentMax - account.active.media, limits.sets.startsPerTurnMax);
  if (account.waiting === 0 || free <= 0) return kept(account);
  const key = waitingKey(turn.self);
  const waiting = turn.get(key) ?? [];
  const [next, left] = [waiting.slice(0, free), waiting.slice(free)];
  const active = { ...account.active, media: account.active.media + next.length };
  return {
    account: { ...account, active, waiting: left.length },
    rows: [put(key, left)],
    tells: next.map((job) => tell(jobKey(job), { kind: "slot" })),
  };
}

/** Slots that a larger ceiling frees are taken at once. */
export function setTerms(
  account: Account,
  { plan, overrides = {} }: SetTerms,
  turn: TurnView,
): AccountTurn {
  const { account: next, rows, tells } = startWaiting({ ...account, plan, overrides }, turn);
  return only(next, rows, [], tells);
}

/**
 * The whole hold comes back, then the charge goes off; together they are the one resolution of the
 * hold.
 */
function settle(account: Account, { terms, charge = 0 }: JobChanged, turn: TurnView): Step {
  const { hold, job } = terms;
  if (hold === 0) return kept(account);
  invariant(charge >= 0 && charge <= hold, "a charge is a share of its hold (I6)");
  const next: Account = {
    ...account,
    held: account.held - hold,
    spent: account.spent + charge,
    planLeft: Math.max(0, account.planLeft - charge),
    ledgerLength: account.ledgerLength + 1,
  };
  invariant(next.held >= 0, "held credits are the sum of open holds (I6)");
  const balance = available(next);
  const release = { type: "release", amount: hold, balance: balance + charge } as const;
  const entries =
    charge === 0 ? [release] : [release, { type: "charge", amount: -charge, balance } as const];
  const row = put(ledgerKey(turn.self, account.ledgerLength), { atMs: turn.atMs, job, entries });
  const back = givenBack(terms, hold - charge, turn);
  if (terms.turn === undefined) return { account: next, rows: [row, ...back], tells: [] };
  const { rows, tells } = commit(terms.turn, charge - hold, undefined, turn);
  return { account: next, rows: [row, ...back, ...rows], tells };
}

/** As if it had never been, but for the ledger, which forgets nothing. */
export function discard(
  account: Account,
  { terms, fingerprint }: JobDiscarded,
  turn: TurnView,
): AccountTurn {
  const index = countIndex(terms.modality, "queued");
  const counts = account.counts.slice();
  change(counts, index, -1);
  const used = usedToday(account, turn.atMs);
  // Accepted before midnight, it counted for another day.
  const ofToday = dayOf(terms.createdAtMs) === dayOf(turn.atMs) ? 1 : 0;
  const quota = { ...account.quota, used: used - ofToday };
  const freed = freeSlot({ ...account, counts, quota }, terms, true, turn);
  const step = settle(freed.account, { ...unbilled, terms }, turn);
  const forgotten = { key: fingerprintKey(vpartOf(turn.self), fingerprint), value: undefined };
  const counted = memberCounted(terms.member, [[index, -1]], turn);
  return only(
    step.account,
    [forgotten, ...freed.rows, ...step.rows, ...counted],
    [],
    [...freed.tells, ...step.tells],
  );
}

/** Counted no more; its lines of the ledger stay. */
export function forget(account: Account, { terms, from }: JobDeleted, turn: TurnView): AccountTurn {
  const index = countIndex(terms.modality, from);
  const counts = account.counts.slice();
  change(counts, index, -1);
  return only({ ...account, counts }, memberCounted(terms.member, [[index, -1]], turn));
}

const unbilled = {
  kind: "job_changed",
  from: "queued",
  to: "queued",
  hadSlot: true,
  charge: 0,
  assets: [],
} as const;
