/** Written by clients/generator from the published contract; do not edit it. */
import { segment, type CallOptions, type Caller } from "../caller.ts";
import type {
  AdminAccount,
  AdminAccountPage,
  AdminAccountsQuery,
  AdminAuditQuery,
  AdminCreateTokenRequest,
  AdminFailureList,
  AdminFailuresQuery,
  AdminGiveCreditsRequest,
  AdminGiveOrganizationCreditsRequest,
  AdminInvariantsQuery,
  AdminJobPage,
  AdminJobsQuery,
  AdminNode,
  AdminNodeList,
  AdminOrganization,
  AdminOverview,
  AdminProvider,
  AdminProviderList,
  AdminTaskList,
  AdminUpdateAccountRequest,
  AdminUpdateOrganizationRequest,
  AuditPage,
  CatalogueLoaded,
  CreateAccountRequest,
  CreatedAccount,
  CreatedToken,
  CreditsGiven,
  InvariantPage,
  ReadRequeued,
} from "./models.ts";

export class AdminCalls {
  protected readonly caller: Caller;

  constructor(caller: Caller) {
    this.caller = caller;
  }

  /** Read what was done in each minute of the last hour, and what is open now. */
  overview(options: CallOptions = {}): Promise<AdminOverview> {
    return this.caller.json<AdminOverview>(
      { method: "GET", path: "/admin/overview", isRepeatable: true },
      options,
    );
  }

  /** List the tasks that farm nodes hold, and count those that wait. */
  tasks(options: CallOptions = {}): Promise<AdminTaskList> {
    return this.caller.json<AdminTaskList>(
      { method: "GET", path: "/admin/tasks", isRepeatable: true },
      options,
    );
  }

  /** A picture of what a farm node is about to make. */
  taskThumbnail(id: string, options: CallOptions = {}): Promise<Response> {
    return this.caller.open(
      { method: "GET", path: `/admin/tasks/${segment(id)}/thumbnail`, isRepeatable: true },
      options,
    );
  }

  /** Group the jobs that failed in the last hours by reason. */
  failures(query: AdminFailuresQuery = {}, options: CallOptions = {}): Promise<AdminFailureList> {
    return this.caller.json<AdminFailureList>(
      { method: "GET", path: "/admin/failures", query: { ...query }, isRepeatable: true },
      options,
    );
  }

  /** List all accounts, newest first. */
  accounts(query: AdminAccountsQuery = {}, options: CallOptions = {}): Promise<AdminAccountPage> {
    return this.caller.json<AdminAccountPage>(
      { method: "GET", path: "/admin/accounts", query: { ...query }, isRepeatable: true },
      options,
    );
  }

  /** Create an account and, on request, its first token. */
  createAccount(
    request: CreateAccountRequest,
    options: CallOptions = {},
  ): Promise<CreatedAccount> {
    return this.caller.json<CreatedAccount>(
      { method: "POST", path: "/admin/accounts", body: request, isRepeatable: false },
      options,
    );
  }

  /** Change an account's plan, standing or limits. */
  updateAccount(
    id: string,
    request: AdminUpdateAccountRequest = {},
    options: CallOptions = {},
  ): Promise<AdminAccount> {
    return this.caller.json<AdminAccount>(
      {
        method: "PATCH",
        path: `/admin/accounts/${segment(id)}`,
        body: request,
        isRepeatable: false,
      },
      options,
    );
  }

  /** Issue a token for an account. */
  createToken(
    id: string,
    request: AdminCreateTokenRequest = {},
    options: CallOptions = {},
  ): Promise<CreatedToken> {
    return this.caller.json<CreatedToken>(
      {
        method: "POST",
        path: `/admin/accounts/${segment(id)}/tokens`,
        body: request,
        isRepeatable: false,
      },
      options,
    );
  }

  /** Grant an account credits, or take them back. */
  giveCredits(
    id: string,
    request: AdminGiveCreditsRequest,
    options: CallOptions = {},
  ): Promise<CreditsGiven> {
    return this.caller.json<CreditsGiven>(
      {
        method: "POST",
        path: `/admin/accounts/${segment(id)}/credits`,
        body: request,
        isRepeatable: false,
      },
      options,
    );
  }

  /** Change an organization's plan, standing or limits. */
  updateOrganization(
    id: string,
    request: AdminUpdateOrganizationRequest = {},
    options: CallOptions = {},
  ): Promise<AdminOrganization> {
    return this.caller.json<AdminOrganization>(
      {
        method: "PATCH",
        path: `/admin/organizations/${segment(id)}`,
        body: request,
        isRepeatable: false,
      },
      options,
    );
  }

  /** Grant an organization credits, or take them back. */
  giveOrganizationCredits(
    id: string,
    request: AdminGiveOrganizationCreditsRequest,
    options: CallOptions = {},
  ): Promise<CreditsGiven> {
    return this.caller.json<CreditsGiven>(
      {
        method: "POST",
        path: `/admin/organizations/${segment(id)}/credits`,
        body: request,
        isRepeatable: false,
      },
      options,
    );
  }

  /** List the jobs of all accounts, newest first. */
  jobs(query: AdminJobsQuery = {}, options: CallOptions = {}): Promise<AdminJobPage> {
    return this.caller.json<AdminJobPage>(
      { method: "GET", path: "/admin/jobs", query: { ...query }, isRepeatable: true },
      options,
    );
  }

  /** Read a job's state from its provider now. */
  requeueRead(id: string, options: CallOptions = {}): Promise<ReadRequeued> {
    return this.caller.json<ReadRequeued>(
      { method: "POST", path: `/admin/jobs/${segment(id)}/requeue-read`, isRepeatable: false },
      options,
    );
  }

  /** List the providers, with their state and work. */
  providers(options: CallOptions = {}): Promise<AdminProviderList> {
    return this.caller.json<AdminProviderList>(
      { method: "GET", path: "/admin/providers", isRepeatable: true },
      options,
    );
  }

  /** Pause a provider, so that its jobs wait. */
  pauseProvider(name: string, options: CallOptions = {}): Promise<AdminProvider> {
    return this.caller.json<AdminProvider>(
      { method: "POST", path: `/admin/providers/${segment(name)}:pause`, isRepeatable: true },
      options,
    );
  }

  /** Resume a paused provider. */
  resumeProvider(name: string, options: CallOptions = {}): Promise<AdminProvider> {
    return this.caller.json<AdminProvider>(
      { method: "POST", path: `/admin/providers/${segment(name)}:resume`, isRepeatable: true },
      options,
    );
  }

  /** List the nodes, with their shards and tasks. */
  nodes(options: CallOptions = {}): Promise<AdminNodeList> {
    return this.caller.json<AdminNodeList>(
      { method: "GET", path: "/admin/nodes", isRepeatable: true },
      options,
    );
  }

  /** Let a node hand over its shards, or take no more tasks. */
  drainNode(id: string, options: CallOptions = {}): Promise<AdminNode> {
    return this.caller.json<AdminNode>(
      { method: "POST", path: `/admin/nodes/${segment(id)}:drain`, isRepeatable: true },
      options,
    );
  }

  /** Check the credits and counts of all accounts, page by page. */
  invariants(query: AdminInvariantsQuery = {}, options: CallOptions = {}): Promise<InvariantPage> {
    return this.caller.json<InvariantPage>(
      { method: "GET", path: "/admin/invariants", query: { ...query }, isRepeatable: true },
      options,
    );
  }

  /** List who changed what, newest first. */
  audit(query: AdminAuditQuery = {}, options: CallOptions = {}): Promise<AuditPage> {
    return this.caller.json<AuditPage>(
      { method: "GET", path: "/admin/audit", query: { ...query }, isRepeatable: true },
      options,
    );
  }

  /** Reload the model catalogue and the providers. */
  reloadModels(options: CallOptions = {}): Promise<CatalogueLoaded> {
    return this.caller.json<CatalogueLoaded>(
      { method: "POST", path: "/admin/models:reload", isRepeatable: false },
      options,
    );
  }
}
