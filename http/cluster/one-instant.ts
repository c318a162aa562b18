/**
 * Halts the commits of all shards of a store at one instant, whichever nodes own them, so that a
 * backup can read them. By then this node's tables hold all shards: its own, and those that it
 * follows.
 */
import type { Host } from "../../engine/host.ts";
import type { Entropy } from "../../engine/ports/entropy.ts";
import { PortError } from "../../engine/ports/port-error.ts";
import type { HeldShard } from "../../engine/shard-holds.ts";
import type { Service } from "../service.ts";
import type { Forwarder } from "./forwarder.ts";

export const holdPartPath = "/parts/holds";

/** The part of a `Service` that is needed; `cluster` is undefined on a single machine. */
interface StoreNode {
  readonly entropy: Entropy;
  readonly gateway: { readonly shardCount: number };
  readonly cluster: { readonly forwarder: Pick<Forwarder, "askNodes"> } | undefined;
}

/**
 * Runs `look` while no shard commits. When not all shards were held until its end, its result is
 * discarded and a retryable `PortError` is thrown.
 */
export async function atOneInstant<T>(
  { gateway, cluster, entropy }: StoreNode,
  host: Pick<Host, "hold" | "resume" | "reach">,
  look: () => Promise<T>,
): Promise<T> {
  const name = Buffer.from(entropy.bytes(12)).toString("hex");
  const path = `${holdPartPath}/${name}`;
  const askOthers = async (path: string) => (await cluster?.forwarder.askNodes("POST", path)) ?? [];
  const asked = askOthers(path);
  let seen: T;
  let isWhole: boolean;
  try {
    const own = await host.hold(name);
    const elsewhere = (await asked).flatMap(({ answer }) => listHeldShards(answer));
    checkComplete([...own, ...elsewhere], gateway.shardCount);
    await host.reach(elsewhere);
    seen = await look();
  } finally {
    const isWholeHere = host.resume(name);
    const holders = (await asked).filter(({ answer }) => listHeldShards(answer).length > 0);
    const ended = await askOthers(`${path}:end`);
    const whole = ended.filter(({ answer }) => answer === true).map(({ node }) => node);
    isWhole = isWholeHere && holders.every(({ node }) => whole.includes(node));
  }
  if (isWhole) return seen;
  throw new PortError("the look at the held shards took too long", true);
}

/** Holds the commits of this node's shards; returns no shards when they cannot be held. */
export async function holdHere(
  { cluster }: Pick<Service, "cluster">,
  name: string,
): Promise<readonly HeldShard[]> {
  try {
    return (await cluster?.hold(name)) ?? [];
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    return [];
  }
}

/** Returns no shards for a node that does not answer. */
function listHeldShards(answer: unknown): readonly HeldShard[] {
  return (answer as HeldShard[] | undefined) ?? [];
}

/** Throws `PortError` unless every shard is held. */
function checkComplete(held: readonly HeldShard[], shardCount: number): void {
  const shards = new Set(held.map(({ shard }) => shard));
  if (shards.size === shardCount + 1 && held.length === shards.size) return;
  throw new PortError("not every shard is owned by a node that answers", true);
}
