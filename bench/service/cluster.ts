/** A cluster of engine nodes on this machine, with its own servers of NATS and object store. */
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startNatsClusterIn } from "../../test/nats-server.ts";
import { startSwift } from "../../test/s3/swift.ts";
import type { NamedProcess } from "../load/by-turns.ts";
import { freePort, type ServerProcess, startNode } from "./server-process.ts";

export interface Cluster {
  /** In the order of their start: the first one owns all shards, the others follow it. */
  readonly nodes: readonly ServerProcess[];
  /** May create accounts. */
  readonly token: string;
  readonly close: () => Promise<void>;
}

export async function openCluster(
  environment: Readonly<Record<string, string | undefined>>,
  size: { readonly nodes: number; readonly shards: number },
): Promise<Cluster> {
  const folder = await mkdtemp(join(tmpdir(), "klieg-bench-"));
  const nats = await startNatsClusterIn(folder);
  const { store, close: closeStore } = await startSwift();
  const nodes: ServerProcess[] = [];
  const close = async () => {
    for (const node of nodes.toReversed()) await node.stop();
    await closeStore();
    for (const server of nats) await server.kill();
    await rm(folder, { recursive: true });
  };
  try {
    for (let number = 1; number <= size.nodes; number++) {
      const data = join(folder, `node-${number}`);
      await mkdir(data);
      const node = await startNode(data, 0, {
        ...environment,
        KLIEG_SHARDS: `${size.shards}`,
        KLIEG_NATS_URL: nats.map(({ url }) => url).join(","),
        KLIEG_S3_ENDPOINT: store.endpoint,
        KLIEG_S3_BUCKET: store.bucket,
        KLIEG_S3_ACCESS_KEY: store.accessKey,
        KLIEG_S3_SECRET_KEY: store.secretKey,
        KLIEG_CLUSTER_ADDRESS: `127.0.0.1:${await freePort()}`,
      });
      nodes.push(node);
    }
    const token = (await readFile(join(folder, "node-1", "admin-token"), "utf8")).trim();
    return { nodes, token, close };
  } catch (fault) {
    await close();
    throw fault;
  }
}

/** As load by turns measures them. */
export function nameProcesses(
  nodes: readonly ServerProcess[],
  name: (number: number) => string,
): NamedProcess[] {
  return nodes.map(({ pid }, at) => {
    if (pid === undefined) throw new Error("The nodes are of this machine.");
    return { name: name(at + 1), pid };
  });
}
