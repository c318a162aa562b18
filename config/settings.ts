import { join, resolve } from "node:path";
import { natsServer } from "./nats-servers.ts";
import { isNetwork } from "./network.ts";
import { limitsFault } from "./overrides.ts";
import { shippedModels } from "./providers.ts";

/**
 * The reader of the environment; beside it only `overrides.ts` looks there, for a file that the
 * tables of limits need before anything starts. Every setting is checked here, once; a wrong one
 * stops the start with a sentence that says what to set.
 */
export interface Settings {
  readonly host: string;
  readonly port: number;
  readonly publicUrl: string;
  /** The origin of share links, where it is another. */
  readonly shareUrl: string;
  /** Origins whose pages may ask all of the API. */
  readonly corsOrigins: readonly string[];
  /** Networks whose proxies may say in `X-Forwarded-For` for whom they ask. */
  readonly trustedProxies: readonly string[];
  /** Origin of the API of designs. */
  readonly figmaUrl: string;
  readonly spanCollectorUrl: string | undefined;
  readonly dataDir: string;
  /** Shard count when the store is created; a power of two. */
  readonly shards: number;
  readonly farmWorkers: number;
  /** Catalogues; `shipped` names ours. */
  readonly modelFiles: readonly string[];
  /** URLs of the servers of NATS; without any, this machine is alone. */
  readonly natsServers: readonly string[];
  readonly natsCredentialsFile: string | undefined;
  /** Host and port of the listener for other nodes, at which they reach it. */
  readonly clusterAddress: string;
  /** Of this machine alone, for metrics; 0 for none. */
  readonly operatorPort: number;
  /** Of the key that all nodes share; undefined where they share a machine. */
  readonly clusterKeyFile: string | undefined;
  /**
   * What an answer to a write means: it is on this machine's disk, in the cluster's log as well, or
   * also on the disk of another node.
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
  /** Undefined: objects are on the disk. */
  readonly objectStore: ObjectStore | undefined;
}

/** A bucket of an S3 API, and who may use it. */
export interface ObjectStore {
  readonly endpoint: string;
  readonly bucket: string;
  readonly region: string;
  readonly accessKey: string;
  readonly secretKey: string;
}

/**
 * Where the command line goes and as whom; the data directory answers for both when they are unset.
 */
export interface ClientSettings {
  readonly url: string | undefined;
  readonly token: string | undefined;
  readonly dataDir: string;
  /** Where a login is kept; undefined for a user without a home. */
  readonly configDir: string | undefined;
}

const durabilities = ["local", "replicated", "quorum"] as const;
export type Durability = (typeof durabilities)[number];
const logLevels = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;
export type LogLevel = (typeof logLevels)[number];

/** A setting that cannot be used; the message is one sentence for the operator. */
export class SettingsError extends Error {
  override readonly name = "SettingsError";
}

/** So many may be spread over nodes that are added later. */
const clusterShards = 8;

type Environment = Readonly<Record<string, string | undefined>>;

/** `cores` is the machine's number of processors. Throws `SettingsError`. */
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
    spanCollectorUrl: baseUrl(environment, "OTEL_EXPORTER_OTLP_ENDPOINT"),
    dataDir: dataDirectory(environment),
    shards,
    farmWorkers: integer(environment, "KLIEG_FARM_WORKERS", isAlone ? 1 : 0, 0, 64),
    modelFiles: files(environment, "KLIEG_MODELS") ?? [shippedModels],
    natsServers: servers,
    durability: durability(environment, servers.length > 0),
    natsCredentialsFile: text(environment, "KLIEG_NATS_CREDENTIALS_FILE"),
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

/** All of it or nothing. Throws `SettingsError`, which no secret is in. */
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
      `KLIEG_S3_ENDPOINT is "${endpoint}"; set it to an origin whose host is a name or an address.`,
    );
  // As S3 names buckets, which no address may be.
  if (!/^(?!.*\.\.)(?!\d+\.\d+\.\d+\.\d+$)[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket))
    throw new SettingsError(
      `KLIEG_S3_BUCKET is "${bucket}"; set it to 3 to 63 lower-case letters, digits, dots and hyphens.`,
    );
  return { endpoint, bucket, accessKey, secretKey, region: region ?? "us-east-1" };
}

/** Without a key none but this machine may reach it. Throws `SettingsError`. */
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
      `KLIEG_CLUSTER_ADDRESS is "${clusterAddress}"; set it to the host and port at which other nodes reach this one, such as 10.0.0.5:8082.`,
    );
  const isLoopback = /^(127(\.\d+){3}|\[::1\]|localhost)$/.test(host);
  if (!isLoopback && clusterKeyFile === undefined)
    throw new SettingsError(
      `KLIEG_CLUSTER_ADDRESS is "${clusterAddress}", which other machines reach; set KLIEG_CLUSTER_KEY_FILE to a file with the same key on every node.`,
    );
  return { clusterAddress, clusterKeyFile };
}

/** Of the service and of the command line; `KLIEG_LIMITS` is read in `overrides.ts`. */
export const settingNames: ReadonlySet<string> = new Set([
  "KLIEG_BOOTSTRAP_TOKEN",
  "KLIEG_BOOTSTRAP_TOKEN_FILE",
  "KLIEG_CHROMIUM",
  "KLIEG_CLUSTER_ADDRESS",
  "KLIEG_CLUSTER_KEY_FILE",
  "KLIEG_CONNECTIONS_PER_ADDRESS",
  "KLIEG_CORS_ORIGINS",
  "KLIEG_DATA_DIR",
  "KLIEG_DURABILITY",
  "KLIEG_FARM_WORKERS",
  "KLIEG_FFMPEG",
  "KLIEG_FFPROBE",
  "KLIEG_FIGMA_URL",
  "KLIEG_HOST",
  "KLIEG_ISOLATION",
  "KLIEG_LIMITS",
  "KLIEG_LOG_LEVEL",
  "KLIEG_MODELS",
  "KLIEG_NATS_CREDENTIALS_FILE",
  "KLIEG_NATS_URL",
  "KLIEG_OPERATOR_PORT",
  "KLIEG_PORT",
  "KLIEG_PROVIDERS",
  "KLIEG_PUBLIC_URL",
  "KLIEG_RATE_LIMITS",
  "KLIEG_S3_ACCESS_KEY",
  "KLIEG_S3_BUCKET",
  "KLIEG_S3_ENDPOINT",
  "KLIEG_S3_REGION",
  "KLIEG_S3_SECRET_KEY",
  "KLIEG_SHARDS",
  "KLIEG_SHARD_THREADS",
  "KLIEG_SHARE_URL",
  "KLIEG_SIM",
  "KLIEG_TOKEN",
  "KLIEG_TRUSTED_PROXIES",
  "KLIEG_URL",
]);

/** A misspelt setting would be taken for an unset one. Throws `SettingsError`. */
function refuseUnknown(environment: Environment): void {
  const unknown = Object.keys(environment).find(
    (name) => name.startsWith("KLIEG_") && !settingNames.has(name),
  );
  if (unknown !== undefined)
    throw new SettingsError(
      `${unknown} is no setting of this version; unset it, or see the settings in README.md.`,
    );
}

/** Throws `SettingsError`. */
export function readClientSettings(environment: Environment): ClientSettings {
  return {
    url: origin(environment, "KLIEG_URL"),
    token: text(environment, "KLIEG_TOKEN"),
    dataDir: dataDirectory(environment),
    configDir: configDirectory(environment),
  };
}

/** By the XDG base directory specification. */
function configDirectory(environment: Environment): string | undefined {
  const home = text(environment, "HOME");
  const all = text(environment, "XDG_CONFIG_HOME") ?? (home && join(home, ".config"));
  return all && resolve(all, "klieg");
}

function dataDirectory(environment: Environment): string {
  return resolve(text(environment, "KLIEG_DATA_DIR") ?? join(".", "data"));
}

function text(environment: Environment, name: string): string | undefined {
  const value = environment[name]?.trim();
  return value === "" ? undefined : value;
}

/** With commas between. */
function list(environment: Environment, name: string): string[] | undefined {
  const parts = text(environment, name)?.split(",");
  return parts?.map((part) => part.trim());
}

function files(environment: Environment, name: string): string[] | undefined {
  const found = list(environment, name);
  if (found?.includes("") === true)
    throw new SettingsError(
      `${name} has nothing between two commas; set it to files with commas between.`,
    );
  return found;
}

function durability(environment: Environment, hasNats: boolean): Durability {
  const otherwise = hasNats ? "replicated" : "local";
  const found = choice(environment, "KLIEG_DURABILITY", durabilities, otherwise);
  if (found !== "local" && !hasNats)
    throw new SettingsError(
      `KLIEG_DURABILITY is ${found}, and there is nowhere to replicate to; set KLIEG_NATS_URL.`,
    );
  return found;
}

/** They may have a password in them, which no message shows. */
function natsServers(environment: Environment): string[] {
  const found = list(environment, "KLIEG_NATS_URL") ?? [];
  try {
    for (const part of found) natsServer(part);
  } catch (error) {
    throw new SettingsError(`KLIEG_NATS_URL ${(error as Error).message}.`);
  }
  return found;
}

function integer(
  environment: Environment,
  name: string,
  otherwise: number,
  min: number,
  max: number,
): number {
  const value = text(environment, name);
  if (value === undefined) return otherwise;
  const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
  if (!(number >= min && number <= max))
    throw new SettingsError(
      `${name} is "${value}"; set it to a whole number from ${min} to ${max}.`,
    );
  return number;
}

function choice<T extends string>(
  environment: Environment,
  name: string,
  values: readonly T[],
  otherwise: T,
): T {
  const value = text(environment, name);
  if (value === undefined) return otherwise;
  const found = values.find((candidate) => candidate === value);
  if (found === undefined)
    throw new SettingsError(`${name} is "${value}"; set it to one of ${values.join(", ")}.`);
  return found;
}

function origin(environment: Environment, name: string): string | undefined {
  const url = baseUrl(environment, name);
  return url && new URL(url).origin;
}

/** Without slashes at its end. */
function baseUrl(environment: Environment, name: string): string | undefined {
  const value = text(environment, name);
  if (value === undefined || (URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)))
    return value?.replace(/\/+$/, "");
  throw new SettingsError(
    `${name} is "${value}"; set it to an http or https origin such as http://127.0.0.1:8080.`,
  );
}

/** Links are made of it, and the service answers at the root of its origin. */
function publicOrigin(environment: Environment, name: string): string | undefined {
  return bareOrigin(environment, name, ", and let the proxy serve Klieg at its root");
}

function bareOrigin(environment: Environment, name: string, advice = ""): string | undefined {
  const found = origin(environment, name);
  const { pathname, search, hash, username } = new URL(text(environment, name) ?? "http://unset");
  if (found === undefined || (pathname === "/" && search + hash + username === "")) return found;
  throw new SettingsError(`${name} has more than an origin; set it to ${found}${advice}.`);
}

function networks(environment: Environment, name: string): string[] {
  const found = list(environment, name) ?? [];
  for (const part of found)
    if (!isNetwork(part))
      throw new SettingsError(
        `${name} has "${part}"; set it to networks such as 10.0.0.0/8 with commas between.`,
      );
  return found;
}

/** Exactly as browsers send them. */
function origins(environment: Environment, name: string): string[] {
  const found = list(environment, name) ?? [];
  for (const part of found)
    if (!/^https?:/.test(part) || !URL.canParse(part) || new URL(part).origin !== part)
      throw new SettingsError(
        `${name} has "${part}"; set it to origins such as https://studio.example with commas between.`,
      );
  return found;
}

function bracketHost(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}

function powerOfTwoFrom(least: number): number {
  return 2 ** Math.ceil(Math.log2(least));
}
