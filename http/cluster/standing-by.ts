/** Waits, before a node serves, until other nodes can rely on it. */
import { limits } from "../../config/limits.ts";
import type { Service } from "../service.ts";

/**
 * Resolves when this node owns every shard or goes on with it should its owner die: it has to have
 * heard each owner, which takes half a second. At the latest after `silenceMs`: then a shard has no
 * owner, or its rows are yet to be taken from another node.
 */
export async function standBy({
  gateway,
  clock,
}: Pick<Service, "gateway" | "clock">): Promise<void> {
  const shards = Array.from({ length: gateway.shardCount + 1 }, (_, shard) => shard);
  const latestMs = clock.monotonicMs() + limits.cluster.silenceMs;
  const isKept = (shard: number) => gateway.owns(shard) || gateway.isStandby(shard);
  while (!shards.every(isKept) && clock.monotonicMs() < latestMs)
    await new Promise<void>((resolve) => clock.after(limits.cluster.followTickMs, resolve));
}
