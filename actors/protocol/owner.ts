/** The account that work counts into. */
import type { Context } from "../../engine/actor.ts";
import type { Id } from "../../engine/id.ts";
import { accountKey } from "./account-messages.ts";

/** Where the rows of other accounts of the partition are read. */
export type Rows = Pick<Context, "get">;

/** The owner of work in the context `scope`: the creator of an unpaid organization, else itself. */
export function findOwner(scope: Id, rows: Rows): Id {
  return rows.get(accountKey(scope))?.countsInto ?? scope;
}
