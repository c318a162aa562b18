/**
 * Reports the charges of the jobs of a context, grouped. They are computed from its ledger and the
 * requests, in steps between which other requests are served.
 */

import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import type { LedgerRow } from "../../actors/protocol/account.ts";
import { type JobRequest, jobRequestKey } from "../../actors/protocol/job.ts";
import { limits } from "../../config/limits.ts";
import type { ReportGroup, SpendReport } from "../../contract/ledger.ts";
import type { Gateway } from "../../engine/gateway.ts";
import type { Id } from "../../engine/id.ts";
import { timestamp } from "../../engine/timestamp.ts";
import { type Answer, json } from "../exchange/answer.ts";
import { RefusalError } from "../exchange/refusal-error.ts";
import { negotiateType } from "../request/negotiation.ts";
import type { Call } from "../route.ts";
import { type Ledger, readLedger, rowsBetween } from "./ledger-listing.ts";

export interface ReportQuery {
  readonly from: number | undefined;
  readonly to: number | undefined;
  readonly group_by: ReportGroup;
}

interface Sum {
  jobs: number;
  credits: number;
}

/** The report of one scope, as JSON or, where the caller prefers it, as CSV. */
export async function spendReport(
  { service, query, request }: Call<unknown, ReportQuery>,
  scope: Id,
): Promise<Answer> {
  const form = negotiateType(request.headers["accept"], ["application/json", "text/csv"]);
  const nowMs = service.clock.nowMs();
  const { fromMs, toMs } = parseSpan(query, nowMs);
  const group = query.group_by;
  const ledger = readLedger(service.gateway, scope, nowMs);
  const sums = await sumFiles(service.gateway, ledger, fromMs, toMs, group);
  const items = [...sums]
    .map(([key, { jobs, credits }]) => ({ key, jobs, credits_charged: credits }))
    .sort((a, b) => order(a.key ?? "", b.key ?? ""));
  const report: SpendReport = {
    from: timestamp(fromMs),
    to: timestamp(toMs),
    group_by: group,
    items,
    total: {
      jobs: items.reduce((sum, { jobs }) => sum + jobs, 0),
      credits_charged: items.reduce((sum, item) => sum + item.credits_charged, 0),
    },
  };
  return form === "text/csv" ? csv(report) : json(200, report);
}

function order(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** From `from` until just before `to`; by default the current month up to now. */
function parseSpan(query: ReportQuery, nowMs: number): { fromMs: number; toMs: number } {
  const toMs = query.to ?? nowMs + 1;
  const last = new Date(toMs - 1);
  const fromMs = query.from ?? Date.UTC(last.getUTCFullYear(), last.getUTCMonth());
  const { reportDaysMax } = limits.ledger;
  const detail =
    fromMs > toMs ? "must not be after to" : `must be at most ${reportDaysMax} days before to`;
  if (fromMs > toMs || toMs - fromMs > reportDaysMax * 86_400_000)
    throw new RefusalError({ code: "validation", faults: [{ pointer: "?from", detail }] });
  return { fromMs, toMs };
}

async function sumFiles(
  gateway: Gateway,
  ledger: Ledger,
  fromMs: number,
  toMs: number,
  group: ReportGroup,
): Promise<Map<string | null, Sum>> {
  const sums = new Map<string | null, Sum>();
  const { start, end } = rowsBetween(ledger, fromMs - 1, toMs - 1);
  for (let row = start; row < end; row++) {
    if ((row - start + 1) % limits.ledger.reportStride === 0) await turnOfTheLoop();
    const stored = ledger.row(row);
    const charged = stored === undefined ? undefined : getCharge(stored);
    if (stored === undefined || charged === undefined) continue;
    const { job } = stored;
    const isAsked = job !== undefined && group !== "day";
    const request = isAsked ? gateway.read(jobRequestKey(job)) : undefined;
    const key = getGroupKey(group, stored, request);
    const isRoom = sums.has(key) || sums.size < limits.ledger.reportGroupsMax;
    const name = isRoom ? key : "(others)";
    const sum = sums.get(name) ?? { jobs: 0, credits: 0 };
    if (job !== undefined) sum.jobs++;
    sum.credits += charged;
    sums.set(name, sum);
  }
  return sums;
}

/** The charge, or undefined for rows that neither settle a job nor charge for anything else. */
function getCharge({ entries }: LedgerRow): number | undefined {
  if (!entries.some(({ type }) => type === "release" || type === "charge")) return undefined;
  const charges = entries.filter(({ type }) => type === "charge");
  return charges.reduce((sum, { amount }) => sum - amount, 0);
}

function getGroupKey(
  group: ReportGroup,
  { atMs }: LedgerRow,
  request: JobRequest | undefined,
): string | null {
  switch (group) {
    case "day":
      return timestamp(atMs).slice(0, 10);
    case "model":
      return request?.model ?? null;
    case "user":
      return request?.user ?? null;
    case "modality":
      return request?.modality ?? null;
    case "surface":
      return request?.surface ?? null;
    case "session":
      return request?.turn?.session ?? null;
  }
}

/** Formats a report by RFC 4180. Keys are days, ids and catalogue names, so none needs quotes. */
function csv({ group_by, items, total }: SpendReport): Answer {
  const lines = [
    [group_by, "jobs", "credits_charged"],
    ...items.map(({ key, jobs, credits_charged }) => [key ?? "", jobs, credits_charged]),
    ["total", total.jobs, total.credits_charged],
  ];
  const body = lines.map((line) => `${line.join(",")}\r\n`).join("");
  return { status: 200, headers: [["Content-Type", "text/csv; charset=utf-8"]], body };
}
