/** Runs the nodes of a cluster as real services, with real NATS servers and a real bucket. */
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Test } from "tap";
import type { AdminNodeList } from "../../contract/admin.ts";
import type { Job } from "../../contract/job.ts";
import { freePort } from "../http/raw-http.ts";
import { startNatsCluster } from "../nats-server.ts";
import { swiftStore } from "../s3/swift.ts";
import { type Environment, firstToken, ownBuild, startKlieg } from "./klieg-process.ts";

export async function openCluster(t: Test, more: Record<string, string> = {}) {
  const folder = t.testdir();
  const { endpoint, bucket, accessKey, secretKey } = await swiftStore(t);
  const servers = await startNatsCluster(t);
  const settings = {
    KLIEG_NATS_URL: servers.map(({ url }) => url).join(","),
    KLIEG_SHARDS: "1",
    KLIEG_S3_ENDPOINT: endpoint,
    KLIEG_S3_BUCKET: bucket,
    KLIEG_S3_ACCESS_KEY: accessKey,
    KLIEG_S3_SECRET_KEY: secretKey,
    ...more,
  };
  const start = async (name: string, more: Environment = {}, build = ownBuild) => {
    const clusterPort = await freePort();
    const own = { ...settings, ...more, KLIEG_CLUSTER_ADDRESS: `127.0.0.1:${clusterPort}` };
    return { ...(await startKlieg(t, join(folder, name), own, build)), clusterPort };
  };
  return { folder, servers, settings, start };
}

/** Pause before a repeat in milliseconds, because nodes need the processor more than the test. */
const againMs = 20;

interface Node {
  readonly port: number;
}

/**
 * Asks one node after the other until one answers, like a client that repeats a request after a 503
 * or a lost answer, with the same idempotency key. On a busy machine the owner may change
 * meanwhile.
 */
export async function askAny<T>(
  nodes: readonly Node[],
  path: string,
  body?: object,
  token = firstToken,
): Promise<T> {
  const headers = {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    ...(body === undefined ? {} : { "idempotency-key": randomUUID() }),
  };
  const request = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  for (let attempt = 0; ; attempt++) {
    const port = nodes[attempt % nodes.length]?.port;
    const url = `http://127.0.0.1:${port}/v1${path}`;
    const reply = await fetch(url, { headers, ...request }).catch(() => undefined);
    // 429: jobs that ended while a shard moved free their places when it is back. 408: wait again.
    if (reply === undefined || [408, 429, 503].includes(reply.status)) {
      await delay(againMs);
      continue;
    }
    // 409: an owner accepted the job, but died before it answered; the problem names the job.
    if (!reply.ok && reply.status !== 409)
      throw new Error(`${path} was answered ${reply.status}: ${await reply.text()}`);
    const json = await reply.json().catch(() => undefined);
    if (json !== undefined) return json as T;
  }
}

/** Submits jobs; returns the ids of those that were acknowledged. */
export async function submit(
  nodes: readonly Node[],
  from: number,
  count: number,
  { model = "sim-instant", token = firstToken } = {},
): Promise<string[]> {
  const ids: string[] = [];
  for (let number = from; number < from + count; number++) {
    const body = { model, prompt: `a kite, number ${number}` };
    const path = "/generate/image";
    const answer = await askAny<Job & { job_id?: string }>(nodes, path, body, token);
    ids.push(answer.job_id ?? answer.id);
  }
  return ids;
}

/** Checks that every job has succeeded and none holds credits. */
export async function hasAll(
  t: Test,
  nodes: readonly Node[],
  ids: readonly string[],
): Promise<void> {
  const states = new Set<string>();
  for (const id of ids)
    states.add((await askAny<Job>(nodes, `/jobs/${id}/wait?timeout_seconds=10`)).status);
  t.strictSame([...states], ["succeeded"]);
  t.match(await askAny(nodes, "/me/credits"), { held_credits: 0 });
}

/** Waits until at least `shards` shards have a standby. */
export async function isFollowed(node: Node, shards: number): Promise<void> {
  for (;;) {
    const { items } = await askAny<AdminNodeList>([node], "/admin/nodes");
    const living = items.filter(({ status }) => status === "live");
    const roles = living.flatMap((it) => it.shards.map(({ role }) => role));
    if (roles.filter((role) => role === "standby").length >= shards) return;
  }
}
