/**
 * What an account does: hold, settle, count and refuse.
 *
 * I6 the ledger balances: granted = available + held + spent, held = sum of the open jobs' holds;
 *    checked by difference in each turn, since a full sum would grow with history. A hold stands
 *    with its job, which settles once (I5), and is told here in the same turn.
 * I7 active holds never exceed the ceiling at the moment of a submit.
 * I9 one job per duplicate fingerprint in its window.
 * A submit's hold, slot, fingerprint, job and reply are one turn: all durable or none.
 */
import { modalities } from "../../config/catalogue.ts";
import { limits } from "../../config/limits.ts";
import { plans } from "../../config/plans.ts";
import { type Actor, put, type TurnView, tell } from "../../engine/actor.ts";
import type { Id } from "../../engine/id.ts";
import { invariant } from "../../engine/invariant.ts";
import { vpartOf } from "../../engine/key.ts";
import { type JobStatus, jobStatuses } from "../contract/job.ts";
import { refused } from "../refusal.ts";
import { ledgerKey, ticketKey } from "../tables.ts";
import type { Ticket } from "../ticket/ticket.ts";
import {
  type Account,
  type AccountMessage,
  type AccountTurn,
  answer,
  available,
  change,
  countIndex,
  firstOfNextMonth,
  type Grant,
  type JobChanged,
  type OpenAccount,
  only,
  poolOf,
  refuse,
} from "./account.ts";
import { givenBack, type HeldBy, setBudget } from "./budget.ts";
import { renew } from "./renewal.ts";
import { submit } from "./submit.ts";

export const accountActor: Actor<Account, AccountMessage, never> = {
  kind: "account",
  decide(head, message, turn) {
    if (message.kind === "open") return open(head, message, turn);
    invariant(head !== undefined, `an account exists before it gets ${message.kind}`);
    switch (message.kind) {
      case "submit":
        return submit(head, message, turn);
      case "job_changed":
        return follow(head, message, turn);
      case "issue_ticket":
        return issueTicket(head, message.digest, message.ticket, turn);
      case "ticket_spent":
        return only({ ...head, tickets: Math.max(0, head.tickets - 1) });
      case "set_plan":
        return only({ ...head, plan: message.plan });
      case "grant":
        return grant(head, message, turn);
      case "set_budget":
        return setBudget(head, message, turn);
      case "due":
        return renew(head, turn);
    }
  },
  dueAt: (account) => account.renewsAtMs,
};

/** At least once: an account that is open already only repeats its answer. */
function open(head: Account | undefined, message: OpenAccount, turn: TurnView): AccountTurn {
  const replies =
    message.request === undefined ? [] : [{ to: message.request, reply: message.reply }];
  if (head !== undefined) return only(head, [], replies);
  const { monthlyCredits } = plans[message.plan];
  const credits = message.credits ?? monthlyCredits;
  const account: Account = {
    plan: message.plan,
    ...(message.isOrganization === true ? { isOrganization: true } : {}),
    createdAtMs: turn.atMs,
    granted: credits,
    held: 0,
    spent: 0,
    planLeft: Math.min(credits, monthlyCredits),
    renewsAtMs: firstOfNextMonth(turn.atMs),
    active: { media: 0, three_d: 0 },
    counts: new Array<number>(modalities.length * jobStatuses.length).fill(0),
    quota: { day: 0, used: 0 },
    ledgerLength: 1,
    tickets: 0,
  };
  const entries = [{ type: "grant", amount: credits, balance: credits }] as const;
  return only(account, [put(ledgerKey(turn.self, 0), { atMs: turn.atMs, entries })], replies);
}

function follow(account: Account, message: JobChanged, turn: TurnView): AccountTurn {
  const moved = message.from === message.to ? account : recount(account, message);
  if (message.settled === undefined) return only(moved);
  return settle(moved, message.job, message.settled, message.heldBy, turn);
}

/** Counts by status, and the slot that the end of a job frees. */
function recount(account: Account, { modality, from, to }: JobChanged): Account {
  const counts = account.counts.slice();
  change(counts, countIndex(modality, from), -1);
  change(counts, countIndex(modality, to), 1);
  if (isActive(to)) return { ...account, counts };
  const pool = poolOf(modality);
  const active = { ...account.active, [pool]: account.active[pool] - 1 };
  invariant(active[pool] >= 0, "a slot is freed once (I7)");
  return { ...account, counts, active };
}

function isActive(status: JobStatus): boolean {
  return status === "queued" || status === "running";
}

/**
 * The whole hold comes back, then the charge goes off; together they are the one resolution of the
 * hold.
 */
function settle(
  account: Account,
  job: Id,
  { hold, charge }: { hold: number; charge: number },
  heldBy: HeldBy | undefined,
  turn: TurnView,
): AccountTurn {
  if (hold === 0) return only(account);
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
  const row = put(ledgerKey(turn.self, account.ledgerLength), {
    atMs: turn.atMs,
    job,
    entries,
  });
  const isLess = heldBy !== undefined && charge < hold;
  return only(next, isLess ? [row, givenBack(heldBy, hold - charge, turn)] : [row]);
}

/** What is taken back comes from what can still be spent, the plan's credits last. */
function grant(account: Account, { amount, note, request }: Grant, turn: TurnView): AccountTurn {
  const balance = available(account) + amount;
  const reply = (value: unknown) => (request === undefined ? [] : [{ to: request, reply: value }]);
  if (balance < 0) {
    const detail = `Only ${available(account)} credits can be taken back.`;
    return only(account, [], reply(refused({ code: "conflict", detail })));
  }
  const granted = account.granted + amount;
  const next: Account = {
    ...account,
    granted,
    planLeft: Math.min(account.planLeft, granted - account.spent),
    ledgerLength: account.ledgerLength + 1,
  };
  const entries = [{ type: amount < 0 ? "adjust" : "grant", amount, balance }] as const;
  const row = { atMs: turn.atMs, entries, ...(note === undefined ? {} : { note }) };
  const key = ledgerKey(turn.self, account.ledgerLength);
  return only(next, [put(key, row)], reply({ kind: "granted", balance, held: next.held }));
}

function issueTicket(
  account: Account,
  digest: string,
  ticket: Ticket,
  turn: TurnView,
): AccountTurn {
  if (account.tickets >= limits.jobs.ticketsMax) {
    const detail = "Too many stream tickets of this account are unredeemed.";
    const retryAfterSeconds = limits.jobs.ticketMs / 1000;
    return refuse(account, { code: "rate_limit", retryAfterSeconds, detail }, turn);
  }
  const address = ticketKey(vpartOf(turn.self), digest);
  return only({ ...account, tickets: account.tickets + 1 }, [], answer(turn, { kind: "issued" }), [
    tell(address, { kind: "issue", ticket }),
  ]);
}
