/**
 * All rows of one account, read for its audit in slices between which other requests run. The
 * account's own row changes with each of its jobs and assets, so the slices agree when that row is
 * the same before and after. A fault counts only when it is found each time.
 */

import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import { AccountAudit, type Finding } from "../../actors/account/account-audit.ts";
import { renewalKey } from "../../actors/account/renewal.ts";
import { getIndexOwner, jobsOfOwnerKey } from "../../actors/job/job-index.ts";
import { type Account, type LedgerRow, ledgerRowsKey } from "../../actors/protocol/account.ts";
import { accountKey, accountsKey } from "../../actors/protocol/account-messages.ts";
import { type Asset, assetsKey } from "../../actors/protocol/asset.ts";
import { type BundleFile, bundleFileKey } from "../../actors/protocol/bundle-file.ts";
import { compositionsKey } from "../../actors/protocol/composition.ts";
import { jobKey } from "../../actors/protocol/job.ts";
import { limits } from "../../config/limits.ts";
import type { Gateway } from "../../engine/gateway.ts";
import { type Id, idAtEnd, partitionOfId } from "../../engine/id.ts";
import { getRange, type Key } from "../../engine/key.ts";
import type { TableReader, TableRow } from "../../engine/ports/tables.ts";

export interface AccountLook {
  readonly findings: readonly Finding[];
  readonly jobs: number;
  /** The account changed during each read, so the findings mean nothing. */
  readonly isMoving: boolean;
}

export async function lookAtAccount(gateway: Gateway, scope: Id): Promise<AccountLook> {
  for (let looks = 1; ; looks++) {
    const look = await lookOnce(gateway, scope);
    if (look.findings.length === 0) return { ...look, isMoving: false };
    if (looks === limits.admin.looksMax) return look;
  }
}

async function lookOnce(gateway: Gateway, scope: Id): Promise<AccountLook> {
  const key = accountKey(scope);
  const read = await gateway.ranges(key);
  const before = rowAt(read, key);
  if (before === undefined) return { findings: [missing], jobs: 0, isMoving: false };
  const account = gateway.row<Account>(before);
  const audit = new AccountAudit(account);
  const each = (prefix: Key, add: (row: TableRow) => void) => eachRow(read, prefix, add);

  await each(ledgerRowsKey(key), (row) => audit.addLedger(gateway.row<LedgerRow>(row)));
  await each(jobsOfOwnerKey(partitionOfId(scope), getIndexOwner(scope, undefined), ""), (place) => {
    const job = idAtEnd(place.key);
    const head = rowAt(read, jobKey(job));
    if (head === undefined) audit.addMissingJob(job);
    else audit.addJob(gateway.row(head));
  });
  await each(assetsKey(scope), (row) => audit.addAsset(gateway.row<Asset>(row)));
  const compositions: Key[] = [];
  await each(compositionsKey(scope), (row) => compositions.push(row.key));
  for (const composition of compositions)
    await each(bundleFileKey(composition, ""), (row) =>
      audit.addFile(gateway.row<BundleFile>(row)),
    );

  if (account.unpaidUse !== undefined)
    await each(accountsKey(partitionOfId(scope)), (row) => {
      const other = gateway.row<Account>(row);
      if (other.countsInto === scope) audit.addUnpaid(other);
    });
  if (rowAt(read, renewalKey(key, account.renewsAtMs)) !== undefined) audit.addRenewal();
  const isMoving = rowAt(read, key)?.text !== before.text;
  return { findings: audit.findings(), jobs: audit.jobs, isMoving };
}

const missing: Finding = {
  invariant: "account_exists",
  detail: "The wallet does not exist: 1 expected, 0 found.",
  expected: 1,
  found: 0,
};

async function eachRow(
  read: TableReader["range"],
  prefix: Key,
  add: (row: TableRow) => void,
): Promise<void> {
  let { start, end } = getRange(prefix);
  for (;;) {
    const rows = read({ start, end }, limits.admin.auditSlice);
    for (const row of rows) add(row);
    const last = rows.at(-1);
    if (last === undefined || rows.length < limits.admin.auditSlice) return;
    start = `${last.key}\0`;
    await turnOfTheLoop();
  }
}

function rowAt(read: TableReader["range"], key: Key): TableRow | undefined {
  return read({ start: key, end: `${key}\0` }, 1)[0];
}
