/** What this node says of itself to the others. */
import type { Presence, ShardRole } from "../../engine/ports/nodes.ts";
import type { Service } from "../service.ts";

export function ownPresence({ gateway, health, version, self }: Service): Presence {
  const { id, address, startedAtMs } = self;
  const { shardCount } = gateway;
  const shards = Array.from({ length: shardCount + 1 }, (_, shard): ShardRole => {
    return { shard, role: gateway.owns(shard) ? "owner" : "standby" };
  });
  return {
    ...{ node: id, address, version, startedAtMs, shards },
    status: health.isDraining ? "draining" : "live",
    directorySeq: gateway.reads(shardCount) ? gateway.seqOf(shardCount) : 0,
    firstRequest: gateway.firstRequest,
  };
}
