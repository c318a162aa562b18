/** Reads everything that a store has of the load's accounts, while the load is held. */
import { setTimeout as delay } from "node:timers/promises";
import type { Static } from "../../config/schema.ts";
import type { Credits } from "../../contract/account.ts";
import type { InvariantPage } from "../../contract/admin.ts";
import type { Job } from "../../contract/job.ts";
import type { LedgerEntry } from "../../contract/ledger.ts";
import { type Account, opening } from "./accounts.ts";
import type { Books, Found, FoundThing } from "./checker.ts";
import { ask, isAway, parseReply } from "./client.ts";
import { type Cluster, type EngineNode, firstToken } from "./cluster.ts";

const patienceSeconds = 90;
const againMs = 200;

interface Page<Item> {
  readonly items: readonly Item[];
  /** Cursor of the next page; absent in lists that are returned whole. */
  readonly next_cursor?: string | null;
}

interface Named {
  readonly id: string;
  readonly status: string;
  readonly name?: string;
}

/** Reads all accounts. Throws when the nodes do not answer for a long time. */
export function findAll(accounts: readonly Account[]): Promise<readonly Found[]> {
  return Promise.all(accounts.map(find));
}

/** Reads one account; starts again when jobs ended meanwhile. */
async function find(account: Account): Promise<Found> {
  const { token, nodes, compositionId } = account;
  const until = process.uptime() + patienceSeconds;
  for (;;) {
    const before = await read<Static<typeof Credits>>(nodes, token, "/me/credits");
    const jobs = await readAll<Job>(nodes, token, "/jobs?limit=100");
    const ledger = await readAll<LedgerEntry>(nodes, token, "/me/credits/ledger?limit=100");
    const after = await read<Static<typeof Credits>>(nodes, token, "/me/credits");
    const isSame =
      before.held_credits === after.held_credits &&
      before.balance_credits === after.balance_credits;
    if (!isSame && process.uptime() < until) continue;
    const [sets, renders, uploads] = await Promise.all([
      readAll<Named>(nodes, token, "/sets?limit=100"),
      readAll<Named>(nodes, token, `/compositions/${compositionId}/renders`),
      readAll<Named>(nodes, token, "/assets?limit=100&source=upload"),
    ]);
    const things: FoundThing[] = [
      ...jobs
        .filter((job) => job.set_id === null)
        .map(({ id, status, summary }) => thing("job", id, status, summary.split(" ")[0])),
      ...sets.map(({ id, status, name }) => thing("set", id, status, name)),
      ...renders.map(({ id, status }) => thing("render", id, status)),
      ...uploads
        .filter(({ id }) => id !== account.assetId)
        .map(({ id, status }) => thing("asset", id, status)),
    ];
    return { account: account.name, things, books: summarizeBooks(after, jobs, ledger) };
  }
}

function thing(what: FoundThing["what"], id: string, status: string, key?: string): FoundThing {
  return { what, id, status, key };
}

function summarizeBooks(
  credits: Static<typeof Credits>,
  jobs: readonly Job[],
  ledger: readonly LedgerEntry[],
): Books {
  return {
    opening,
    balance: credits.balance_credits ?? 0,
    held: credits.held_credits,
    jobs: jobs.map((job) => ({
      id: job.id,
      charged: job.credits_charged ?? null,
      held: job.credits_held,
    })),
    ledger: ledger.flatMap(({ job_id: job, type, amount }) =>
      job === undefined ? [] : [{ job, type, amount }],
    ),
  };
}

/** Returns the invariants that the service itself finds violated in each store. */
export async function audit(cluster: Cluster): Promise<string[]> {
  const pages = await Promise.all(
    cluster.stores.map((nodes) => read<InvariantPage>(nodes, firstToken, "/admin/invariants")),
  );
  return pages.flatMap(({ items }) => items.map((item) => JSON.stringify(item)));
}

async function readAll<Item>(
  nodes: readonly EngineNode[],
  token: string,
  path: string,
): Promise<Item[]> {
  const items: Item[] = [];
  let cursor = "";
  do {
    const page = await read<Page<Item>>(nodes, token, `${path}${cursor}`);
    items.push(...page.items);
    const next = page.next_cursor ?? undefined;
    cursor = next === undefined ? "" : `&cursor=${encodeURIComponent(next)}`;
  } while (cursor !== "");
  return items;
}

async function read<T>(nodes: readonly EngineNode[], token: string, path: string): Promise<T> {
  const until = process.uptime() + patienceSeconds;
  for (let attempt = 0; ; attempt++) {
    const node = nodes[attempt % nodes.length] as EngineNode;
    const reply = await ask(node, { path, token, timeoutMs: 20_000 });
    if (reply.status === 200) return parseReply<T>(reply);
    if (!isAway(reply) || process.uptime() > until)
      throw new Error(`${path} was answered ${reply.status}: ${reply.text}`);
    await delay(againMs);
  }
}
