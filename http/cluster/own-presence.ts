/** What this node says of itself to the others. */
import type { Presence, ShardRole } from "../../engine/ports/nodes.ts";
import type { Service } from "../service.ts";

export interface OwnNode {
  readonly id: string;
  /** Host and port at which the others reach it. */
  readonly address: string;
  readonly startedAtMs: number;
  /** Of the domain; the directory is one more. */
  readonly shardCount: number;
}

export function ownPresence(
  { gateway, health, version }: Pick<Service, "gateway" | "health" | "version">,
  { id, address, startedAtMs, shardCount }: OwnNode,
): Presence {
  const shards = Array.from({ length: shardCount + 1 }, (_, shard): ShardRole => {
    return { shard, role: gateway.owns(shard) ? "owner" : "standby" };
  });
  return {
    ...{ node: id, address, version, startedAtMs, shards },
    status: health.isDraining ? "draining" : "live",
    directorySeq: gateway.seqOf(shardCount),
    firstRequest: gateway.firstRequest,
  };
}
