/** Creates the accounts of the load: some in every shard of every store, with all they need. */
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
  /** Name of the account in messages and in the history. */
  readonly name: string;
  readonly token: string;
  /** Nodes that serve the account's store. */
  readonly nodes: readonly EngineNode[];
  readonly store: number;
  readonly shard: number;
  /** An asset that the load renames; its name is a number, 0 at first. */
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
      // Computes the shard from the partition, as the engine's `getShard` does.
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
  // Raised because farm tasks that wait for nodes take up the slots of the plan.
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

/** Builds an upload form with a small picture of the given name. */
export function uploadForm(name: string): FormData {
  const form = new FormData();
  form.set("file", new Blob([simulatedMedia.image.bytes], { type: "image/png" }), name);
  return form;
}

/** Repeats a request while the cluster starts. */
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
