/**
 * Tracks what an agent's run may still spend. The row belongs to the account, since the account
 * accepts and settles jobs; it notifies the session of each change.
 */

import { type Context, put, type RowWrite, type Tell, tell } from "../../engine/actor.ts";
import { type Id, keyOfId } from "../../engine/id.ts";
import type { Key } from "../../engine/key.ts";
import type { RunChanged } from "../protocol/account-messages.ts";
import type { TurnOfJob } from "../protocol/job.ts";
import { sessionKey } from "../protocol/session.ts";
import type { Refusal } from "../refusal.ts";
import { codes } from "../table-codes.ts";

export interface Run {
  /** Credits that the customer approved for the run, or null for no limit. */
  readonly ceiling: number | null;
  /** Credits committed by the run: holds plus charges, less refunds. */
  readonly committed: number;
  readonly isEnded: boolean;
}

export function changeRun({ turn: id, ceiling, isEnded }: RunChanged, ctx: Context): RowWrite {
  const key = runKey(id);
  const committed = ctx.get(key)?.committed ?? 0;
  return put(key, { ceiling, committed, isEnded });
}

export function refusalOfRun(
  { turn: id }: TurnOfJob,
  price: number,
  ctx: Context,
): Refusal | undefined {
  const run = ctx.get(runKey(id));
  if (run === undefined || run.isEnded) return { code: "run_ended" };
  const total = run.committed + price;
  if (run.ceiling === null || total <= run.ceiling) return undefined;
  return {
    code: "approval_required",
    creditsRequired: price,
    runTotalCredits: total,
    creditCeiling: run.ceiling,
  };
}

/** Adds `credits` to the run (refunds are negative). `job` is the job being accepted, if any. */
export function commit(
  { session, turn: id }: TurnOfJob,
  credits: number,
  job: Id | undefined,
  ctx: Context,
): { readonly rows: readonly RowWrite[]; readonly tells: readonly Tell[] } {
  const run = ctx.get(runKey(id));
  if (run === undefined) return { rows: [], tells: [] };
  const committed = run.committed + credits;
  const spent = { kind: "spent", turn: id, committed, job } as const;
  return {
    rows: [put(runKey(id), { ...run, committed })],
    tells: [tell(sessionKey(session), spent)],
  };
}

/** Key of the row with what the run of an agent's turn has spent. */
export function runKey(turn: Id): Key<Run> {
  return keyOfId(codes.run, turn);
}
