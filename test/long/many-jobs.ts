/** Fills a store with many jobs by requests, and reads what must never change in it. */

import type { Static } from "../../config/schema.ts";
import type { Credits } from "../../contract/account.ts";
import type { InvariantPage } from "../../contract/admin.ts";
import { ask, createOwners, inTurns, type Owner } from "../crash/accounts.ts";
import { firstToken } from "../crash/klieg-process.ts";

const ownerCount = 200;

/** Makes this many jobs; resolves to their owners when all jobs have ended. */
export async function makeManyJobs(port: number, count: number): Promise<readonly Owner[]> {
  const owners = await createOwners(port, ownerCount);
  await inTurns(count, 64, async (n) => {
    const body = { model: "sim-instant", prompt: `kite ${n}` };
    const token = `${owners[n % ownerCount]?.token}`;
    const { status } = await ask(port, token, "/generate/image", body);
    if (status !== 202) throw new Error(`job ${n} was answered ${status}`);
  });
  while ((await audit(port)).jobs < count);
  return owners;
}

/** Returns how many jobs there are, and what is wrong. */
export async function audit(port: number) {
  const sums = { jobs: 0, items: [] as unknown[] };
  let cursor = "";
  do {
    const path = `/admin/invariants${cursor === "" ? "" : `?cursor=${cursor}`}`;
    const { json } = await ask<InvariantPage>(port, firstToken, path);
    sums.jobs += json.jobs;
    sums.items.push(...json.items);
    cursor = json.next_cursor ?? "";
  } while (cursor !== "");
  return sums;
}

export function readCredits(port: number, owners: readonly Owner[]) {
  return inTurns(owners.length, 8, async (n) => {
    const { json } = await ask<Static<typeof Credits>>(port, `${owners[n]?.token}`, "/me/credits");
    return json.balance_credits;
  });
}
