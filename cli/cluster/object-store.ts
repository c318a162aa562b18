/** The S3 server: MinIO where it is installed, otherwise Debian's Swift. */
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { ChildError, startChild } from "../../config/cluster/child.ts";
import { serveSwift } from "../../config/cluster/swift.ts";
import { host, makeFolder, type Secrets, storeConsolePort, storePort } from "./places.ts";

export interface StoreOptions {
  /** Data directory of the whole cluster. */
  readonly folder: string;
  /** First port of the whole cluster. */
  readonly port: number;
  readonly secrets: Secrets;
}

export interface StoreServer {
  readonly kind: "MinIO" | "Swift";
  readonly endpoint: string;
  readonly ended: Promise<unknown>;
  close(): void;
}

export const accessKey = "klieg:cluster";

/** Starts the server that holds objects already, or a new one. Throws `ChildError`. */
export async function startStore(options: StoreOptions): Promise<StoreServer> {
  const hasSwift = existsSync(join(options.folder, "swift"));
  const minio = hasSwift ? undefined : findMinio();
  return minio === undefined ? startSwift(options) : startMinio(minio, options);
}

function findMinio(): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return folders.map((folder) => join(folder, "minio")).find((path) => existsSync(path));
}

async function startSwift({ folder, port, secrets }: StoreOptions): Promise<StoreServer> {
  const secretKey = secrets.storeKey;
  const place = { folder: makeFolder(join(folder, "swift")), port: storePort(port) };
  try {
    return { kind: "Swift", ...(await serveSwift({ accessKey, secretKey, place })) };
  } catch (error) {
    throw new ChildError((error as Error).message);
  }
}

async function startMinio(
  minio: string,
  { folder, port, secrets }: StoreOptions,
): Promise<StoreServer> {
  const address = `${host}:${storePort(port)}`;
  const listening = [
    "--address",
    address,
    "--console-address",
    `${host}:${storeConsolePort(port)}`,
  ];
  const child = await startChild({
    name: "MinIO",
    command: [minio, "server", ...listening, makeFolder(join(folder, "minio"))],
    env: {
      ...process.env,
      MINIO_ROOT_USER: accessKey,
      MINIO_ROOT_PASSWORD: secrets.storeKey,
      MINIO_UPDATE: "off",
    },
    logFile: join(folder, "minio.log"),
    ready: "API:",
  });
  const { ended, kill } = child;
  return { kind: "MinIO", endpoint: `http://${address}`, ended, close: () => kill("SIGTERM") };
}
