/**
 * What an account does: hold, settle, count and refuse.
 *
 * I6 the ledger balances: granted = available + held + spent, held = sum of the open jobs' holds;
 *    checked by difference in each step, since a full sum would grow with history. A hold lasts as
 *    long as its job, which settles once (I5) and tells the account in the same step.
 * I7 active holds never exceed the ceiling at the moment of a submit.
 * I9 one job per duplicate fingerprint in its window.
 * A submit's hold, slot, fingerprint, job and reply are one step: all durable or none.
 */

import { omitUndefined } from "../../config/defined.ts";
import { limits } from "../../config/limits.ts";
import { plans } from "../../config/plans.ts";
import { type Actor, answer, type Context, decision, put, tell } from "../../engine/actor.ts";
import type { ReplyTo } from "../../engine/address.ts";
import { invariant } from "../../engine/invariant.ts";
import { getPartition } from "../../engine/key.ts";
import {
  type Account,
  type AccountDecision,
  assetIndex,
  change,
  firstOfNextMonth,
  ledgerKey,
  refuse,
} from "../protocol/account.ts";
import type {
  AccountMessage,
  AssetChanged,
  IssueTicket,
  OpenAccount,
} from "../protocol/account-messages.ts";
import { unpackSubmit } from "../protocol/packed-submit.ts";
import { ticketKey } from "../protocol/ticket.ts";
import { setBudget } from "./budget.ts";
import { countUnpaidUse, discard, follow, forget, setTerms } from "./following.ts";
import { grant } from "./grant.ts";
import { pay } from "./payment.ts";
import { awaitRenewal, pendingRenewal, renewalRows } from "./renewal.ts";
import { changeRun } from "./run.ts";
import { countFiles } from "./storage.ts";
import { submit } from "./submit.ts";
import { submitSet } from "./submit-set.ts";
import { reportUse } from "./unpaid-use.ts";

export const accountActor: Actor<Account, AccountMessage, never> = {
  kind: "account",
  decide(head, message, ctx) {
    return reportUse(head, decide(head, message, ctx));
  },
  dueAt: () => undefined,
  staysCached: true,
};

function decide(
  head: Account | undefined,
  message: AccountMessage,
  ctx: Context<ReplyTo<AccountMessage>>,
): AccountDecision {
  if (message.kind === "open") return open(head, message, ctx);
  invariant(head !== undefined, `an account exists before it gets ${message.kind}`);
  const renewal = pendingRenewal(head, ctx.atMs);
  if (renewal === undefined) return act(head, message, ctx);
  const after = act(renewal.account, message, ctx);
  return { ...after, rows: [...renewalRows(ctx.self, head, renewal), ...after.rows] };
}

/** Handles a message for an account that already has the credits of the current month. */
function act(
  head: Account,
  message: Exclude<AccountMessage, OpenAccount>,
  ctx: Context<ReplyTo<AccountMessage>>,
): AccountDecision {
  switch (message.kind) {
    case "submit":
      return submit(head, unpackSubmit(message.submit), ctx);
    case "submit_set":
      return submitSet(head, message, ctx);
    case "pay":
      return pay(head, message, ctx);
    case "job_changed":
      return follow(head, message, ctx);
    case "job_discarded":
      return discard(head, message, ctx);
    case "job_deleted":
      return forget(head, message, ctx);
    case "asset_changed":
      return decision(recountAssets(head, message));
    case "files_changed": {
      const { account, rows } = countFiles(head, message, ctx);
      return decision(account, { rows });
    }
    case "remembered":
      return decision({ ...head, remembered: head.remembered + message.by });
    case "run_changed":
      return decision(head, { rows: [changeRun(message, ctx)] });
    case "issue_ticket":
      return issueTicket(head, message, ctx);
    case "ticket_spent":
      return decision({ ...head, tickets: Math.max(0, head.tickets - 1) });
    case "set_terms":
      return setTerms(head, message, ctx);
    case "unpaid_use_changed":
      return countUnpaidUse(head, message, ctx);
    case "grant":
      return grant(head, message, ctx);
    case "set_budget":
      return setBudget(head, message, ctx);
    case "renew":
      return decision(head);
  }
}

/** Messages arrive at least once; if the account is already open, only the reply is repeated. */
function open(head: Account | undefined, message: OpenAccount, ctx: Context): AccountDecision {
  const { replies } = message;
  if (head !== undefined) return decision(head, { replies });
  const { monthlyCredits } = plans[message.plan];
  const credits = message.credits ?? monthlyCredits;
  const account: Account = {
    plan: message.plan,
    createdAtMs: ctx.atMs,
    granted: credits,
    held: 0,
    spent: 0,
    planLeft: Math.min(credits, monthlyCredits),
    renewsAtMs: firstOfNextMonth(ctx.atMs),
    active: { media: 0, three_d: 0 },
    counts: [],
    quota: { day: 0, used: 0 },
    ledgerLength: 1,
    tickets: 0,
    models: [],
    waiting: 0,
    remembered: 0,
    sets: 0,
    assets: [],
    stored: 0,
    // Optional members come last (see `carryOver`): one hidden class clones fifty times as fast.
    ...(message.isOrganization === true ? { isOrganization: true } : {}),
    ...omitUndefined({ countsInto: message.countsInto }),
  };
  const entries = [{ type: "grant", amount: credits, balance: credits }] as const;
  const ledger = put(ledgerKey(ctx.self, 0), { atMs: ctx.atMs, entries });
  return decision(account, { rows: [ledger, awaitRenewal(ctx.self, account)], replies });
}

function recountAssets(account: Account, message: AssetChanged): Account {
  const { modality, from, to, bytes } = message;
  const assets = account.assets.slice();
  if (from !== undefined) change(assets, assetIndex(modality, from), -1);
  if (to !== undefined) change(assets, assetIndex(modality, to), 1);
  return { ...account, assets, stored: account.stored + bytes };
}

function issueTicket(
  account: Account,
  { digest, ticket }: IssueTicket,
  ctx: Context<ReplyTo<IssueTicket>>,
): AccountDecision {
  if (account.tickets >= limits.jobs.ticketsMax) {
    const detail = "This account has too many unredeemed stream tickets.";
    const retryAfterSeconds = limits.jobs.ticketMs / 1000;
    return refuse(account, { code: "rate_limit", retryAfterSeconds, detail }, ctx);
  }
  const address = ticketKey(getPartition(ctx.self), digest);
  return decision(
    { ...account, tickets: account.tickets + 1 },
    {
      replies: answer(ctx, { kind: "issued" }),
      effects: [tell(address, { kind: "issue", ticket })],
    },
  );
}
