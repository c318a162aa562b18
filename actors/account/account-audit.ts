/**
 * What must hold of an account at any moment, computed anew from all of its rows. The actor checks
 * by difference, step by step; this counts everything, so it finds old errors.
 *
 * Rows may be added in slices, those of the ledger in their order; `findings` says what is broken.
 */

import { limits } from "../../config/limits.ts";
import { modalities } from "../../config/modalities.ts";
import { assetStatuses } from "../../contract/asset.ts";
import type { Invariant } from "../../contract/invariants.ts";
import { type JobStatus, jobStatuses } from "../../contract/job.ts";
import type { Id } from "../../engine/id.ts";
import {
  type Account,
  assetIndex,
  available,
  change,
  countIndex,
  getPool,
  type LedgerEntryType,
  type LedgerRow,
} from "../protocol/account.ts";
import type { StoredFile } from "../protocol/account-messages.ts";
import {
  type Asset,
  getMimeType,
  getModality,
  getStatus,
  getStoredBytes,
} from "../protocol/asset.ts";
import type { Job } from "../protocol/job.ts";

/** `expected` is what the rows add up to, `found` the stored value. */
export interface Finding {
  readonly invariant: Invariant;
  readonly detail: string;
  readonly expected: number;
  readonly found: number;
}

/** The sum that each type of ledger entry adds to. */
const sumOfType: Readonly<Record<LedgerEntryType, "granted" | "held" | "spent">> = {
  grant: "granted",
  adjust: "granted",
  expire: "granted",
  hold: "held",
  release: "held",
  charge: "spent",
  refund: "spent",
};

export class AccountAudit {
  jobs = 0;
  private readonly account: Account;
  private readonly found: Finding[] = [];
  private readonly sums = { granted: 0, held: 0, spent: 0 };
  private rows = 0;
  private balance = 0;
  /** Ledger holds not yet released (`holds`), and holds that jobs must resolve (`unresolved`). */
  private readonly holds = new Map<Id, number>();
  private readonly unresolved = new Map<Id, number>();
  private readonly active = { media: 0, three_d: 0 };
  private waiting = 0;
  private readonly counts: number[] = [];
  private readonly assets: number[] = [];
  private assetBytes = 0;
  private renewals = 0;
  private readonly sizeBySha256 = new Map<string, number>();
  /** Slots and bytes used by the organizations that count into the account. */
  private readonly unpaidUse = { media: 0, three_d: 0, stored: 0 };

  constructor(account: Account) {
    this.account = account;
  }

  addLedger({ job, entries }: LedgerRow): void {
    const row = this.rows++;
    for (const { type, amount, balance } of entries) {
      const name = `Entry ${type} of ledger row ${row} leaves`;
      this.compare("ledger_chain", name, this.balance + amount, balance);
      this.balance = balance;
      this.sums[sumOfType[type]] += amount;
      if (job === undefined) continue;
      if (type === "hold") this.hold(job, -amount);
      if (type === "release") this.release(job, amount);
    }
  }

  addJob(job: Job): void {
    const { terms, phase } = job;
    this.jobs++;
    change(this.counts, countIndex(terms.modality, phase), 1);
    const isOpen = phase === "queued" || phase === "running";
    const isPending = phase === "canceled" && job.settlement.kind === "pending";
    if ((isOpen || isPending) && terms.hold > 0) this.unresolved.set(terms.job, terms.hold);
    if (phase === "queued" && job.waits === true) this.waiting++;
    else if (isOpen) this.active[getPool(terms.modality)]++;
  }

  /** Records that a listing names a job that does not exist. */
  addMissingJob(job: Id): void {
    this.add("jobs_listed", `Job ${job} is listed but does not exist:`, 1, 0);
  }

  addAsset(asset: Asset): void {
    const status = getStatus(asset);
    if (status === undefined) return;
    change(this.assets, assetIndex(getModality(getMimeType(asset)), status), 1);
    this.assetBytes += getStoredBytes(asset);
  }

  addFile({ sha256, size }: StoredFile): void {
    this.sizeBySha256.set(sha256, size);
  }

  /** Adds the use of an unpaid organization that counts into the account. */
  addUnpaid({ active, stored }: Account): void {
    this.unpaidUse.media += active.media;
    this.unpaidUse.three_d += active.three_d;
    this.unpaidUse.stored += stored;
  }

  /** Counts a row by which the sweep finds the account at its next renewal. */
  addRenewal(): void {
    this.renewals++;
  }

  findings(): readonly Finding[] {
    const { account, sums, active } = this;
    this.compare("ledger_length", "Rows in the ledger:", this.rows, account.ledgerLength);
    this.compare("granted", "Credits granted:", sums.granted, account.granted);
    this.compare("spent", "Credits spent:", -sums.spent, account.spent);
    this.compare("balance", "Credits available:", this.balance, available(account));
    this.compare("held", "Credits held by open jobs:", sumCredits(this.unresolved), account.held);
    this.compare("held", "Credits held in the ledger:", -sums.held, account.held);
    this.compareHolds();
    this.compare("slots", "Slots of media jobs:", active.media, account.active.media);
    this.compare("slots", "Slots of 3D jobs:", active.three_d, account.active.three_d);
    this.compare("slots", "Jobs waiting for a slot:", this.waiting, account.waiting);
    this.compareCounts("job_counts", this.counts, account.counts, jobStatuses, "jobs");
    this.compareCounts("asset_counts", this.assets, account.assets, assetStatuses, "assets");
    const stored = this.assetBytes + sumCredits(this.sizeBySha256);
    this.compare("stored_bytes", "Bytes in assets and files:", stored, account.stored);
    this.compareUnpaidUse();
    this.compare("renewal_awaited", "Rows of the next renewal:", 1, this.renewals);
    return this.found;
  }

  private compareUnpaidUse(): void {
    const { media = 0, three_d = 0, stored = 0 } = this.account.unpaidUse ?? {};
    const [sums, of] = [this.unpaidUse, "of unpaid organizations:"];
    this.compare("unpaid_use", `Slots of media jobs ${of}`, sums.media, media);
    this.compare("unpaid_use", `Slots of 3D jobs ${of}`, sums.three_d, three_d);
    this.compare("unpaid_use", `Bytes ${of}`, sums.stored, stored);
  }

  private hold(job: Id, credits: number): void {
    if (this.holds.has(job))
      this.add("hold_resolved_once", `Holds of job ${job} in the ledger:`, 1, 2);
    this.holds.set(job, credits);
  }

  private release(job: Id, credits: number): void {
    const held = this.holds.get(job);
    this.holds.delete(job);
    const name = `Credits released from the hold of job ${job}:`;
    this.compare("hold_resolved_once", name, held ?? 0, credits);
  }

  /** Checks that the ledger holds exactly the credits that open jobs have to resolve. */
  private compareHolds(): void {
    for (const job of new Set([...this.holds.keys(), ...this.unresolved.keys()])) {
      const name = `Credits that job ${job} holds in the ledger:`;
      const [expected, found] = [this.unresolved.get(job) ?? 0, this.holds.get(job) ?? 0];
      this.compare("hold_resolved_once", name, expected, found);
    }
  }

  private compareCounts(
    invariant: Finding["invariant"],
    counted: readonly number[],
    stored: readonly number[],
    statuses: readonly (JobStatus | (typeof assetStatuses)[number])[],
    what: string,
  ): void {
    for (let at = 0; at < Math.max(counted.length, stored.length); at++) {
      const modality = modalities[Math.floor(at / statuses.length)] ?? "other";
      const name = `Number of ${modality} ${what} that are ${statuses[at % statuses.length]}:`;
      this.compare(invariant, name, counted[at] ?? 0, stored[at] ?? 0);
    }
  }

  private compare(
    invariant: Finding["invariant"],
    name: string,
    expected: number,
    found: number,
  ): void {
    if (expected !== found) this.add(invariant, name, expected, found);
  }

  private add(
    invariant: Finding["invariant"],
    name: string,
    expected: number,
    found: number,
  ): void {
    if (this.found.length >= limits.admin.findingsMax) return;
    const detail = `${name} ${expected} expected, ${found} found.`;
    this.found.push({ invariant, detail, expected, found });
  }
}

function sumCredits(credits: ReadonlyMap<unknown, number>): number {
  let sum = 0;
  for (const some of credits.values()) sum += some;
  return sum;
}
