import { join, resolve } from "node:path";
import {
  bareOrigin,
  choice,
  type Environment,
  httpUrl,
  integer,
  list,
  networks,
  origin,
  origins,
  publicOrigin,
  SettingsError,
  text,
} from "./environment.ts";
import { parseMemory } from "./memory.ts";
import { natsServer } from "./nats-servers.ts";
import { limitsFault } from "./overrides.ts";
import { shippedModels } from "./providers/providers.ts";
import { settingTable } from "./setting-table.ts";

/**
 * The reader of the environment; beside it only `overrides.ts` looks there, for a file that the
 * tables of limits need before anything starts. Every setting is checked here, once; a wrong one
 * stops the start with a sentence that says what to set.
 */
export interface Settings {
  readonly host: string;
  readonly port: number;
  readonly publicUrl: string;
  /** Origin of share links, where it differs from the service's own. */
  readonly shareUrl: string;
  /** Origins whose pages may use the whole API. */
  readonly corsOrigins: readonly string[];
  /** Networks of proxies whose `X-Forwarded-For` is trusted for the client's address. */
  readonly trustedProxies: readonly string[];
  /** Origin of the Figma API. */
  readonly figmaUrl: string;
  readonly spanCollectorUrl: string | undefined;
  readonly dataDir: string;
  /** Shard count with which the store is created; a power of two. */
  readonly shards: number;
  readonly farmWorkers: number;
  /** What the service may take without its farm; undefined: as much as its limits allow. */
  readonly memoryBytes: number | undefined;
  /** Catalogue files; `shipped` names the one that comes with the service. */
  readonly modelFiles: readonly string[];
  /** URLs of the NATS servers; without any, the service runs on this machine only. */
  readonly natsServers: readonly string[];
  readonly natsCredentialsFile: string | undefined;
  /** Name of this node for operators; undefined for the host's. */
  readonly nodeName: string | undefined;
  /** Host and port at which other nodes reach this one. */
  readonly clusterAddress: string;
  /** Port for metrics, open to this machine only; 0 for none. */
  readonly operatorPort: number;
  /** File of the key that all nodes share; undefined where they run on one machine. */
  readonly clusterKeyFile: string | undefined;
  /**
   * What the answer to a write guarantees: that it is on this machine's disk, also in the cluster's
   * log, or also on another node's disk.
   */
  readonly durability: Durability;
  readonly providersFile: string | undefined;
  readonly simulatedModels: boolean;
  readonly rateLimits: boolean;
  readonly connectionsPerAddress: number;
  readonly chromium: string | undefined;
  readonly ffmpeg: string | undefined;
  readonly ffprobe: string | undefined;
  /** `required`: no composition is rendered where pages cannot be kept off the network. */
  readonly isolation: "required" | "off";
  readonly bootstrapToken: string | undefined;
  readonly bootstrapTokenFile: string | undefined;
  readonly logLevel: LogLevel;
  /** The object store; undefined when objects are on the disk. */
  readonly objectStore: ObjectStore | undefined;
}

/** A bucket of an S3 API, with the credentials for it. */
export interface ObjectStore {
  readonly endpoint: string;
  readonly bucket: string;
  readonly region: string;
  readonly accessKey: string;
  readonly secretKey: string;
}

/** The service and the account that the command line uses; both default to the data directory's. */
export interface ClientSettings {
  readonly url: string | undefined;
  readonly token: string | undefined;
  readonly dataDir: string;
  /** Folder in which a login is stored; undefined for a user without a home. */
  readonly configDir: string | undefined;
}

const durabilities = ["local", "replicated", "quorum"] as const;
export type Durability = (typeof durabilities)[number];
const logLevels = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;
export type LogLevel = (typeof logLevels)[number];

/** Default shard count of a cluster, so that shards can be spread over nodes added later. */
const clusterShards = 8;

/** Reads the settings; `cores` is the machine's processor count. Throws `SettingsError`. */
export function readSettings(environment: Environment, cores: number): Settings {
  const fault = limitsFault();
  if (fault !== undefined) throw new SettingsError(fault);
  refuseUnknown(environment);
  const host = text(environment, "KLIEG_HOST") ?? "127.0.0.1";
  const port = integer(environment, "KLIEG_PORT", 8080, 1, 65_535);
  const publicUrl =
    publicOrigin(environment, "KLIEG_PUBLIC_URL") ?? `http://${bracketHost(host)}:${port}`;
  const shardThreads = integer(environment, "KLIEG_SHARD_THREADS", Math.max(1, cores - 1), 1, 64);
  const servers = natsServers(environment);
  const isAlone = durability(environment, servers.length > 0) === "local";
  const shardsMin = isAlone ? powerOfTwoFrom(shardThreads) : clusterShards;
  const shards = integer(environment, "KLIEG_SHARDS", shardsMin, 1, 128);
  if ((shards & (shards - 1)) !== 0)
    throw new SettingsError(`KLIEG_SHARDS is ${shards}; set it to a power of two from 1 to 128.`);
  return {
    host,
    port,
    publicUrl,
    shareUrl: publicOrigin(environment, "KLIEG_SHARE_URL") ?? publicUrl,
    corsOrigins: origins(environment, "KLIEG_CORS_ORIGINS"),
    trustedProxies: networks(environment, "KLIEG_TRUSTED_PROXIES"),
    figmaUrl: origin(environment, "KLIEG_FIGMA_URL") ?? "https://api.figma.com",
    spanCollectorUrl: httpUrl(environment, "OTEL_EXPORTER_OTLP_ENDPOINT"),
    dataDir: dataDirectory(environment),
    shards,
    farmWorkers: integer(environment, "KLIEG_FARM_WORKERS", isAlone ? 1 : 0, 0, 64),
    memoryBytes: memory(environment),
    modelFiles: files(environment, "KLIEG_MODELS") ?? [shippedModels],
    natsServers: servers,
    durability: durability(environment, servers.length > 0),
    natsCredentialsFile: text(environment, "KLIEG_NATS_CREDENTIALS_FILE"),
    nodeName: nodeName(environment),
    ...clusterListener(environment, port),
    operatorPort: integer(environment, "KLIEG_OPERATOR_PORT", (port + 1) % 65_536, 0, 65_535),
    providersFile: text(environment, "KLIEG_PROVIDERS"),
    simulatedModels: choice(environment, "KLIEG_SIM", ["0", "1"], "0") === "1",
    rateLimits: choice(environment, "KLIEG_RATE_LIMITS", ["on", "off"], "on") === "on",
    connectionsPerAddress: integer(
      environment,
      "KLIEG_CONNECTIONS_PER_ADDRESS",
      4096,
      1,
      1_000_000,
    ),
    chromium: text(environment, "KLIEG_CHROMIUM"),
    ffmpeg: text(environment, "KLIEG_FFMPEG"),
    ffprobe: text(environment, "KLIEG_FFPROBE"),
    isolation: choice(environment, "KLIEG_ISOLATION", ["required", "off"], "required"),
    bootstrapToken: text(environment, "KLIEG_BOOTSTRAP_TOKEN"),
    bootstrapTokenFile: text(environment, "KLIEG_BOOTSTRAP_TOKEN_FILE"),
    logLevel: choice(environment, "KLIEG_LOG_LEVEL", logLevels, "info"),
    objectStore: objectStore(environment),
  };
}

/** Requires all settings of the store or none. Throws `SettingsError`, without any secret. */
function objectStore(environment: Environment): ObjectStore | undefined {
  const endpoint = bareOrigin(environment, "KLIEG_S3_ENDPOINT");
  const bucket = text(environment, "KLIEG_S3_BUCKET");
  const accessKey = text(environment, "KLIEG_S3_ACCESS_KEY");
  const secretKey = text(environment, "KLIEG_S3_SECRET_KEY");
  const region = text(environment, "KLIEG_S3_REGION");
  if ([endpoint, bucket, accessKey, secretKey, region].every((value) => value === undefined))
    return undefined;
  const createMissingError = (name: string) =>
    new SettingsError(
      `${name} is unset; set it too, or unset all of KLIEG_S3_* to keep objects on the disk.`,
    );
  if (endpoint === undefined) throw createMissingError("KLIEG_S3_ENDPOINT");
  if (bucket === undefined) throw createMissingError("KLIEG_S3_BUCKET");
  if (accessKey === undefined) throw createMissingError("KLIEG_S3_ACCESS_KEY");
  if (secretKey === undefined) throw createMissingError("KLIEG_S3_SECRET_KEY");
  if (!/^[a-z0-9[][a-z0-9._:\]-]*$/.test(new URL(endpoint).hostname))
    throw new SettingsError(
      `KLIEG_S3_ENDPOINT is "${endpoint}"; set it to an origin whose host is a name or an IP address.`,
    );
  // The rule for bucket names of S3, which excludes addresses.
  if (!/^(?!.*\.\.)(?!\d+\.\d+\.\d+\.\d+$)[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket))
    throw new SettingsError(
      `KLIEG_S3_BUCKET is "${bucket}"; set it to 3 to 63 lowercase letters, digits, dots and hyphens.`,
    );
  return { endpoint, bucket, accessKey, secretKey, region: region ?? "us-east-1" };
}

/** Throws `SettingsError`. */
function nodeName(environment: Environment): string | undefined {
  const name = text(environment, "KLIEG_NODE_NAME");
  if (name === undefined || /^[\w.-]{1,64}$/.test(name)) return name;
  throw new SettingsError(
    `KLIEG_NODE_NAME is "${name}"; set it to 1 to 64 letters, digits, dots, hyphens and underscores.`,
  );
}

/** Without a key, only this machine may reach the listener. Throws `SettingsError`. */
function clusterListener(
  environment: Environment,
  port: number,
): Pick<Settings, "clusterAddress" | "clusterKeyFile"> {
  const clusterKeyFile = text(environment, "KLIEG_CLUSTER_KEY_FILE");
  const clusterAddress = text(environment, "KLIEG_CLUSTER_ADDRESS") ?? `127.0.0.1:${port + 2}`;
  const [, host = "", number = ""] =
    /^(\[[\da-f:]+\]|[\w.-]+):(\d{1,5})$/i.exec(clusterAddress) ?? [];
  if (!(Number(number) >= 1 && Number(number) <= 65_535) || /^(0\.0\.0\.0|\[::\])$/.test(host))
    throw new SettingsError(
      `KLIEG_CLUSTER_ADDRESS is "${clusterAddress}"; set it to the host and port at which other nodes can reach this one, such as 10.0.0.5:8082.`,
    );
  const isLoopback = /^(127(\.\d+){3}|\[::1\]|localhost)$/.test(host);
  if (!isLoopback && clusterKeyFile === undefined)
    throw new SettingsError(
      `KLIEG_CLUSTER_ADDRESS is "${clusterAddress}", which other machines can reach; set KLIEG_CLUSTER_KEY_FILE to a file that holds the same key on every node.`,
    );
  return { clusterAddress, clusterKeyFile };
}

/** Settings of the service and the command line; `overrides.ts` reads `KLIEG_LIMITS`. */
export const settingNames: ReadonlySet<string> = new Set(
  settingTable.flatMap(({ names }) => names),
);

/** Refuses unknown settings, which would otherwise be ignored. Throws `SettingsError`. */
function refuseUnknown(environment: Environment): void {
  const unknown = Object.keys(environment).find(
    (name) => name.startsWith("KLIEG_") && !settingNames.has(name),
  );
  if (unknown !== undefined)
    throw new SettingsError(
      `${unknown} is not a setting of this version; unset it, or see docs/settings.md.`,
    );
}

/** Reads the command line's settings; throws `SettingsError`. */
export function readClientSettings(environment: Environment): ClientSettings {
  return {
    url: origin(environment, "KLIEG_URL"),
    token: text(environment, "KLIEG_TOKEN"),
    dataDir: dataDirectory(environment),
    configDir: configDirectory(environment),
  };
}

/** Folder for configuration, by the XDG base directory specification. */
function configDirectory(environment: Environment): string | undefined {
  const home = text(environment, "HOME");
  const all = text(environment, "XDG_CONFIG_HOME") ?? (home && join(home, ".config"));
  return all && resolve(all, "klieg");
}

function dataDirectory(environment: Environment): string {
  return resolve(text(environment, "KLIEG_DATA_DIR") ?? join(".", "data"));
}

function files(environment: Environment, name: string): string[] | undefined {
  const found = list(environment, name);
  if (found?.includes("") === true)
    throw new SettingsError(
      `${name} has an empty entry between two commas; set it to file names separated by commas.`,
    );
  return found;
}

function durability(environment: Environment, hasNats: boolean): Durability {
  const otherwise = hasNats ? "replicated" : "local";
  const found = choice(environment, "KLIEG_DURABILITY", durabilities, otherwise);
  if (found !== "local" && !hasNats)
    throw new SettingsError(
      `KLIEG_DURABILITY is ${found}, but there are no other nodes to replicate to; set KLIEG_NATS_URL.`,
    );
  return found;
}

/** In bytes. Throws `SettingsError`. */
function memory(environment: Environment): number | undefined {
  const value = text(environment, "KLIEG_MEMORY");
  try {
    return value === undefined ? undefined : parseMemory(value);
  } catch (error) {
    throw new SettingsError(`KLIEG_MEMORY ${(error as Error).message}.`);
  }
}

/** Reads the NATS URLs; as they may contain a password, no message shows them. */
function natsServers(environment: Environment): string[] {
  const found = list(environment, "KLIEG_NATS_URL") ?? [];
  try {
    for (const part of found) natsServer(part);
  } catch (error) {
    throw new SettingsError(`KLIEG_NATS_URL ${(error as Error).message}.`);
  }
  return found;
}

function bracketHost(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}

function powerOfTwoFrom(least: number): number {
  return 2 ** Math.ceil(Math.log2(least));
}
