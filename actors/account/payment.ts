import { answer, type Context, decision, put } from "../../engine/actor.ts";
import type { ReplyTo } from "../../engine/address.ts";
import {
  type Account,
  type AccountDecision,
  available,
  ledgerKey,
  refuse,
} from "../protocol/account.ts";
import type { Pay } from "../protocol/account-messages.ts";
import { commitSpending, memberBudget } from "./budget.ts";
import { commit, refusalOfRun } from "./run.ts";
import { requestRate, wallet } from "./submit.ts";

/** Charges for work already done: refused like a submit, else charged in one ledger row. */
export function pay(account: Account, message: Pay, ctx: Context<ReplyTo<Pay>>): AccountDecision {
  const { credits, note, member, turn: run } = message;
  const refusal =
    (run === undefined ? undefined : refusalOfRun(run, credits, ctx)) ??
    requestRate(account, message) ??
    memberBudget(member, credits, ctx) ??
    wallet(account, message, { hold: credits });
  if (refusal !== undefined) return refuse(account, refusal, ctx);
  const next: Account = {
    ...account,
    spent: account.spent + credits,
    planLeft: Math.max(0, account.planLeft - credits),
    ledgerLength: account.ledgerLength + 1,
  };
  const balance = available(next);
  const entries = [{ type: "charge", amount: -credits, balance }] as const;
  const row = put(ledgerKey(ctx.self, account.ledgerLength), { atMs: ctx.atMs, note, entries });
  const spent = run === undefined ? undefined : commit(run, credits, undefined, ctx);
  const rows = [row, ...commitSpending(member, credits, ctx), ...(spent?.rows ?? [])];
  return decision(next, {
    rows,
    replies: answer(ctx, { kind: "paid", balance }),
    effects: spent?.tells ?? [],
  });
}
