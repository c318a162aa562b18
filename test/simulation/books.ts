/**
 * Checks the promises of the domain against sums over the existing jobs, assets, tickets and marks:
 * what an account counts beside them may never differ.
 */

import { memberCountsKey } from "../../actors/account/member-counts.ts";
import { renewalKey } from "../../actors/account/renewal.ts";
import { type Run, runKey } from "../../actors/account/run.ts";
import {
  type Account,
  assetIndex,
  available,
  countIndex,
  waitingKey,
} from "../../actors/protocol/account.ts";
import { accountKey } from "../../actors/protocol/account-messages.ts";
import { type Asset, getMimeType, getModality, getStatus } from "../../actors/protocol/asset.ts";
import type { Job } from "../../actors/protocol/job.ts";
import { type MemberSpending, memberSpendingKey } from "../../actors/protocol/member-spending.ts";
import {
  type AgentTurn,
  type Session,
  sessionKey,
  turnKey,
} from "../../actors/protocol/session.ts";
import type { OutputSet } from "../../actors/protocol/set.ts";
import type { Ticket } from "../../actors/protocol/ticket.ts";
import type { Tombstone } from "../../actors/protocol/tombstone.ts";
import { codes } from "../../actors/table-codes.ts";
import { getAllowance } from "../../config/plans.ts";
import type { Id } from "../../engine/id.ts";
import { getCode } from "../../engine/key.ts";
import {
  buildRequest,
  computeCharge,
  type Facts,
  getCommitted,
  getDay,
  getMonth,
  isHeld,
  isOpen,
  isWaiting,
} from "./facts.ts";
import type { World } from "./world.ts";

/** What exists of one scope. */
export interface Sums {
  readonly jobs: Job[];
  readonly counts: number[];
  readonly assets: number[];
  readonly waiting: Id[];
  readonly active: { media: number; three_d: number };
  readonly committedByMember: Map<Id, { inMonth: number; inTotal: number; counts: number[] }>;
  held: number;
  spent: number;
  tickets: number;
  remembered: number;
  sets: number;
  usedToday: number;
}

export function sumFiles(world: World, facts: Facts): Map<Id, Sums> {
  const byScope = new Map<Id, Sums>();
  const of = (scope: Id) => {
    const found = byScope.get(scope) ?? noSums();
    byScope.set(scope, found);
    return found;
  };
  for (const [id, { job, atMs }] of facts.accepted) {
    const head = facts.phases.get(id);
    if (head !== undefined) addJob(of(job.scope), head, atMs, buildRequest(job).user, world.atMs);
  }
  for (const { scope, pay, atMs } of facts.paid.values()) {
    const sums = of(scope);
    sums.spent += pay.credits;
    addCommitted(sums, pay.member, pay.credits, atMs, world.atMs);
  }
  for (const [key, row] of world.kept) {
    const code = getCode(key);
    if (code === codes.ticket) of((row as Ticket).scope).tickets++;
    else if (code === codes.set) of((row as OutputSet).scope).sets++;
    else if (code === codes.tombstone) addMark(of, row as Tombstone);
    else if (code === codes.asset) addAsset(of, row as Asset);
  }
  return byScope;
}

function noSums(): Sums {
  return {
    jobs: [],
    counts: [],
    assets: [],
    waiting: [],
    active: { media: 0, three_d: 0 },
    committedByMember: new Map(),
    held: 0,
    spent: 0,
    tickets: 0,
    remembered: 0,
    sets: 0,
    usedToday: 0,
  };
}

function addJob(sums: Sums, job: Job, acceptedAtMs: number, user: Id, nowMs: number): void {
  const { scope, modality, hold } = job.terms;
  const place = countIndex(modality, job.phase);
  sums.jobs.push(job);
  sums.counts[place] = (sums.counts[place] ?? 0) + 1;
  if (isHeld(job)) sums.held += hold;
  sums.spent += computeCharge(job);
  if (getDay(acceptedAtMs) === getDay(nowMs)) sums.usedToday++;
  if (isWaiting(job)) sums.waiting.push(job.terms.job);
  else if (isOpen(job)) sums.active[modality === "three_d" ? "three_d" : "media"]++;
  if (user === scope) return;
  const member = addCommitted(sums, user, getCommitted(job), acceptedAtMs, nowMs);
  if (member !== undefined) member.counts[place] = (member.counts[place] ?? 0) + 1;
}

function addCommitted(
  sums: Sums,
  user: Id | undefined,
  credits: number,
  atMs: number,
  nowMs: number,
) {
  if (user === undefined) return undefined;
  const before = sums.committedByMember.get(user) ?? { inMonth: 0, inTotal: 0, counts: [] };
  before.inTotal += credits;
  if (getMonth(atMs) === getMonth(nowMs)) before.inMonth += credits;
  sums.committedByMember.set(user, before);
  return before;
}

function addMark(of: (scope: Id) => Sums, tombstone: Tombstone): void {
  if (tombstone.kind === "refused") of(tombstone.scope).remembered++;
}

function addAsset(of: (scope: Id) => Sums, asset: Asset): void {
  const status = getStatus(asset);
  if (status === undefined) return;
  const { assets } = of(asset.scope);
  const place = assetIndex(getModality(getMimeType(asset)), status);
  assets[place] = (assets[place] ?? 0) + 1;
}

/** Returns the first promise that is broken, or undefined. */
export function findBrokenPromise(world: World, facts: Facts): string | undefined {
  const [found] = world.wrong;
  if (found !== undefined) return found;
  const all = sumFiles(world, facts);
  for (const scope of facts.ceilings.keys()) {
    const account = world.read(accountKey(scope));
    if (account === undefined) continue;
    const sums = all.get(scope) ?? noSums();
    const wrong =
      wrongWallet(account, sums) ??
      wrongLedger(account, scope, sums, facts) ??
      wrongRenewal(account, scope, world) ??
      wrongCounts(account, sums, world.atMs) ??
      wrongSlots(account, scope, sums, world, facts) ??
      wrongMembers(scope, sums, world);
    if (wrong !== undefined) return wrong;
  }
  return wrongRuns(world, facts);
}

function wrongWallet(account: Account, { held, spent }: Sums): string | undefined {
  if (account.held !== held) return `I6: held is ${account.held}, the open holds are ${held}`;
  if (account.spent !== spent) return `I6: spent is ${account.spent}, the charges are ${spent}`;
  if (available(account) < 0) return `I6: ${available(account)} are available`;
  const { planLeft, granted } = account;
  if (planLeft < 0 || planLeft > granted - spent) return `${planLeft} are left of the plan's`;
  return undefined;
}

function wrongLedger(
  account: Account,
  scope: Id,
  { jobs }: Sums,
  facts: Facts,
): string | undefined {
  const ledger = facts.ledger(scope);
  const { granted, held, spent } = account;
  if (ledger.wrong !== undefined) return ledger.wrong;
  if (ledger.balance !== available(account)) return `I6: the ledger says ${ledger.balance}`;
  if (ledger.sum("grant", "adjust", "expire") !== granted) return "I6: granted is what was granted";
  if (ledger.sum("hold", "release") !== -held) return "I6: held is what was not released";
  if (ledger.sum("charge") !== -spent) return "I6: spent is what was charged";
  for (const job of jobs) {
    const { hold } = job.terms;
    if (hold === 0) continue;
    const line = ledger.jobs.get(job.terms.job);
    const wanted = [-hold, isHeld(job) ? 0 : hold, -computeCharge(job)].join();
    const found = [line?.hold, line?.release, (line?.charge ?? 0) - 0].join();
    if (found.replaceAll("-0", "0") !== wanted.replace(/-0$/, "0"))
      return `I6: the ledger says ${found} of a ${job.phase} job, not ${wanted}`;
  }
  return undefined;
}

/** Checks that the sweep finds the account at its next renewal. */
function wrongRenewal({ renewsAtMs }: Account, scope: Id, world: World): string | undefined {
  const row = world.read(renewalKey(accountKey(scope), renewsAtMs));
  return row === undefined ? "an account is not found on the 1st" : undefined;
}

function wrongCounts(account: Account, sums: Sums, atMs: number): string | undefined {
  if (!isSame(account.counts, sums.counts)) return `the jobs are ${sums.counts}`;
  if (!isSame(account.assets, sums.assets)) return `the assets are ${sums.assets}`;
  const used = account.quota.day === getDay(atMs) ? account.quota.used : 0;
  if (used !== sums.usedToday) return `${sums.usedToday} jobs of today, ${used} counted`;
  for (const name of ["tickets", "remembered", "sets"] as const)
    if (account[name] !== sums[name]) return `${name} are ${sums[name]}, not ${account[name]}`;
  return undefined;
}

function isSame(counted: readonly number[], found: readonly number[]): boolean {
  const length = Math.max(counted.length, found.length);
  for (let at = 0; at < length; at++) if ((counted[at] ?? 0) !== (found[at] ?? 0)) return false;
  return true;
}

/** Checks I7, and that no job waits for a slot that is free. */
function wrongSlots(
  account: Account,
  scope: Id,
  { active, waiting }: Sums,
  world: World,
  facts: Facts,
): string | undefined {
  const { plan, overrides } = facts.ceilings.get(scope) ?? { plan: "free", overrides: undefined };
  const { concurrentMax } = getAllowance(plan, overrides);
  for (const pool of ["media", "three_d"] as const) {
    const name = `${scope} ${pool}`;
    const before = facts.active.get(name) ?? 0;
    world.set(facts.active, name, active[pool]);
    if (account.active[pool] !== active[pool]) return `I7: ${account.active[pool]} slots`;
    if (active[pool] > Math.max(before, concurrentMax))
      return `I7: ${active[pool]} slots of ${concurrentMax} are held`;
  }
  const queue = world.read(waitingKey(accountKey(scope))) ?? [];
  if (account.waiting !== waiting.length || String(queue) !== String(waiting))
    return `waiting are ${waiting}, not ${queue}`;
  if (waiting.length > 0 && active.media < concurrentMax) return "a job waits for a free slot";
  return undefined;
}

function wrongMembers(scope: Id, sums: Sums, world: World): string | undefined {
  const address = accountKey(scope);
  for (const [user, { inMonth, inTotal, counts }] of sums.committedByMember) {
    if (!isSame(world.read(memberCountsKey(address, user)) ?? [], counts))
      return `a member's jobs are ${counts}`;
    const row: MemberSpending | undefined = world.read(memberSpendingKey(address, user));
    if ((row?.inTotal ?? 0) !== inTotal) return `a member committed ${inTotal}`;
    const inRow = row?.month === getMonth(world.atMs) ? row.inMonth : 0;
    if (inRow !== inMonth) return `a member committed ${inMonth} in this month, not ${inRow}`;
  }
  return undefined;
}

/** Sums what each run has committed: its jobs' holds and charges, and what was paid. */
export function sumCommittedByRun(facts: Facts): Map<Id, number> {
  const sums = new Map<Id, number>();
  const add = (run: Id | undefined, credits: number) => {
    if (run !== undefined) sums.set(run, (sums.get(run) ?? 0) + credits);
  };
  for (const job of facts.phases.values()) add(job.terms.turn?.turn, getCommitted(job));
  for (const { pay } of facts.paid.values()) add(pay.turn?.turn, pay.credits);
  return sums;
}

function wrongRuns(world: World, facts: Facts): string | undefined {
  if (facts.runs.size === 0) return undefined;
  const sums = sumCommittedByRun(facts);
  const bySession = new Map<Id, number>();
  for (const [id, { session, isEnded, ceiling }] of facts.runs) {
    const committed = sums.get(id) ?? 0;
    bySession.set(session, (bySession.get(session) ?? 0) + committed);
    const run: Run | undefined = world.read(runKey(id));
    if (run?.committed !== committed) return `a run committed ${committed}, not ${run?.committed}`;
    if (run.isEnded !== isEnded || run.ceiling !== ceiling) return "a run is open, or it has ended";
    const head: Session | undefined = world.read(sessionKey(session));
    if (head === undefined) continue;
    const row: AgentTurn | undefined = world.read(turnKey(session, id));
    if (row?.committed !== committed) return `a turn shows ${row?.committed}, not ${committed}`;
    if ((row.status !== "running") !== isEnded || (row.endedAtMs !== undefined) !== isEnded)
      return "a turn ends once";
    const { last } = head;
    if (last?.turn !== id) continue;
    if (last.committed !== committed || last.status !== row.status || last.ceiling !== ceiling)
      return "a session shows its last turn";
  }
  for (const [session, spent] of bySession) {
    const head: Session | undefined = world.read(sessionKey(session));
    if (head !== undefined && head.spent !== spent) return `a session spent ${spent}`;
  }
  return undefined;
}
