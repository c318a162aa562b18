import { type Id, parseId, partitionOfId } from "../../engine/id.ts";
import type { Principal } from "./principal.ts";

/**
 * Parses the id of something that may belong to the caller's context; undefined for anything else.
 * What a context has is kept in its partition, which every id of it carries. Other partitions are
 * not looked into, since other nodes may own them.
 */
export function parseOwnId({ scope }: Pick<Principal, "scope">, text: string): Id | undefined {
  const id = parseId(text);
  return id !== undefined && isNear(scope, id) ? id : undefined;
}

/** Whether an id is of the context's partition. */
export function isNear(scope: Id, id: Id): boolean {
  return partitionOfId(id) === partitionOfId(scope);
}
