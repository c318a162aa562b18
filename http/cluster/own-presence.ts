/** What this node reports about itself to the others. */
import type { Gateway } from "../../engine/gateway.ts";
import type { Presence, ShardRole } from "../../engine/ports/nodes.ts";
import type { Service } from "../service.ts";

export function ownPresence({
  gateway,
  health,
  version,
  self,
  clock,
  warnings,
}: Service): Presence {
  const { id, name, address, startedAtMs } = self;
  const { shardCount } = gateway;
  const shards = Array.from({ length: shardCount + 1 }, (_, shard) => listRoles(gateway, shard));
  return {
    node: id,
    name,
    address,
    version,
    startedAtMs,
    shards: shards.flat(),
    atMs: clock.nowMs(),
    warnings: warnings.list(),
    status: health.isDraining ? "draining" : "live",
    directorySeq: gateway.reads(shardCount) ? gateway.getSeq(shardCount) : 0,
    firstRequest: gateway.firstRequest,
  };
}

/** The node's role in a shard; none if it would not take over, as it joins or heard no owner. */
function listRoles(gateway: Gateway, shard: number): readonly ShardRole[] {
  if (gateway.owns(shard)) return [{ shard, role: "owner" }];
  return gateway.isStandby(shard) ? [{ shard, role: "standby" }] : [];
}
