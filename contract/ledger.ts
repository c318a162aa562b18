import { type Static, Type } from "../config/schema.ts";
import { nullable, Timestamp, Uuid } from "./common.ts";

export const ledgerEntryTypes = [
  "grant",
  "hold",
  "release",
  "charge",
  "refund",
  "adjust",
  "expire",
] as const;

/** `amount` is the signed change of the spendable credits, `balance_after` the new balance. */
export const LedgerEntry = Type.Object(
  {
    id: Type.String(),
    at: Timestamp,
    type: Type.Enum([...ledgerEntryTypes]),
    amount: Type.Integer(),
    balance_after: Type.Integer(),
    job_id: Type.Optional(Uuid),
    note: Type.Optional(Type.String()),
  },
  { title: "LedgerEntry" },
);
export type LedgerEntry = Static<typeof LedgerEntry>;

export const LedgerPage = Type.Object(
  {
    items: Type.Array(LedgerEntry),
    next_cursor: nullable(Type.String()),
  },
  { title: "LedgerPage" },
);

export const reportGroups = ["day", "model", "user", "modality", "surface", "session"] as const;
export type ReportGroup = (typeof reportGroups)[number];

/** Settled jobs and what they were charged; `key` is null for jobs that have none. */
export const SpendReport = Type.Object(
  {
    from: Timestamp,
    to: Timestamp,
    group_by: Type.Enum([...reportGroups]),
    items: Type.Array(
      Type.Object({
        key: nullable(Type.String()),
        jobs: Type.Integer(),
        credits_charged: Type.Integer(),
      }),
    ),
    total: Type.Object({ jobs: Type.Integer(), credits_charged: Type.Integer() }),
  },
  { title: "SpendReport" },
);
export type SpendReport = Static<typeof SpendReport>;
