/** Finds the account that is responsible for some work. */
import type { Context } from "../../engine/actor.ts";
import type { Id } from "../../engine/id.ts";
import { accountKey } from "./account-messages.ts";

/** Reader of the rows of other accounts in the same partition. */
export type Rows = Pick<Context, "get">;

/** Owner of work in context `scope`: the creator if it is an unpaid organization, else itself. */
export function findOwner(scope: Id, rows: Rows): Id {
  return rows.get(accountKey(scope))?.countsInto ?? scope;
}
