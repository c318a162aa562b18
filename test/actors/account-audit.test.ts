import t from "tap";
import { AccountAudit } from "../../actors/account/account-audit.ts";
import {
  type Account,
  assetIndex,
  countIndex,
  type LedgerRow,
} from "../../actors/protocol/account.ts";
import type { ReadyAsset } from "../../actors/protocol/asset.ts";
import type { CanceledJob, Job, Terms } from "../../actors/protocol/job.ts";

const scope = "00000000-0000-7000-8000-000000000001";
const doneId = "00000000-0000-7000-8000-00000000000a";
const openId = "00000000-0000-7000-8000-00000000000b";

function buildTerms(job: string, hold: number): Terms {
  const { createdAtMs, ...rest } = { createdAtMs: 1, modality: "image" as const, modelTag: 7 };
  return { job, scope, ...rest, provider: "sim", hold, count: 1, createdAtMs };
}

const done: Job = {
  phase: "succeeded",
  terms: buildTerms(doneId, 4),
  revision: 3,
  updatedAtMs: 3,
  startedAtMs: 2,
  completedAtMs: 3,
  charged: 3,
  assets: ["00000000-0000-7000-8000-00000000000c"],
};
const open: Job = {
  phase: "running",
  terms: buildTerms(openId, 2),
  revision: 2,
  updatedAtMs: 2,
  startedAtMs: 2,
  deadlineMs: 9,
  attempts: 0,
} as Job;

const asset: ReadyAsset = {
  phase: "ready",
  id: "00000000-0000-7000-8000-00000000000c",
  scope,
  createdAtMs: 3,
  origin: { job: doneId },
  media: { objectKey: "jobs/c", mimeType: "image/png", sizeBytes: 500, sha256: "c" },
};
const file = { sha256: "f", size: 70 };

const ledger: readonly LedgerRow[] = [
  { atMs: 0, entries: [{ type: "grant", amount: 100, balance: 100 }] },
  { atMs: 1, job: doneId, entries: [{ type: "hold", amount: -4, balance: 96 }] },
  { atMs: 1, job: openId, entries: [{ type: "hold", amount: -2, balance: 94 }] },
  {
    atMs: 3,
    job: doneId,
    entries: [
      { type: "release", amount: 4, balance: 98 },
      { type: "charge", amount: -3, balance: 95 },
    ],
  },
];

function countMembers(...indexes: readonly number[]): number[] {
  const counts: number[] = new Array<number>(Math.max(...indexes) + 1).fill(0);
  for (const index of indexes) counts[index] = 1;
  return counts;
}

const account: Account = {
  plan: "pro",
  createdAtMs: 0,
  granted: 100,
  held: 2,
  spent: 3,
  planLeft: 97,
  renewsAtMs: 9_999,
  active: { media: 1, three_d: 0 },
  counts: countMembers(countIndex("image", "succeeded"), countIndex("image", "running")),
  quota: { day: 0, used: 2 },
  ledgerLength: 4,
  tickets: 0,
  models: [7],
  waiting: 0,
  remembered: 0,
  sets: 0,
  assets: countMembers(assetIndex("image", "ready")),
  stored: 570,
};

interface Rows {
  readonly account: Account;
  readonly ledger: readonly LedgerRow[];
  readonly jobs: readonly Job[];
  readonly assets: readonly ReadyAsset[];
  readonly renewals: number;
}

/** Runs the audit with some rows changed; returns its findings. */
function audit(changed: Partial<Rows>): string[] {
  const all = { account, ledger, jobs: [done, open], assets: [asset], renewals: 1 };
  const rows: Rows = { ...all, ...changed };
  const one = new AccountAudit(rows.account);
  for (const row of rows.ledger) one.addLedger(row);
  for (const job of rows.jobs) one.addJob(job);
  for (const some of rows.assets) one.addAsset(some);
  one.addFile(file);
  one.addFile(file);
  for (let row = 0; row < rows.renewals; row++) one.addRenewal();
  return one.findings().map(({ invariant, detail }) => `${invariant}: ${detail}`);
}

t.test("an account whose rows agree breaks nothing, and equal files count once", async (t) => {
  t.strictSame(audit({}), []);
});

t.test("I6: each entry leaves what the one before it left and its amount", async (t) => {
  const [first, second, ...rest] = ledger as [LedgerRow, LedgerRow, ...LedgerRow[]];
  const wrong = { ...second, entries: [{ type: "hold", amount: -4, balance: 97 } as const] };
  t.strictSame(audit({ ledger: [first, wrong, ...rest] }), [
    "ledger_chain: Entry hold of ledger row 1 leaves 96 expected, 97 found.",
    "ledger_chain: Entry hold of ledger row 2 leaves 95 expected, 94 found.",
  ]);
});

t.test("I6: what was granted is available, held or spent", async (t) => {
  t.strictSame(audit({ account: { ...account, granted: 101 } }), [
    "granted: Credits granted: 100 expected, 101 found.",
    "balance: Credits available: 95 expected, 96 found.",
  ]);
  t.strictSame(audit({ account: { ...account, spent: 4 } }), [
    "spent: Credits spent: 3 expected, 4 found.",
    "balance: Credits available: 95 expected, 94 found.",
  ]);
  t.strictSame(audit({ account: { ...account, ledgerLength: 5 } }), [
    "ledger_length: Rows in the ledger: 4 expected, 5 found.",
  ]);
});

t.test(
  "I6: what is held is the sum of the open holds, pending settlements among them",
  async (t) => {
    t.strictSame(audit({ account: { ...account, held: 3, granted: 101 } }), [
      "granted: Credits granted: 100 expected, 101 found.",
      "held: Credits held by open jobs: 2 expected, 3 found.",
      "held: Credits held in the ledger: 2 expected, 3 found.",
    ]);
    const pending = {
      ...open,
      phase: "canceled",
      completedAtMs: 3,
      stage: "provider_running",
      settlement: { kind: "pending", limitMs: 9 },
      canceledBy: scope,
    } as CanceledJob;
    const counts = countMembers(countIndex("image", "succeeded"), countIndex("image", "canceled"));
    const freed = { ...account, counts, active: { media: 0, three_d: 0 } };
    t.strictSame(audit({ jobs: [done, pending], account: freed }), []);
  },
);

t.test("each hold is resolved once", async (t) => {
  const again = { atMs: 4, job: doneId, entries: [{ type: "release", amount: 4, balance: 99 }] };
  t.ok(
    audit({ ledger: [...ledger, again as LedgerRow] }).includes(
      `hold_resolved_once: Credits released from the hold of job ${doneId}: 0 expected, 4 found.`,
    ),
  );
  const ended = { ...done, terms: buildTerms(openId, 2) };
  t.ok(
    audit({ jobs: [done, ended] }).includes(
      `hold_resolved_once: Credits that job ${openId} holds in the ledger: 0 expected, 2 found.`,
    ),
    "a job that ended without releasing its hold",
  );
});

t.test("I7: slots are those of open jobs, and jobs of sets wait without one", async (t) => {
  t.strictSame(audit({ account: { ...account, active: { media: 0, three_d: 1 } } }), [
    "slots: Slots of media jobs: 1 expected, 0 found.",
    "slots: Slots of 3D jobs: 0 expected, 1 found.",
  ]);
  t.strictSame(audit({ account: { ...account, waiting: 1 } }), [
    "slots: Jobs waiting for a slot: 0 expected, 1 found.",
  ]);
});

t.test("counts by modality and status are those of the jobs and assets", async (t) => {
  t.strictSame(audit({ account: { ...account, counts: [] } }), [
    "job_counts: Number of image jobs that are running: 1 expected, 0 found.",
    "job_counts: Number of image jobs that are succeeded: 1 expected, 0 found.",
  ]);
  t.strictSame(audit({ assets: [] }), [
    "asset_counts: Number of image assets that are ready: 0 expected, 1 found.",
    "stored_bytes: Bytes in assets and files: 70 expected, 570 found.",
  ]);
});

t.test("an account stands where the sweep finds it at its next renewal", async (t) => {
  t.strictSame(audit({ renewals: 0 }), [
    "renewal_awaited: Rows of the next renewal: 1 expected, 0 found.",
  ]);
});

t.test("the findings of one account are bounded", async (t) => {
  const wrong = Array.from({ length: 1_000 }, () => ledger[0] as LedgerRow);
  t.equal(audit({ ledger: wrong }).length, 20);
});
