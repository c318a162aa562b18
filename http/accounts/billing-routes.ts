/** Routes for the ledger and for reports of what was spent. */

import { limits } from "../../config/limits.ts";
import { LedgerPage, reportGroups, SpendReport } from "../../contract/ledger.ts";
import { requirePermission } from "../auth/permissions.ts";
import { integer, optionalInstant, optionalText, parseOne } from "../request/query.ts";
import { atNamedId, type Route, route } from "../route.ts";
import { listLedger } from "./ledger-listing.ts";
import { requirePlace } from "./organization-routes.ts";
import { spendReport } from "./spend-report.ts";

const { listMax, listDefault } = limits.ledger;

const reportParameters = {
  from: optionalInstant,
  to: optionalInstant,
  group_by: parseOne(reportGroups, "day"),
};

export const billingRoutes: readonly Route[] = [
  route("GET", "/v1/me/credits/ledger", {
    summary: "List what changed the balance, newest first",
    answers: { 200: LedgerPage },
    access: "billing:read",
    needs: "budgets",
    rate: "read",
    query: {
      limit: integer(1, listMax, listDefault),
      cursor: optionalText(512),
      created_after: optionalInstant,
      created_before: optionalInstant,
    },
    run: listLedger,
  }),
  route("GET", "/v1/reports/spend", {
    summary: "Report what the context was charged for jobs",
    answers: { 200: SpendReport },
    access: "billing:read",
    needs: "budgets",
    rate: "read",
    query: reportParameters,
    run: (call) => spendReport(call, call.principal.scope),
  }),
  route("GET", "/v1/organizations/{id}/usage", {
    summary: "Report what an organization was charged for jobs",
    answers: { 200: SpendReport },
    access: "billing:read",
    getPartition: atNamedId,
    rate: "read",
    query: reportParameters,
    run(call) {
      const place = requirePlace(call);
      requirePermission(place, "budgets");
      return spendReport(call, place.organization.id);
    },
  }),
];
