/**
 * An output set: image jobs that were submitted together. The account that accepted the set writes
 * it once; its state follows from its jobs.
 */

import { type Id, idBytes, keyOfId } from "../../engine/id.ts";
import type { Key } from "../../engine/key.ts";
import type { Refusal } from "../refusal.ts";
import { codes } from "../table-codes.ts";

export interface OutputSet {
  readonly id: Id;
  readonly scope: Id;
  readonly user: Id;
  readonly name: string;
  readonly model: string;
  readonly createdAtMs: number;
  /** Members in the order of the request. */
  readonly members: readonly SetMember[];
}

export type SetMember =
  | { readonly label: string; readonly job: Id }
  | { readonly label: string; readonly refusal: Refusal }
  /** After a refusal nothing more is submitted. */
  | { readonly label: string };

export function setKey(scope: Id, set: Id): Key<OutputSet> {
  return keyOfId(codes.set, scope) + idBytes(set);
}

export function setsKey(scope: Id): Key<OutputSet> {
  return keyOfId(codes.set, scope);
}
