/** Written by clients/generator from the published contract; do not edit it. */
import type { CallOptions, Caller } from "../caller.ts";
import type {
  Credits,
  CreditsLedgerQuery,
  CreditsSpendQuery,
  LedgerPage,
  SpendReport,
} from "./models.ts";

export class CreditsCalls {
  protected readonly caller: Caller;

  constructor(caller: Caller) {
    this.caller = caller;
  }

  /** Read what the paying context can still spend. */
  get(options: CallOptions = {}): Promise<Credits> {
    return this.caller.json<Credits>(
      { method: "GET", path: "/me/credits", isRepeatable: true },
      options,
    );
  }

  /** List what changed the balance, newest first. */
  ledger(query: CreditsLedgerQuery = {}, options: CallOptions = {}): Promise<LedgerPage> {
    return this.caller.json<LedgerPage>(
      { method: "GET", path: "/me/credits/ledger", query: { ...query }, isRepeatable: true },
      options,
    );
  }

  /** Report what the context was charged for jobs. */
  spend(query: CreditsSpendQuery = {}, options: CallOptions = {}): Promise<SpendReport> {
    return this.caller.json<SpendReport>(
      { method: "GET", path: "/reports/spend", query: { ...query }, isRepeatable: true },
      options,
    );
  }
}
