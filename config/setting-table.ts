/** Every setting: an environment variable, for the service or the command line. */
export interface SettingEntry {
  /** Variables that are explained together. */
  readonly names: readonly string[];
  /** What it sets, as Markdown. */
  readonly meaning: string;
  /** What holds without it, as Markdown. */
  readonly initial: string;
}

export const settingTable: readonly SettingEntry[] = [
  {
    names: ["KLIEG_HOST", "KLIEG_PORT"],
    meaning: "listener",
    initial: "`127.0.0.1`, `8080`",
  },
  {
    names: ["KLIEG_OPERATOR_PORT"],
    meaning:
      "loopback port at which a service, or a farm node over NATS, serves `/metrics` to Prometheus; `0` for none",
    initial: "`KLIEG_PORT` + 1",
  },
  {
    names: ["OTEL_EXPORTER_OTLP_ENDPOINT"],
    meaning:
      "collector (OTLP over HTTP) of the spans of requests, jobs, renders and farm tasks that clients trace by `traceparent`",
    initial: "none",
  },
  {
    names: ["KLIEG_FIGMA_URL"],
    meaning: "origin of the Figma API; if it is at a private address, its pictures may be too",
    initial: "`https://api.figma.com`",
  },
  {
    names: ["KLIEG_PUBLIC_URL"],
    meaning: "origin of the links in answers, as clients and providers reach it",
    initial: "host and port",
  },
  {
    names: ["KLIEG_SHARE_URL"],
    meaning: "origin of share links and their media, if it differs",
    initial: "`KLIEG_PUBLIC_URL`",
  },
  {
    names: ["KLIEG_TRUSTED_PROXIES"],
    meaning: "networks of proxies whose `X-Forwarded-For` is trusted, with commas between",
    initial: "none",
  },
  {
    names: ["KLIEG_CORS_ORIGINS"],
    meaning: "origins whose pages may use the API from a browser, with commas between",
    initial: "none",
  },
  {
    names: ["KLIEG_DATA_DIR"],
    meaning: "directory of the store, the objects and `admin-token`",
    initial: "`./data`",
  },
  {
    names: ["KLIEG_S3_ENDPOINT", "KLIEG_S3_BUCKET"],
    meaning:
      "origin of the S3 server (MinIO or any other) that keeps the objects, and the bucket, which the start creates if it is missing",
    initial: "the disk",
  },
  {
    names: ["KLIEG_S3_ACCESS_KEY", "KLIEG_S3_SECRET_KEY"],
    meaning:
      "access key with the right to list, read, write and remove in that bucket, and its secret",
    initial: "none",
  },
  {
    names: ["KLIEG_S3_REGION"],
    meaning: "the bucket's region",
    initial: "`us-east-1`",
  },
  {
    names: ["KLIEG_SHARD_THREADS", "KLIEG_SHARDS"],
    meaning:
      "number of threads for which a new store gets shards; number of shards of a new store, a thread each; `8` in a cluster",
    initial: "cores - 1; the next power of two",
  },
  {
    names: ["KLIEG_FARM_WORKERS"],
    meaning: "farm processes of this node; an idle one helps with the film of another",
    initial: "`1`",
  },
  {
    names: ["KLIEG_MEMORY"],
    meaning:
      "approximate memory of the service under sustained load, without its farm, such as `1200M` or `2G`; at least `768M`",
    initial: "unbounded",
  },
  {
    names: ["KLIEG_MODELS"],
    meaning:
      "catalogues of models, with commas between; `shipped` is the built-in one. A model's `provider` is `farm`, `sim` (with `KLIEG_SIM=1`) or one of `KLIEG_PROVIDERS`",
    initial: "`shipped`",
  },
  {
    names: ["KLIEG_PROVIDERS"],
    meaning:
      "JSON file of [providers](providers.md), with their adapters, URLs and the places of their keys",
    initial: "none",
  },
  {
    names: ["KLIEG_NATS_URL"],
    meaning: "NATS servers, with commas between; `tls://` unless they are on this machine",
    initial: "none",
  },
  {
    names: ["KLIEG_NATS_CREDENTIALS_FILE"],
    meaning: "credentials for NATS: a NATS credentials file, or one line `user:password`",
    initial: "none",
  },
  {
    names: ["KLIEG_NODE_NAME"],
    meaning:
      "name by which `klieg nodes` and the console list this node or farm node: 1 to 64 letters, digits, dots, hyphens and underscores",
    initial: "the host's name",
  },
  {
    names: ["KLIEG_CLUSTER_ADDRESS"],
    meaning: "host and port at which the other nodes of a cluster reach this one",
    initial: "`127.0.0.1`, port + 2",
  },
  {
    names: ["KLIEG_CLUSTER_KEY_FILE"],
    meaning:
      "file with the key that signs forwarded requests, at least 32 characters, the same on all nodes",
    initial: "none: nodes on this machine only",
  },
  {
    names: ["KLIEG_DURABILITY"],
    meaning:
      "what a write waits for: `local`: this disk; `replicated`: the cluster's log as well; `quorum`: another node's disk too",
    initial: "`replicated` with NATS",
  },
  {
    names: ["KLIEG_LIMITS"],
    meaning: "JSON file with other values for limits and plans",
    initial: "the shipped ones",
  },
  {
    names: ["KLIEG_SIM"],
    meaning: "`1` adds the simulated models",
    initial: "unset",
  },
  {
    names: ["KLIEG_RATE_LIMITS"],
    meaning: "`off` disables the request-rate limits",
    initial: "`on`",
  },
  {
    names: ["KLIEG_CONNECTIONS_PER_ADDRESS"],
    meaning: "maximum of open connections of one client address",
    initial: "`4096`",
  },
  {
    names: ["KLIEG_CHROMIUM", "KLIEG_FFMPEG", "KLIEG_FFPROBE"],
    meaning: "paths of the executables",
    initial: "found",
  },
  {
    names: ["KLIEG_ISOLATION"],
    meaning: "`off` renders compositions even if their pages cannot be isolated from the network",
    initial: "`required`",
  },
  {
    names: ["KLIEG_BOOTSTRAP_TOKEN", "KLIEG_BOOTSTRAP_TOKEN_FILE"],
    meaning: "token of the first account on an empty store, or a file with it",
    initial: "random",
  },
  {
    names: ["KLIEG_URL", "KLIEG_TOKEN"],
    meaning: "service and token of the command line",
    initial: "this machine's service",
  },
  {
    names: ["KLIEG_LOG_LEVEL"],
    meaning: "minimum level of the log (pino's levels)",
    initial: "`info`",
  },
];
