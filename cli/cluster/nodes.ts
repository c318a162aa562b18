/** The engine nodes and farm nodes, started the way `npm start` and `npm run farm` do it. */
import { join } from "node:path";
import { type Child, startChild } from "../../config/cluster/child.ts";
import {
  clusterKeyName,
  engineNodes,
  enginePort,
  farmPort,
  farmUser,
  host,
  type Secrets,
  writePrivate,
} from "./places.ts";

export interface NodesOptions {
  /** Data directory of the whole cluster. */
  readonly folder: string;
  /** First port of the whole cluster. */
  readonly port: number;
  /** Settings with the addresses of NATS and the bucket, and their keys. */
  readonly settings: Readonly<Record<string, string>>;
  readonly secrets: Secrets;
}

/** Each shard has its own thread; more than two are rarely of use on one machine. */
const shards = "2";

/** Throws `ChildError`. */
export function startEngineNodes(options: NodesOptions): Promise<Child>[] {
  const credentials = credentialsFile(options.folder, "engine", options.secrets.natsEngine);
  return [...Array(engineNodes).keys()].map((node) => {
    const port = enginePort(options.port, node);
    const name = `engine-${node + 1}`;
    return startChild({
      name: `engine node ${node + 1}`,
      command: ["sh", "config/serve"],
      env: {
        KLIEG_SHARDS: shards,
        ...process.env,
        ...options.settings,
        KLIEG_DURABILITY: "replicated",
        KLIEG_NATS_CREDENTIALS_FILE: credentials,
        KLIEG_HOST: host,
        KLIEG_PORT: `${port}`,
        KLIEG_OPERATOR_PORT: `${port + 1}`,
        KLIEG_CLUSTER_ADDRESS: `${host}:${port + 2}`,
        KLIEG_CLUSTER_KEY_FILE: join(options.folder, clusterKeyName),
        KLIEG_DATA_DIR: join(options.folder, name),
        KLIEG_BOOTSTRAP_TOKEN_FILE: join(options.folder, "admin-token"),
      },
      logFile: join(options.folder, `${name}.log`),
      ready: " serves ",
    });
  });
}

/** Throws `ChildError`. */
export function startFarmNodes(options: NodesOptions): Promise<Child>[] {
  return options.secrets.natsFarms.map((password, node) =>
    startChild({
      name: `farm node ${node + 1}`,
      command: ["sh", "config/farm"],
      env: {
        ...process.env,
        ...options.settings,
        KLIEG_NATS_CREDENTIALS_FILE: credentialsFile(options.folder, farmUser(node), password),
        KLIEG_OPERATOR_PORT: `${farmPort(options.port, node)}`,
      },
      logFile: join(options.folder, `farm-${node + 1}.log`),
    }),
  );
}

/** Writes credentials in the form that `KLIEG_NATS_CREDENTIALS_FILE` requires. */
function credentialsFile(folder: string, user: string, password: string): string {
  const file = join(folder, `nats-${user}-credentials`);
  writePrivate(file, `${user}:${password}\n`);
  return file;
}
