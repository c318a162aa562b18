import { omitUndefined } from "../../config/defined.ts";
import { answer, type Context, decision, put } from "../../engine/actor.ts";
import { count } from "../count.ts";
import { type Account, type AccountDecision, available, ledgerKey } from "../protocol/account.ts";
import type { Grant } from "../protocol/account-messages.ts";
import { createRefused } from "../refusal.ts";

/**
 * Adds credits given by an operator, or takes back credits that can still be spent. The plan's
 * credits are taken last.
 */
export function grant(account: Account, message: Grant, ctx: Context): AccountDecision {
  const { amount, note } = message;
  const balance = available(account) + amount;
  if (balance < 0) {
    const detail = `Only ${count(available(account), "credit")} can be taken back.`;
    return decision(account, {
      replies: answer(message, createRefused({ code: "conflict", detail })),
    });
  }
  const granted = account.granted + amount;
  const next: Account = {
    ...account,
    granted,
    planLeft: Math.min(account.planLeft, granted - account.spent),
    ledgerLength: account.ledgerLength + 1,
  };
  const entries = [{ type: amount < 0 ? "adjust" : "grant", amount, balance }] as const;
  const row = { atMs: ctx.atMs, entries, ...omitUndefined({ note }) };
  const key = ledgerKey(ctx.self, account.ledgerLength);
  return decision(next, {
    rows: [put(key, row)],
    replies: answer(message, { kind: "granted", balance, held: next.held }),
  });
}
