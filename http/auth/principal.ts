/** The user or organization that a request acts for, with its rights and limits. */

import type { Credential, User } from "../../actors/directory/directory.ts";
import type { Organization } from "../../actors/directory/organization.ts";
import type { TurnOfJob } from "../../actors/protocol/job.ts";
import type { PlanName, PlanOverrides } from "../../config/plans.ts";
import type { Role } from "../../contract/organization.ts";
import type { Id } from "../../engine/id.ts";

export interface Principal {
  readonly user: User;
  readonly credential: Credential;
  /** Owner and payer of what this credential creates: the organization, else the user. */
  readonly scope: Id;
  /** The plan of the context; the overrides are the context's too. */
  readonly plan: PlanName;
  readonly overrides: PlanOverrides | undefined;
  /** The organization and the role; both are undefined in the personal space. */
  readonly organization: Organization | undefined;
  readonly role: Role | undefined;
  /** Name under which requests and waits are counted: the user, within its context. */
  readonly counter: string;
  /** The agent's turn that the credential was made for. */
  readonly run?: TurnOfJob;
}
