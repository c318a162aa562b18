/**
 * The accounts that a load comes from, and what must be true of them afterwards:
 *
 * 1. As many jobs exist as were answered 202; more only by what was on its way when the clock
 *    stopped.
 * 2. Every job is terminal in the end.
 * 3. On sampled accounts opening credits = balance + held + charged.
 */
import { setTimeout as pause } from "node:timers/promises";
import { Klieg } from "../../clients/typescript/src/klieg.ts";

const atOnce = 32;
const openingCredits = 1_000_000_000;
const settleMs = 60_000;

export interface Account {
  /** Id of the account, as jobs name their owner. */
  readonly id: string;
  readonly token: string;
  readonly client: Klieg;
}

export async function createAccounts(
  origin: string,
  token: string,
  size: number,
): Promise<Account[]> {
  const operator = new Klieg({ url: origin, token, surface: "api" });
  const run = Date.now().toString(36);
  return inParallel(
    Array.from({ length: size }, (_, index) => index),
    async (index) => {
      const account = await operator.admin.createAccount({
        email: `bench-${run}-${index}@bench.invalid`,
        plan: "enterprise",
        credits: openingCredits,
        issue_token: true,
      });
      if (account.token === undefined) throw new Error("An account came without its token.");
      return { id: account.id, token: account.token, client: createClient(origin, account.token) };
    },
  );
}

export function countJobs(accounts: readonly Account[]): Promise<number> {
  return sumOfTotals(accounts, {});
}

/** Waits until no job is queued or running; returns how many still are when the time is up. */
export async function untilSettled(accounts: readonly Account[]): Promise<number> {
  const until = performance.now() + settleMs;
  for (;;) {
    const open = await sumOfTotals(accounts, { status: "queued,running" });
    if (open === 0 || performance.now() > until) return open;
    await pause(500);
  }
}

/** Counts the accounts whose balance, held and charged credits add up to what they began with. */
export async function countBalanced(accounts: readonly Account[]): Promise<number> {
  const sound = await inParallel(accounts, async ({ client }) => {
    const charged = await readChargedCredits(client);
    const { balance_credits: balance, held_credits: held } = await client.credits.get();
    return (balance ?? 0) + held + charged === openingCredits;
  });
  return sound.filter(Boolean).length;
}

async function readChargedCredits(client: Klieg): Promise<number> {
  let charged = 0;
  let cursor: string | null | undefined;
  do {
    const page = await client.jobs.list({ limit: 100, ...(cursor && { cursor }) });
    for (const job of page.items) charged += job.credits_charged ?? 0;
    cursor = page.next_cursor;
  } while (cursor);
  return charged;
}

async function sumOfTotals(accounts: readonly Account[], query: Record<string, string>) {
  const totals = await inParallel(accounts, async ({ client }) => {
    return (await client.jobs.list({ limit: 1, ...query })).total;
  });
  return totals.reduce((sum, total) => sum + total, 0);
}

/** Runs `act` on all items in parallel and returns the results in the order of `items`. */
export async function inParallel<T, R>(
  items: readonly T[],
  act: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = new Array(items.length);
  const rest = items.entries();
  const lane = async () => {
    for (const [index, item] of rest) results[index] = await act(item);
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return results;
}

function createClient(origin: string, token: string): Klieg {
  return new Klieg({ url: origin, token, surface: "api" });
}
