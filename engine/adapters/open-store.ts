/**
 * Opens the data directory according to the settings: for this machine only, or as a node of a
 * cluster, which agrees with the others on the store.
 */
import { readNatsAccess } from "../../config/secret-files.ts";
import type { Settings } from "../../config/settings.ts";
import { version } from "../../config/version.ts";
import { type DataDirectory, DataDirectoryError, openDataDirectory } from "./data-directory.ts";
import type { ClusterStore } from "./nats/nats-store.ts";

/** Throws `DataDirectoryError`, and `PortError` when NATS is unusable, each with one sentence. */
export async function openStore(settings: Settings): Promise<DataDirectory> {
  const { dataDir, shards, durability, natsServers, objectStore } = settings;
  if (natsServers.length > 0 && objectStore === undefined)
    throw new DataDirectoryError(
      "KLIEG_NATS_URL is set, and the nodes of a cluster share an object store; set KLIEG_S3_ENDPOINT, KLIEG_S3_BUCKET, KLIEG_S3_ACCESS_KEY and KLIEG_S3_SECRET_KEY.",
    );
  const data = openDataDirectory(dataDir, shards);
  if (durability !== "local") return openNode(settings, data);
  if (!data.isClustered) return data;
  throw new DataDirectoryError(
    `${dataDir} belongs to a node of a cluster; set KLIEG_NATS_URL, or KLIEG_DATA_DIR to another directory.`,
  );
}

async function openNode(settings: Settings, data: DataDirectory): Promise<DataDirectory> {
  const { dataDir } = settings;
  const access = readNatsAccess(settings);
  if (access === undefined) throw new Error("replicated settings name servers of NATS");
  if (!data.isClustered && !data.isNew)
    throw new DataDirectoryError(
      `${dataDir} is the store of a single machine; run "klieg cluster join" to make it the first node of a cluster, or unset KLIEG_NATS_URL.`,
    );
  const { agreeOnStore, checkVersion, connectNats } = await import("./nats/node-nats.ts");
  const connection = await connectNats({ ...access, name: "klieg start" });
  try {
    await checkVersion(connection, version);
    const isNew = !data.isClustered && data.isNew;
    const store = await agreeOnStore(connection, data, isNew);
    refuseChanging(store, data);
    const { storeId, shardCount } = store;
    if (isNew) return data.join({ storeId, shardCount });
    if (storeId === data.storeId) return data;
    if (store.formerIds?.includes(data.storeId) === true) throw data.supersede();
  } finally {
    await connection.close();
  }
  throw new DataDirectoryError(
    `${dataDir} belongs to a different cluster than KLIEG_NATS_URL; set both to the same cluster.`,
  );
}

function refuseChanging({ change }: ClusterStore, { path, nodeId }: DataDirectory): void {
  if (change === undefined) return;
  const { node, shardCount } = change;
  throw new DataDirectoryError(
    node === nodeId
      ? `The change of ${path} to ${shardCount} shards was interrupted; run klieg reshard ${shardCount} again.`
      : `The cluster's store is being changed to ${shardCount} shards; start this node once klieg reshard ${shardCount} has finished on node ${node}.`,
  );
}
