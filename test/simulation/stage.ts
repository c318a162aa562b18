/**
 * A world with three accounts (two personal spaces, and an organization with two members) that runs
 * commands and compares every answer with the oracle's.
 */

import { domain as product } from "../../actors/domain.ts";
import { buildCreation } from "../../actors/job/creation.ts";
import { accountKey, type SetCandidate } from "../../actors/protocol/account-messages.ts";
import {
  type CreateJob,
  type JobMessage,
  type JobRequest,
  jobKey,
  type TurnOfJob,
} from "../../actors/protocol/job.ts";
import { packSubmit } from "../../actors/protocol/packed-submit.ts";
import { type OutputSet, setKey } from "../../actors/protocol/set.ts";
import type { Confirmation, SubmitTerms } from "../../actors/protocol/submit-terms.ts";
import { omitUndefined } from "../../config/defined.ts";
import type { PlanName } from "../../config/plans.ts";
import type { Domain } from "../../engine/domain.ts";
import type { Id } from "../../engine/id.ts";
import { jobRequest } from "../actors/accounts.ts";
import { findBrokenPromise } from "./books.ts";
import type { Command, Said, SetCommand, SubmitCommand } from "./commands.ts";
import { Facts } from "./facts.ts";
import { Oracle, type Request } from "./oracle.ts";
import { type Heard, startMs, World } from "./world.ts";

const a = "01990000-0000-7021-8000-000000000001";
const b = "01990000-0000-7021-8000-000000000002";
const organization = "01990000-0000-7021-8000-000000000003";
export const callers = [
  { scope: a, user: a },
  { scope: b, user: b },
  { scope: organization, user: "01990000-0000-7021-8000-000000000004" },
  { scope: organization, user: "01990000-0000-7021-8000-000000000005" },
] as const;
const plan: PlanName = "starter";

const moderatedRefusal = { code: "moderated", as: "ip_detected", isRemembered: false } as const;

export class Stage {
  readonly facts = new Facts();
  readonly world: World;
  /** Jobs in the order in which they were requested, accepted or not any more. */
  readonly jobs: Id[] = [];
  private readonly wrong: string[] = [];

  constructor(domain: Domain = product) {
    this.world = new World(domain, (step) => this.facts.hear(step));
    this.facts.follow(this.world);
    for (const [at, scope] of [a, b, organization].entries()) {
      this.world.set(this.facts.ceilings, scope, { plan, overrides: undefined });
      const isOrganization = scope === organization ? { isOrganization: true } : {};
      const credits = 100 + at * 40;
      this.world.tell(accountKey(scope), { kind: "open", plan, credits, ...isOrganization });
    }
    this.world.commit();
  }

  run(command: Command): Promise<void> | undefined {
    const { world } = this;
    switch (command.kind) {
      case "submit":
        return this.submit(command);
      case "submit_set":
        return this.submitSet(command);
      case "pay":
        return this.pay(command);
      case "tell":
        return this.tell(command.job, command.message);
      case "cancel":
        return this.cancel(command.job);
      case "early":
        return this.tell(command.job, { kind: "due" });
      case "terms":
        return this.setTerms(command);
      case "grant":
        world.ask(accountKey(callerAt(command.by).scope), { ...command, note: undefined });
        return undefined;
      case "budget":
        return this.setBudget(command);
      case "elapse":
        return world.elapse(command.ms);
      case "linger":
        world.atMs += command.ms;
        return undefined;
      case "commit":
        world.commit();
        return undefined;
      case "restart":
        this.facts.forgetLedgers();
        return world.restart(command.isCrash);
      case "drop":
        world.stepsLeft = command.steps;
        return undefined;
    }
  }

  findBreak(): string | undefined {
    return this.wrong[0] ?? findBrokenPromise(this.world, this.facts);
  }

  /** Compares an answer with the one that had to come; a missing one was dropped or waits. */
  expect(what: string, heard: Heard | undefined, refusal: string | undefined): boolean {
    if (heard === undefined) {
      const isMissing = this.world.steps.length > 0 && !this.isWaitingForWord();
      if (isMissing) this.wrong.push(`${what} has no answer`);
      return this.world.steps.length > 0;
    }
    const found = heard.kind === "refused" ? heard.refusal?.code : undefined;
    if (found !== refusal) this.wrong.push(`${what} gives ${found}, not ${refusal}`);
    return found === undefined;
  }

  /** Makes a turn in the same scope, since a credential never leaves its scope. */
  private makeTurn(run: number | undefined, scope: Id): TurnOfJob | undefined {
    const turns = [...this.facts.runs].filter(([, fact]) => fact.scope === scope);
    const found = run === undefined ? undefined : turns[run % Math.max(1, turns.length)];
    return found && { session: found[1].session, turn: found[0] };
  }

  private isWaitingForWord(): boolean {
    return this.world.steps.some(({ turn }) => {
      const head = turn.head as { inline?: unknown } | undefined;
      return head?.inline !== undefined;
    });
  }

  private submit(command: SubmitCommand): undefined {
    const { scope, user } = callerAt(command.by);
    const fingerprint = digest(scope, command.body, command.idempotencyKey);
    const job = this.buildJob(command, scope, user, fingerprint);
    const confirmation = this.confirmation(command.confirmation);
    const { isTooFast } = command;
    const request: Request = { scope, user, fingerprint, confirmation, isTooFast };
    const oracle = new Oracle(this.world, this.facts, scope);
    const expected = oracle.first(request, job);
    this.jobs.push(job.job);
    const submit = packSubmit({ job, ...this.buildTerms(request) });
    const heard = this.world.ask(accountKey(scope), { kind: "submit", submit });
    if (this.expect("a submit", heard, expected)) this.consume(confirmation);
    return undefined;
  }

  private buildJob(
    command: SubmitCommand,
    scope: Id,
    user: Id,
    fingerprint: string,
    more: Partial<JobRequest> = {},
  ): CreateJob {
    const { body, modality, hold, isFarm, isInline, lagMs, idempotencyKey } = command;
    const createdAtMs = this.world.atMs - lagMs;
    const turn = this.makeTurn(command.run, scope);
    const request = {
      ...jobRequest,
      id: this.world.id(createdAtMs),
      scope,
      user,
      modality,
      createdAtMs,
      fingerprint,
      ...(idempotencyKey === 0 ? {} : { bodyDigest: digest(scope, body, 0) }),
      ...omitUndefined({ turn }),
      ...more,
    };
    return buildCreation(request, {
      provider: isFarm ? "farm" : "sim",
      hold,
      count: 2,
      deadlineSeconds: 600,
      modelTag: 7,
      inlineMs: isInline && !isFarm ? 250 : 0,
    });
  }

  private buildTerms({ scope, fingerprint, confirmation, isTooFast }: Request): SubmitTerms {
    const { plan, overrides } = this.facts.ceilings.get(scope) ?? { plan: "free" };
    return {
      fingerprint: binary(fingerprint),
      confirmation,
      plan,
      overrides,
      rateRetryAfterSeconds: isTooFast ? 1 : undefined,
    };
  }

  /** Returns the same confirmation for a token that is sent twice. */
  private confirmation(token: number | undefined): Confirmation | undefined {
    if (token === undefined) return undefined;
    if (token === 0) return { kind: "rejected", reason: "mismatch" };
    const expiresAtMs = startMs + token * 86_400_000;
    if (this.world.atMs >= expiresAtMs) return { kind: "rejected", reason: "expired" };
    return { kind: "valid", digest: String.fromCharCode(token).repeat(16), expiresAtMs };
  }

  private consume(found: Confirmation | undefined): void {
    if (found?.kind === "valid") this.world.set(this.facts.consumed, found.digest, true);
  }

  private submitSet(command: SetCommand): undefined {
    const { scope, user } = callerAt(command.by);
    const fingerprint = digest(scope, command.body, 9);
    const set = this.world.id();
    const jobs = command.holds.map((hold, at) =>
      this.getMember(command, hold, set, at === 0 ? fingerprint : "", { scope, user }),
    );
    const members: SetCandidate[] = jobs.map((work, at) => ({
      label: String(at),
      work: at === command.refusedAt ? { ...moderatedRefusal, detail: "no" } : work,
    }));
    const confirmation = this.confirmation(command.confirmation);
    const request: Request = { scope, user, fingerprint, confirmation, isTooFast: false };
    const expected = this.expectSet(request, members);
    this.jobs.push(...jobs.map(({ job }) => job));
    const about = { id: set, scope, user, name: "", model: "m", createdAtMs: this.world.atMs };
    const terms = this.buildTerms(request);
    const message = { kind: "submit_set", set: about, members, ...terms };
    const heard = this.world.ask(accountKey(scope), message);
    if (!this.expect("a set", heard, expected.refusal)) return undefined;
    this.consume(confirmation);
    const row = this.world.read(setKey(scope, set));
    const found = row?.members.map(getState).join() ?? "none";
    if (found !== expected.members.join())
      this.wrong.push(`a set is ${found}, not ${expected.members}`);
    return undefined;
  }

  private getMember(
    command: SetCommand,
    hold: number,
    set: Id,
    fingerprint: string,
    { scope, user }: { scope: Id; user: Id },
  ): CreateJob {
    const submit: SubmitCommand = {
      ...command,
      kind: "submit",
      idempotencyKey: 0,
      hold,
      modality: "image",
      isInline: false,
      isTooFast: false,
      lagMs: 0,
    };
    const bodyDigest = digest(scope, command.body, 9);
    return this.buildJob(submit, scope, user, fingerprint, { set, bodyDigest });
  }

  private expectSet(request: Request, members: readonly SetCandidate[]) {
    const oracle = new Oracle(this.world, this.facts, request.scope);
    const states: string[] = [];
    let refusal: string | undefined;
    for (const [at, { work }] of members.entries()) {
      if (states.at(-1)?.startsWith("refused") === true || states.at(-1) === "left") {
        states.push("left");
        continue;
      }
      const found =
        "code" in work ? work.code : oracle[at === 0 ? "first" : "member"](request, work);
      if (at === 0) refusal = found;
      if (found === undefined && !("code" in work)) oracle.accept(work);
      states.push(found === undefined ? "job" : `refused ${found}`);
    }
    return { refusal, members: states };
  }

  private pay({ by, credits, isTooFast, run }: Extract<Command, { kind: "pay" }>): undefined {
    const { scope, user } = callerAt(by);
    const turn = this.makeTurn(run, scope);
    const expected = new Oracle(this.world, this.facts, scope).payment(
      scope,
      user,
      credits,
      turn?.turn,
      isTooFast,
    );
    const pay = {
      kind: "pay",
      credits,
      note: "enhance",
      member: user === scope ? undefined : user,
      turn,
      rateRetryAfterSeconds: isTooFast ? 1 : undefined,
    } as const;
    const heard = this.world.ask(accountKey(scope), pay);
    if (this.expect("a payment", heard, expected)) this.facts.pay(scope, pay);
    return undefined;
  }

  private tell(number: number, message: Said): undefined {
    const id = this.jobs[number % Math.max(1, this.jobs.length)];
    const head = id === undefined ? undefined : this.facts.phases.get(id);
    // A job that waits for its slot is not known outside yet.
    const isUnheardOf = head?.phase === "queued" && head.waits === true && message.kind !== "due";
    if (id !== undefined && !isUnheardOf) this.world.tell(jobKey(id), this.getTold(message));
    return undefined;
  }

  private getTold(message: Said): JobMessage {
    if (message.kind !== "ended") return message;
    const { token, as } = message;
    const under = omitUndefined({ token });
    if ("outputs" in as) {
      const outputs = Array.from({ length: as.outputs }, () => this.output());
      return { kind: "finished", ...under, outcome: { kind: "succeeded", outputs } };
    }
    const { failure, billed, atOutput } = as;
    const outcome = { kind: "failed", class: failure, message: "no", atOutput, billed } as const;
    return { kind: "finished", ...under, outcome };
  }

  private output() {
    const asset = this.world.id();
    const media = { objectKey: asset, mimeType: "image/png", sizeBytes: 1, sha256: "" };
    return { asset, media };
  }

  private cancel(number: number): undefined {
    const id = this.jobs[number % Math.max(1, this.jobs.length)];
    if (id === undefined) return undefined;
    const before = this.facts.phases.get(id)?.phase;
    const ended = before === "succeeded" || before === "failed" ? "job_not_cancellable" : undefined;
    const heard = this.world.ask(jobKey(id), { kind: "cancel", user: "u" });
    if (heard !== undefined)
      this.expect("a cancel", heard, before === undefined ? "not_found" : ended);
    return undefined;
  }

  private setTerms(command: Extract<Command, { kind: "terms" }>): undefined {
    const { scope } = callerAt(command.by);
    const { concurrentMax, perDay: generationsPerDay } = command;
    const overrides = { concurrentMax, generationsPerDay };
    this.world.tell(accountKey(scope), { kind: "set_terms", plan, overrides });
    if (this.world.steps.length > 0)
      this.world.set(this.facts.ceilings, scope, { plan, overrides });
    return undefined;
  }

  private setBudget({ by, limit, period }: Extract<Command, { kind: "budget" }>): undefined {
    const { scope, user } = callerAt(by);
    if (user === scope) return undefined;
    const budget = limit === undefined ? undefined : { limit, period };
    this.world.ask(accountKey(scope), { kind: "set_budget", user, budget });
    if (this.world.steps.length > 0) this.world.set(this.facts.budgets, user, budget);
    return undefined;
  }
}

export function callerAt(by: number): { scope: Id; user: Id } {
  return callers[by % callers.length] ?? callers[0];
}

function getState(member: OutputSet["members"][number]): string {
  if ("job" in member) return "job";
  return "refusal" in member ? `refused ${member.refusal.code}` : "left";
}

/** Makes 16 bytes in hex that differ by scope, body and key. */
function digest(scope: Id, body: number, key: number): string {
  return Buffer.from(`${scope.slice(-8)}${body}${key}`.padStart(16, "-")).toString("hex");
}

function binary(hex: string): string {
  return Buffer.from(hex, "hex").toString("latin1");
}
