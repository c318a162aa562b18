/** Written by clients/generator from the published contract; do not edit it. */
import { segment, type CallOptions, type Caller } from "../caller.ts";
import type {
  Member,
  MemberBudget,
  MemberList,
  Organization,
  OrganizationList,
  OrganizationsActivateRequest,
  OrganizationsAddMemberRequest,
  OrganizationsCreateRequest,
  OrganizationsSetBudgetRequest,
  OrganizationsUpdateMemberRequest,
  OrganizationsUpdateRequest,
  OrganizationsUsageQuery,
  SpendReport,
  User,
} from "./models.ts";

export class OrganizationsCalls {
  protected readonly caller: Caller;

  constructor(caller: Caller) {
    this.caller = caller;
  }

  /** Create an organization; its creator becomes owner. */
  create(request: OrganizationsCreateRequest, options: CallOptions = {}): Promise<Organization> {
    return this.caller.json<Organization>(
      { method: "POST", path: "/organizations", body: request, isRepeatable: false },
      options,
    );
  }

  /** Read an organization. */
  get(id: string, options: CallOptions = {}): Promise<Organization> {
    return this.caller.json<Organization>(
      { method: "GET", path: `/organizations/${segment(id)}`, isRepeatable: true },
      options,
    );
  }

  /** List the organizations that the account belongs to. */
  list(options: CallOptions = {}): Promise<OrganizationList> {
    return this.caller.json<OrganizationList>(
      { method: "GET", path: "/organizations", isRepeatable: true },
      options,
    );
  }

  /** Rename an organization. */
  update(
    id: string,
    request: OrganizationsUpdateRequest = {},
    options: CallOptions = {},
  ): Promise<Organization> {
    return this.caller.json<Organization>(
      {
        method: "PATCH",
        path: `/organizations/${segment(id)}`,
        body: request,
        isRepeatable: false,
      },
      options,
    );
  }

  /** Delete an organization. */
  delete(id: string, options: CallOptions = {}): Promise<undefined> {
    return this.caller.end(
      { method: "DELETE", path: `/organizations/${segment(id)}`, isRepeatable: false },
      options,
    );
  }

  /** Choose the organization that unpinned tokens act in, or none. */
  activate(request: OrganizationsActivateRequest, options: CallOptions = {}): Promise<User> {
    return this.caller.json<User>(
      { method: "PUT", path: "/me/active-organization", body: request, isRepeatable: true },
      options,
    );
  }

  /** List the members of an organization. */
  members(id: string, options: CallOptions = {}): Promise<MemberList> {
    return this.caller.json<MemberList>(
      { method: "GET", path: `/organizations/${segment(id)}/members`, isRepeatable: true },
      options,
    );
  }

  /** Add an account to an organization, creating one if the address has none. */
  addMember(
    id: string,
    request: OrganizationsAddMemberRequest,
    options: CallOptions = {},
  ): Promise<Member> {
    return this.caller.json<Member>(
      {
        method: "POST",
        path: `/organizations/${segment(id)}/members`,
        body: request,
        isRepeatable: false,
      },
      options,
    );
  }

  /** Give a member another role. */
  updateMember(
    id: string,
    userId: string,
    request: OrganizationsUpdateMemberRequest,
    options: CallOptions = {},
  ): Promise<Member> {
    return this.caller.json<Member>(
      {
        method: "PATCH",
        path: `/organizations/${segment(id)}/members/${segment(userId)}`,
        body: request,
        isRepeatable: false,
      },
      options,
    );
  }

  /** Remove a member, or leave. */
  removeMember(id: string, userId: string, options: CallOptions = {}): Promise<undefined> {
    return this.caller.end(
      {
        method: "DELETE",
        path: `/organizations/${segment(id)}/members/${segment(userId)}`,
        isRepeatable: false,
      },
      options,
    );
  }

  /** Limit how much of the organization's credits a member may commit. */
  setBudget(
    id: string,
    userId: string,
    request: OrganizationsSetBudgetRequest,
    options: CallOptions = {},
  ): Promise<MemberBudget> {
    return this.caller.json<MemberBudget>(
      {
        method: "PUT",
        path: `/organizations/${segment(id)}/members/${segment(userId)}/budget`,
        body: request,
        isRepeatable: true,
      },
      options,
    );
  }

  /** Lift a member's budget. */
  removeBudget(id: string, userId: string, options: CallOptions = {}): Promise<undefined> {
    return this.caller.end(
      {
        method: "DELETE",
        path: `/organizations/${segment(id)}/members/${segment(userId)}/budget`,
        isRepeatable: false,
      },
      options,
    );
  }

  /** Report what an organization was charged for jobs. */
  usage(
    id: string,
    query: OrganizationsUsageQuery = {},
    options: CallOptions = {},
  ): Promise<SpendReport> {
    return this.caller.json<SpendReport>(
      {
        method: "GET",
        path: `/organizations/${segment(id)}/usage`,
        query: { ...query },
        isRepeatable: true,
      },
      options,
    );
  }
}
