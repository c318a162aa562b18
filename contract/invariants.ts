/** The invariants of an account that an audit checks; see `account/account-audit.ts`. */
export const invariants = [
  "account_exists",
  "ledger_chain",
  "ledger_length",
  "granted",
  "spent",
  "held",
  "balance",
  "hold_resolved_once",
  "slots",
  "jobs_listed",
  "job_counts",
  "asset_counts",
  "stored_bytes",
  "unpaid_use",
  "renewal_awaited",
] as const;

export type Invariant = (typeof invariants)[number];
