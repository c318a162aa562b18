/** The accounts of the load: some in every shard of every store, each with what its acts need. */
import { setTimeout as delay } from "node:timers/promises";
import type { Asset } from "../../contract/asset.ts";
import type { Composition } from "../../contract/composition.ts";
import { partitionOfId } from "../../engine/id.ts";
import { simulatedMedia } from "../../providers/simulated/simulated-media.ts";
import { page } from "../spec/composition-steps.ts";
import { ask, isAway, parseReply, type Request } from "./client.ts";
import { type Cluster, type EngineNode, firstToken, shardCount } from "./cluster.ts";

export const opening = 1_000_000;
const perShard = 2;
const patienceSeconds = 60;

export interface Account {
  /** For people and for the history. */
  readonly name: string;
  readonly token: string;
  /** Those that serve its store. */
  readonly nodes: readonly EngineNode[];
  readonly store: number;
  readonly shard: number;
  /** An asset that is renamed; its name is a number, 0 in the beginning. */
  readonly assetId: string;
  readonly compositionId: string;
}

export async function createAccounts(cluster: Cluster): Promise<readonly Account[]> {
  const accounts: Account[] = [];
  for (const [store, nodes] of cluster.stores.entries()) {
    const missing = new Map([...Array(shardCount).keys()].map((shard) => [shard, perShard]));
    for (let number = 0; [...missing.values()].some((count) => count > 0); number++) {
      const name = `store-${store}-account-${number}`;
      const { id, token } = await createAccount(nodes, name);
      // As `getShard` of the engine: the shard follows from the partition.
      const shard = (partitionOfId(id) * shardCount) >> 8;
      const count = missing.get(shard) ?? 0;
      if (count === 0) continue;
      missing.set(shard, count - 1);
      accounts.push({ name, token, nodes, store, shard, ...(await furnish(nodes, token)) });
    }
  }
  return accounts;
}

async function createAccount(nodes: readonly EngineNode[], name: string) {
  const body = {
    email: `${name}@klieg.example`,
    plan: "enterprise",
    credits: opening,
    issue_token: true,
  };
  const path = "/admin/accounts";
  const made = await demand<{ id: string; token: string }>(nodes, {
    path,
    body,
    token: firstToken,
  });
  // Farm tasks that wait for nodes take the slots of the plan meanwhile.
  const terms = { limits: { concurrent_max: 10_000 } };
  await demand(nodes, {
    path: `${path}/${made.id}`,
    method: "PATCH",
    body: terms,
    token: firstToken,
  });
  return made;
}

async function furnish(nodes: readonly EngineNode[], token: string) {
  const body = uploadForm("0");
  const { id: assetId } = await demand<Asset>(nodes, { path: "/assets", body, token });
  const made = await demand<Composition>(nodes, { path: "/compositions", body: {}, token });
  const path = `/compositions/${made.id}/file?path=index.html`;
  await demand(nodes, { path, method: "PUT", body: page({ seconds: 1, fps: 10 }), token });
  return { assetId, compositionId: made.id };
}

/** A small picture of that name. */
export function uploadForm(name: string): FormData {
  const form = new FormData();
  form.set("file", new Blob([simulatedMedia.image.bytes], { type: "image/png" }), name);
  return form;
}

/** Asks again while the cluster begins. */
async function demand<T>(nodes: readonly EngineNode[], request: Request): Promise<T> {
  const until = process.uptime() + patienceSeconds;
  for (let attempt = 0; ; attempt++) {
    const reply = await ask(nodes[attempt % nodes.length] as EngineNode, request);
    if (reply.status >= 200 && reply.status < 300) return parseReply<T>(reply);
    if (!isAway(reply) || process.uptime() > until)
      throw new Error(`${request.path} was answered ${reply.status}: ${reply.text}`);
    await delay(200);
  }
}
