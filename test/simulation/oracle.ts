/**
 * The answer that a submit must get, in the order of the specification: from sums over what exists,
 * not from what the account counts.
 */

import { pendingRenewal } from "../../actors/account/renewal.ts";
import { available } from "../../actors/protocol/account.ts";
import { accountKey } from "../../actors/protocol/account-messages.ts";
import type { CreateJob } from "../../actors/protocol/job.ts";
import type { Confirmation } from "../../actors/protocol/submit-terms.ts";
import { getAllowance } from "../../config/plans.ts";
import type { Id } from "../../engine/id.ts";
import { type Sums, sumCommittedByRun, sumFiles } from "./books.ts";
import { buildRequest, type Facts } from "./facts.ts";
import type { World } from "./world.ts";

export interface Request {
  readonly scope: Id;
  readonly user: Id;
  /** Fingerprint of the request, in hex. */
  readonly fingerprint: string;
  readonly confirmation: Confirmation | undefined;
  readonly isTooFast: boolean;
}

/** What a request finds before its first job, and after each job that was accepted. */
export class Oracle {
  private readonly world: World;
  private readonly facts: Facts;
  private readonly sums: Sums | undefined;
  private readonly runs: Map<Id, number>;
  /** Credits that are held by jobs of the same request. */
  private held = 0;
  private jobs = 0;

  constructor(world: World, facts: Facts, scope: Id) {
    this.world = world;
    this.facts = facts;
    this.sums = sumFiles(world, facts).get(scope);
    this.runs = sumCommittedByRun(facts);
  }

  /** Returns the code of the first job's refusal, or undefined when it is accepted. */
  first(request: Request, job: CreateJob): string | undefined {
    const earlier = this.facts.fingerprints.get(`${request.scope} ${request.fingerprint}`);
    if (earlier !== undefined && this.world.atMs - earlier.atMs < 300_000)
      return (
        (this.facts.moderatedJobs.has(earlier.job) ? this.moderate(job) : undefined) ?? "duplicate"
      );
    const { confirmation: found } = request;
    if (found?.kind === "rejected") return "confirmation_rejected";
    if (found !== undefined && this.facts.consumed.has(found.digest))
      return "confirmation_rejected";
    return (
      this.run(job) ??
      this.moderate(job) ??
      (request.isTooFast ? "rate_limit" : undefined) ??
      this.concurrency(request.scope, job) ??
      this.later(request, job)
    );
  }

  /** Does the same for a later member of a set, which may wait for its slot. */
  member(request: Request, job: CreateJob): string | undefined {
    return this.run(job) ?? this.moderate(job) ?? this.later(request, job);
  }

  accept(job: CreateJob): void {
    this.held += job.hold;
    this.jobs++;
  }

  /** Returns why a payer may not commit these credits, or pay them at once, if so. */
  payment(
    scope: Id,
    user: Id,
    credits: number,
    run: Id | undefined,
    isTooFast: boolean,
  ): string | undefined {
    if (run !== undefined) {
      const refusal = this.runRefusal(run, credits);
      if (refusal !== undefined) return refusal;
    }
    if (isTooFast) return "rate_limit";
    return this.budget(scope, user, credits) ?? this.wallet(scope, credits);
  }

  private later({ scope, user }: Request, { hold }: CreateJob): string | undefined {
    const { plan, overrides } = this.facts.ceilings.get(scope) ?? { plan: "free" };
    const perDay = getAllowance(plan, overrides).generationsPerDay;
    const used = (this.sums?.usedToday ?? 0) + this.jobs;
    if (perDay !== undefined && used >= perDay) return "quota";
    return this.budget(scope, user, hold) ?? this.wallet(scope, hold);
  }

  private run({ turn, hold }: CreateJob): string | undefined {
    return turn === undefined ? undefined : this.runRefusal(turn.turn, hold);
  }

  private runRefusal(run: Id, price: number): string | undefined {
    const fact = this.facts.runs.get(run);
    if (fact === undefined || fact.isEnded) return "run_ended";
    const total = (this.runs.get(run) ?? 0) + this.held + price;
    return fact.ceiling !== null && total > fact.ceiling ? "approval_required" : undefined;
  }

  private moderate(job: CreateJob): string | undefined {
    const request = buildRequest(job);
    const name = `${request.scope} ${request.bodyDigest ?? request.fingerprint}`;
    const untilMs = this.facts.moderated.get(name) ?? 0;
    return this.world.atMs < untilMs ? "moderated" : undefined;
  }

  private concurrency(scope: Id, { modality }: CreateJob): string | undefined {
    const { plan, overrides } = this.facts.ceilings.get(scope) ?? { plan: "free" };
    const { concurrentMax } = getAllowance(plan, overrides);
    const pool = modality === "three_d" ? "three_d" : "media";
    return (this.sums?.active[pool] ?? 0) >= concurrentMax ? "concurrency" : undefined;
  }

  private budget(scope: Id, user: Id, price: number): string | undefined {
    const budget = this.facts.budgets.get(user);
    if (budget === undefined || user === scope || price === 0) return undefined;
    const { inMonth = 0, inTotal = 0 } = this.sums?.committedByMember.get(user) ?? {};
    const used = (budget.period === "total" ? inTotal : inMonth) + this.held;
    return used + price > budget.limit ? "member_budget" : undefined;
  }

  private wallet(scope: Id, price: number): string | undefined {
    const account = this.world.read(accountKey(scope));
    const pending = account && pendingRenewal(account, this.world.atMs)?.account;
    const balance = pending === undefined ? this.facts.ledger(scope).balance : available(pending);
    return price > balance - this.held ? "out_of_credits" : undefined;
  }
}
