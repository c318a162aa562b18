/** Requests of crash tests to a running service, and the credit rules that must always hold. */
import type { Test } from "tap";
import type { Static } from "../../config/schema.ts";
import type { CreatedAccount, Credits } from "../../contract/account.ts";
import type { Job, JobPage } from "../../contract/job.ts";
import { firstToken } from "./klieg-process.ts";

export interface Asked<T> {
  readonly status: number;
  readonly json: T;
}

/**
 * Throws when the service goes away before it has answered. A connection for each request: on a
 * busy machine the service may close one that idles at the moment at which it is used again. It
 * also closes one on which nothing comes for some ten seconds, as when this process is busy between
 * opening it and writing: what only reads is asked once more.
 */
export async function ask<T>(
  port: number,
  token: string,
  path: string,
  body?: object,
): Promise<Asked<T>> {
  const headers = {
    authorization: `Bearer ${token}`,
    connection: "close",
    "content-type": "application/json",
  };
  const request =
    body === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(body) };
  const once = () => fetch(`http://127.0.0.1:${port}/v1${path}`, request);
  const reply = await (body === undefined ? once().catch(once) : once()).catch((fault: Error) => {
    throw new Error(`no answer to ${path}: ${fault.cause}`, { cause: fault });
  });
  return { status: reply.status, json: (await reply.json()) as T };
}

export interface Owner {
  readonly token: string;
  readonly opening: number;
}

export async function createOwners(port: number, count: number): Promise<Owner[]> {
  const opening = 1_000;
  return inTurns(count, 16, async (n) => {
    const body = {
      email: `owner-${n}@klieg.example`,
      plan: "enterprise",
      credits: opening,
      issue_token: true,
    };
    const { json } = await ask<CreatedAccount>(port, firstToken, "/admin/accounts", body);
    return { token: `${json.token}`, opening };
  });
}

/** Calls `work` for 0 to `count` - 1, at most `width` at a time. */
export async function inTurns<T>(
  count: number,
  width: number,
  work: (n: number) => Promise<T>,
): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  const lane = async () => {
    while (next < count) {
      const n = next++;
      results[n] = await work(n);
    }
  };
  await Promise.all(Array.from({ length: width }, lane));
  return results;
}

async function jobsKey(port: number, { token }: Owner): Promise<readonly Job[]> {
  const { json } = await ask<Static<typeof JobPage>>(port, token, "/jobs?limit=100");
  return json.items;
}

async function readCredits(port: number, { token }: Owner) {
  return (await ask<Static<typeof Credits>>(port, token, "/me/credits")).json;
}

/**
 * Checks that opening = balance + what the jobs were charged + what open jobs hold. Jobs go on
 * during the check, so it starts again when credits moved meanwhile.
 */
async function balances(port: number, owner: Owner): Promise<boolean> {
  for (;;) {
    const before = await readCredits(port, owner);
    const jobs = await jobsKey(port, owner);
    const after = await readCredits(port, owner);
    if (before.held_credits !== after.held_credits) continue;
    let [charged, held] = [0, 0];
    for (const { credits_charged, credits_held } of jobs) {
      charged += credits_charged ?? 0;
      held += credits_charged === null ? credits_held : 0;
    }
    const { balance_credits, held_credits } = after;
    return held === held_credits && owner.opening === (balance_credits ?? 0) + charged + held;
  }
}

export interface Acknowledged {
  readonly owner: Owner;
  readonly id: string;
}

/** Checks that each acknowledged job exists and ends. Other jobs may exist as well. */
export async function allEnd(t: Test, port: number, jobs: readonly Acknowledged[]): Promise<void> {
  const missing: string[] = [];
  const endings = new Set<string>();
  await inTurns(jobs.length, 32, async (n) => {
    const { owner, id } = jobs[n] as Acknowledged;
    const path = `/jobs/${id}/wait?timeout_seconds=900`;
    const { status, json } = await ask<Job>(port, owner.token, path);
    if (status === 200) endings.add(json.status);
    else missing.push(`${id}: ${status}`);
  });
  t.strictSame(missing, [], `all ${jobs.length} acknowledged jobs exist and end`);
  const terminal = ["canceled", "failed", "succeeded"];
  t.ok([...endings].every((status) => terminal.includes(status)));
}

export async function allBalance(t: Test, port: number, owners: readonly Owner[]): Promise<void> {
  const right = await inTurns(owners.length, 16, (n) => balances(port, owners[n] as Owner));
  t.ok(
    right.every((isRight) => isRight),
    `the ledgers of ${owners.length} accounts balance`,
  );
}
