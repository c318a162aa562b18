import { resolve } from "node:path";
import t from "tap";
import { SettingsError } from "../../config/environment.ts";
import { readClientSettings, readSettings } from "../../config/settings.ts";

t.test("without settings the service is local, on loopback, with real models only", async (t) => {
  t.match(readSettings({}, 4), {
    host: "127.0.0.1",
    port: 8080,
    publicUrl: "http://127.0.0.1:8080",
    shareUrl: "http://127.0.0.1:8080",
    dataDir: resolve("data"),
    shards: 4,
    durability: "local",
    farmWorkers: 1,
    isolation: "required",
    simulatedModels: false,
    rateLimits: true,
    connectionsPerAddress: 4096,
    logLevel: "info",
  });
});

t.test("memory is not bounded unless it is set", async (t) => {
  t.equal(readSettings({}, 2).memoryBytes, undefined);
  t.equal(readSettings({ KLIEG_MEMORY: "1200M" }, 2).memoryBytes, 1_258_291_200);
});

t.test("one processor still has a shard", async (t) => {
  t.match(readSettings({}, 1), { shards: 1 });
});

t.test("with NATS writes are replicated over eight shards, unless that is unset", async (t) => {
  const KLIEG_NATS_URL = "nats://127.0.0.1:4222";
  const node = { durability: "replicated", shards: 8, farmWorkers: 0 };
  t.match(readSettings({ KLIEG_NATS_URL }, 4), node);
  const alone = { durability: "local", shards: 4, farmWorkers: 1 };
  t.match(readSettings({ KLIEG_NATS_URL, KLIEG_DURABILITY: "local" }, 4), alone);
  const quorum = { ...node, durability: "quorum" };
  t.match(readSettings({ KLIEG_NATS_URL, KLIEG_DURABILITY: "quorum" }, 4), quorum);
  t.throws(
    () => readSettings({ KLIEG_DURABILITY: "replicated" }, 4),
    new SettingsError(
      "KLIEG_DURABILITY is replicated, but there are no other nodes to replicate to; set KLIEG_NATS_URL.",
    ),
  );
});

t.test("the public origin follows host and port unless it is set", async (t) => {
  t.equal(readSettings({ KLIEG_HOST: "::1" }, 2).publicUrl, "http://[::1]:8080");
  const set = readSettings({ KLIEG_PUBLIC_URL: "https://media.example/" }, 2);
  t.equal(set.publicUrl, "https://media.example");
  t.equal(set.shareUrl, "https://media.example", "links to share are there too");
});

t.test("origins of pages are listed with commas between", async (t) => {
  t.strictSame(readSettings({}, 2).corsOrigins, []);
  const listed = "https://studio.example, http://localhost:3000";
  t.strictSame(readSettings({ KLIEG_CORS_ORIGINS: listed }, 2).corsOrigins, [
    "https://studio.example",
    "http://localhost:3000",
  ]);
});

t.test("a blank setting is an unset one", async (t) => {
  t.match(readSettings({ KLIEG_PORT: " ", KLIEG_CHROMIUM: "" }, 2), {
    port: 8080,
    chromium: undefined,
  });
});

t.test("catalogues are files with commas between; ours when none is named", async (t) => {
  t.strictSame(readSettings({}, 2).modelFiles, ["shipped"]);
  t.strictSame(readSettings({ KLIEG_MODELS: "shipped, my/models.json" }, 2).modelFiles, [
    "shipped",
    "my/models.json",
  ]);
  t.throws(
    () => readSettings({ KLIEG_MODELS: "shipped,," }, 2),
    new SettingsError(
      "KLIEG_MODELS has an empty entry between two commas; set it to file names separated by commas.",
    ),
  );
  t.equal(readSettings({ KLIEG_PROVIDERS: "providers.json" }, 2).providersFile, "providers.json");
});

t.test("trusted proxies are networks with commas between", async (t) => {
  t.strictSame(readSettings({}, 2).trustedProxies, []);
  const listed = { KLIEG_TRUSTED_PROXIES: "10.0.0.0/8, ::1" };
  t.strictSame(readSettings(listed, 2).trustedProxies, ["10.0.0.0/8", "::1"]);
});

t.test(
  "servers of NATS are listed with commas between, and reached by TLS elsewhere",
  async (t) => {
    t.strictSame(readSettings({}, 2).natsServers, []);
    const listed = { KLIEG_NATS_URL: "tls://ann:pw@a.example, tls://b.example:4333" };
    t.strictSame(readSettings(listed, 2).natsServers, [
      "tls://ann:pw@a.example",
      "tls://b.example:4333",
    ]);
    const local = { KLIEG_NATS_URL: "nats://127.0.0.2:1,nats://[::1],nats://localhost" };
    t.equal(readSettings(local, 2).natsServers.length, 3);
    const form = "set it to nats://127.0.0.1:4222, or tls://nats.example:4222 on another machine.";
    const wrong = [
      ["nats://a.example", "reaches a.example without TLS; set it to tls://a.example:4222."],
      ["nats://ann:pw@10.0.0.1:1", "reaches 10.0.0.1 without TLS; set it to tls://10.0.0.1:1."],
      ["http://127.0.0.1", `has a server that is not a NATS URL; ${form}`],
      ["nats://localhost,", `has a server that is not a NATS URL; ${form}`],
      ["tls://a.example/x", `has more than a server in a.example/x; ${form}`],
    ] as const;
    for (const [value, sentence] of wrong)
      t.throws(
        () => readSettings({ KLIEG_NATS_URL: value }, 2),
        new SettingsError(`KLIEG_NATS_URL ${sentence}`),
      );
  },
);
const bucket = {
  KLIEG_S3_ENDPOINT: "http://minio.example:9000",
  KLIEG_S3_BUCKET: "klieg-objects",
  KLIEG_S3_ACCESS_KEY: "klieg",
  KLIEG_S3_SECRET_KEY: "a secret",
};

t.test("objects are on the disk unless all of a bucket is set", async (t) => {
  t.equal(readSettings({}, 2).objectStore, undefined);
  t.strictSame(readSettings(bucket, 2).objectStore, {
    endpoint: "http://minio.example:9000",
    bucket: "klieg-objects",
    accessKey: "klieg",
    secretKey: "a secret",
    region: "us-east-1",
  });
  const region = { ...bucket, KLIEG_S3_REGION: "eu-west-3" };
  t.equal(readSettings(region, 2).objectStore?.region, "eu-west-3");
  for (const name of Object.keys(bucket))
    t.throws(
      () => readSettings({ ...bucket, [name]: "" }, 2),
      new SettingsError(
        `${name} is unset; set it too, or unset all of KLIEG_S3_* to keep objects on the disk.`,
      ),
    );
});

t.test("switches are read", async (t) => {
  const settings = readSettings({ KLIEG_SIM: "1", KLIEG_RATE_LIMITS: "off" }, 2);
  t.match(settings, { simulatedModels: true, rateLimits: false });
});

t.test(
  "a setting that cannot be used is named in one sentence with its remedy (D10)",
  async (t) => {
    const wrong: readonly (readonly [Record<string, string>, string])[] = [
      [
        { ...bucket, KLIEG_S3_ENDPOINT: "http://minio.example/bucket" },
        "KLIEG_S3_ENDPOINT contains more than an origin; set it to http://minio.example.",
      ],
      [
        { ...bucket, KLIEG_S3_ENDPOINT: "http://min!o" },
        'KLIEG_S3_ENDPOINT is "http://min!o"; set it to an origin whose host is a name or an IP address.',
      ],
      [
        { ...bucket, KLIEG_S3_BUCKET: "Klieg" },
        'KLIEG_S3_BUCKET is "Klieg"; set it to 3 to 63 lowercase letters, digits, dots and hyphens.',
      ],
      [{ KLIEG_PORT: "0" }, 'KLIEG_PORT is "0"; set it to a whole number from 1 to 65535.'],
      [{ KLIEG_PORT: "8e3" }, 'KLIEG_PORT is "8e3"; set it to a whole number from 1 to 65535.'],
      [{ KLIEG_PORT: "-1" }, 'KLIEG_PORT is "-1"; set it to a whole number from 1 to 65535.'],
      [
        { KLIEG_SHARD_THREADS: "65" },
        'KLIEG_SHARD_THREADS is "65"; set it to a whole number from 1 to 64.',
      ],
      [
        { KLIEG_MEMORY: "1200" },
        'KLIEG_MEMORY is "1200"; set it to 768M or more, such as 1200M or 2G.',
      ],
      [{ KLIEG_SHARDS: "3" }, "KLIEG_SHARDS is 3; set it to a power of two from 1 to 128."],
      [{ KLIEG_SHARDS: "256" }, 'KLIEG_SHARDS is "256"; set it to a whole number from 1 to 128.'],
      [
        { KLIEG_FARM_WORKERS: "many" },
        'KLIEG_FARM_WORKERS is "many"; set it to a whole number from 0 to 64.',
      ],
      [{ KLIEG_SIM: "yes" }, 'KLIEG_SIM is "yes"; set it to one of 0, 1.'],
      [{ KLIEG_RATE_LIMITS: "no" }, 'KLIEG_RATE_LIMITS is "no"; set it to one of on, off.'],
      [
        { KLIEG_CONNECTIONS_PER_ADDRESS: "0" },
        'KLIEG_CONNECTIONS_PER_ADDRESS is "0"; set it to a whole number from 1 to 1000000.',
      ],
      [
        { KLIEG_LOG_LEVEL: "loud" },
        'KLIEG_LOG_LEVEL is "loud"; ' +
          "set it to one of fatal, error, warn, info, debug, trace, silent.",
      ],
      [
        { KLIEG_PUBLIC_URL: "media.example" },
        'KLIEG_PUBLIC_URL is "media.example"; ' +
          "set it to an HTTP or HTTPS origin such as http://127.0.0.1:8080.",
      ],
      [
        { KLIEG_PUBLIC_URL: "https://media.example/x" },
        "KLIEG_PUBLIC_URL contains more than an origin; " +
          "set it to https://media.example, and let the proxy serve Klieg at its root.",
      ],
      [
        { KLIEG_POTR: "8080" },
        "KLIEG_POTR is not a setting of this version; unset it, or see docs/settings.md.",
      ],
      ...["10.0.0.0/33", "localhost", "10.0.0.0/8/8", "::1/x"].map(
        (value) =>
          [
            { KLIEG_TRUSTED_PROXIES: value },
            `KLIEG_TRUSTED_PROXIES contains "${value}"; ` +
              "set it to comma-separated networks such as 10.0.0.0/8.",
          ] as const,
      ),
      ...["https://a.example/x", "https://a.example,", "*", "ftp://a.example"].map((value) => {
        const part = value.endsWith(",") ? "" : value;
        const remedy = "set it to comma-separated origins such as https://studio.example.";
        return [
          { KLIEG_CORS_ORIGINS: value },
          `KLIEG_CORS_ORIGINS contains "${part}"; ${remedy}`,
        ] as const;
      }),
    ];
    for (const [environment, sentence] of wrong)
      t.throws(() => readSettings(environment, 2), new SettingsError(sentence));
  },
);

t.test("the command line knows no address and no credential unless they are set", async (t) => {
  t.strictSame(readClientSettings({}), {
    url: undefined,
    token: undefined,
    dataDir: resolve("data"),
    configDir: undefined,
  });
  const set = { KLIEG_URL: "http://media:1/v1", KLIEG_TOKEN: "pat_1", KLIEG_DATA_DIR: "/var/k" };
  t.strictSame(readClientSettings(set), {
    url: "http://media:1",
    token: "pat_1",
    dataDir: "/var/k",
    configDir: undefined,
  });
  t.equal(readClientSettings({ HOME: "/home/ada" }).configDir, "/home/ada/.config/klieg");
  const moved = { HOME: "/home/ada", XDG_CONFIG_HOME: "/etc/ada" };
  t.equal(readClientSettings(moved).configDir, "/etc/ada/klieg");
  t.throws(
    () => readClientSettings({ KLIEG_URL: "ftp://media" }),
    new SettingsError(
      'KLIEG_URL is "ftp://media"; ' +
        "set it to an HTTP or HTTPS origin such as http://127.0.0.1:8080.",
    ),
  );
});
