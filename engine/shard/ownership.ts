/** How a node becomes a shard's owner: alone when it starts, in a cluster after other owners. */
import type { Domain } from "../domain.ts";
import { recover } from "./recovery.ts";
import type { Replica, ShardPlace } from "./replica.ts";
import { Shard } from "./shard.ts";
import type { Ownership, ShardOutlets, ShardStores } from "./shard-ports.ts";

export async function openShard(
  place: ShardPlace,
  domain: Domain,
  stores: ShardStores,
  ownership: Ownership,
  outlets: ShardOutlets,
): Promise<Shard> {
  const { startMs, journal, tables } = stores;
  const replica = await recover(place, journal, tables, domain, startMs);
  return takeOver(replica, place, domain, stores, ownership, outlets);
}

/**
 * Resumes as the owner with rows that are all in the tables. Calls `onBegun` when no other owner
 * can commit any more; nothing is answered yet, since an earlier one may still answer reads. Throws
 * `OwnershipLost`.
 */
export async function takeOver(
  replica: Replica,
  place: ShardPlace,
  domain: Domain,
  stores: ShardStores,
  ownership: Ownership,
  outlets: ShardOutlets,
  onBegun: (shard: Shard) => void = () => {},
): Promise<Shard> {
  replica.rows.memory = stores.memory;
  const shard = new Shard(place, domain, stores, ownership, outlets, replica);
  await shard.begin();
  onBegun(shard);
  const earlierLease = new Promise<void>((resolve) => {
    if (ownership.leaseMs === undefined) resolve();
    else stores.clock.after(ownership.leaseMs, resolve);
  });
  const undelivered = replica.prepare(stores.startMs);
  await earlierLease;
  await shard.renew();
  shard.open(undelivered);
  return shard;
}
