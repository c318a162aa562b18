/** Who a request acts for, and as what. */

import type { Credential, User } from "../../actors/directory/directory.ts";
import type { Organization } from "../../actors/directory/organization.ts";
import type { TurnOfJob } from "../../actors/protocol/job.ts";
import type { PlanName, PlanOverrides } from "../../config/plans.ts";
import type { Role } from "../../contract/organization.ts";
import type { Id } from "../../engine/id.ts";

export interface Principal {
  readonly user: User;
  readonly credential: Credential;
  /** Who owns and pays for what this credential does: the organization, else the user. */
  readonly scope: Id;
  /** The context's, like the overrides. */
  readonly plan: PlanName;
  readonly overrides: PlanOverrides | undefined;
  /** Both undefined in the personal space. */
  readonly organization: Organization | undefined;
  readonly role: Role | undefined;
  /** Under which its requests and waits are counted: the user, within its context. */
  readonly counter: string;
  /** The agent's turn that the credential was made for. */
  readonly run?: TurnOfJob;
}
