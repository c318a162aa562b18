import { join } from "node:path";
import t, { type Test } from "tap";
import { ProviderFileError, readProviders } from "../../config/providers/provider-file.ts";

const fal = { name: "fal", adapter: "fal", url: "https://queue.fal.run", key: { env: "FAL_KEY" } };
const comfyui = { name: "local", adapter: "comfyui", url: "http://127.0.0.1:8188/" };
const environment = { FAL_KEY: " id:s3cr3t\n", EMPTY: " ", LINES: "a\nb", TOKEN: "t-1" };

function fileWith(t: Test, providers: readonly unknown[], others: Record<string, string> = {}) {
  return join(
    t.testdir({ "providers.json": JSON.stringify({ providers }), ...others }),
    "providers.json",
  );
}

t.test("without KLIEG_PROVIDERS no provider is configured", async (t) => {
  t.strictSame(readProviders(undefined, {}), []);
});

t.test("secrets are read from the environment and from files beside, trimmed", async (t) => {
  const headers = { "X-Proxy": { file: "proxy.key" } };
  const file = fileWith(t, [{ ...fal, headers }], { "proxy.key": "p-1\n" });
  t.strictSame(readProviders(file, environment), [
    {
      name: "fal",
      adapter: "fal",
      urls: ["https://queue.fal.run"],
      allowedHosts: [],
      allowPrivate: false,
      dialect: "openai",
      deleteCancels: false,
      targetedInterrupt: false,
      billedPartway: false,
      moderationPatterns: [],
      callbackAddresses: [],
      headers: { "x-proxy": "p-1" },
      key: "id:s3cr3t",
    },
  ]);
});

t.test("each adapter has its defaults", async (t) => {
  const replicate = { ...fal, name: "replicate", adapter: "replicate" };
  const cog = { name: "cog", adapter: "cog", url: "http://10.0.0.1:5000" };
  const [one, two, three] = readProviders(fileWith(t, [comfyui, replicate, cog]), environment);
  t.match(one, { urls: ["http://127.0.0.1:8188"], maxInFlight: 2, moderationPatterns: [] });
  for (const provider of [two, three])
    t.strictSame(provider?.moderationPatterns, ["NSFW", "(E005)", "sensitive"]);
  t.notOk(two !== undefined && "maxInFlight" in two);
});

t.test("an entry says all that a provider can be told", async (t) => {
  const openai = {
    name: "openai",
    adapter: "openai",
    url: "https://api.openai.com",
    key: { env: "TOKEN" },
    webhook_secret: { env: "TOKEN" },
    allowed_hosts: ["*.example.com", "media.example"],
    allow_private: true,
    dialect: "vllm_omni",
    delete_cancels: true,
    max_in_flight: 9,
    result_bytes_max: 1000,
    moderation_patterns: ["bad"],
    callback_addresses: ["10.0.0.0/8", "::1"],
  };
  const servers = { ...comfyui, url: undefined, urls: ["http://a:1", "http://b:2/x/"] };
  const more = { targeted_interrupt: true, billed_partway: true };
  const found = readProviders(fileWith(t, [openai, { ...servers, ...more }]), environment);
  t.match(found[0], {
    key: "t-1",
    webhookSecret: "t-1",
    allowedHosts: ["*.example.com", "media.example"],
    allowPrivate: true,
    dialect: "vllm_omni",
    deleteCancels: true,
    maxInFlight: 9,
    resultBytesMax: 1000,
    moderationPatterns: ["bad"],
    callbackAddresses: ["10.0.0.0/8", "::1"],
  });
  t.match(found[1], {
    urls: ["http://a:1", "http://b:2/x"],
    targetedInterrupt: true,
    billedPartway: true,
  });
});

const secretInPlace = 'must name where the secret is: { "env": NAME } or { "file": PATH }';
const faults: readonly (readonly [readonly unknown[], string])[] = [
  [[{ ...fal, key: "id:s3cr3t" }], `the provider fal: key ${secretInPlace}`],
  [
    [{ ...comfyui, headers: { authorization: "Bearer s3cr3t" } }],
    `the provider local: headers/authorization ${secretInPlace}`,
  ],
  [
    [{ ...fal, key: { env: "MISSING" } }],
    "the provider fal needs the environment variable MISSING for its key; set it",
  ],
  [
    [{ ...fal, key: { env: "EMPTY" } }],
    "the provider fal has a key whose environment variable EMPTY is empty",
  ],
  [
    [{ ...fal, key: { env: "LINES" } }],
    "the provider fal has a key whose environment variable LINES is not one line of plain text",
  ],
  [
    [{ ...fal, key: { env: "KLIEG_KEY" } }],
    "the provider fal has a key named KLIEG_KEY; KLIEG_ begins the names of settings alone",
  ],
  [
    [{ ...fal, key: { file: "/nowhere/key" } }],
    "the provider fal has a key whose file /nowhere/key cannot be read",
  ],
  [[{ ...fal, key: {} }], "the provider fal needs either env or file in key"],
  [[{ ...fal, key: undefined }], "the provider fal needs a key, as all of the adapter fal do"],
  [[{ ...fal, name: "farm" }], "the provider farm has a name that is the service's own"],
  [[{ ...fal, name: "sim" }], "the provider sim has a name that is the service's own"],
  [[{ ...fal, name: "Fal!" }], "the provider Fal!: name must match pattern"],
  [[fal, fal], "the provider fal is there twice; give one of them another name"],
  [[{ ...fal, adapter: "foo" }], "the provider fal: adapter must be one of fal, comfyui,"],
  [[{ ...fal, kye: 1 }], "the provider fal: kye is not a known field"],
  [[{ ...fal, dialect: "sglang" }], "the provider fal has dialect, which is for openai alone"],
  [
    [{ ...comfyui, webhook_secret: { env: "TOKEN" } }],
    "the provider local has webhook_secret, which is for openai and replicate alone",
  ],
  [[{ ...fal, url: undefined }], "the provider fal needs either url or urls"],
  [[{ ...fal, url: undefined, urls: ["http://a"] }], "has urls, which is for comfyui alone"],
  [[{ ...fal, url: "ftp://a" }], "the provider fal has a url that is not an http or https URL"],
  [
    [{ ...fal, url: "https://id:s3cr3t@a" }],
    "the provider fal has a url with a user or password; give them with key or headers",
  ],
  [[{ ...fal, url: "https://a?x=1" }], "has a url with more than an origin and a path"],
  [[{ ...fal, allowed_hosts: ["https://a"] }], 'has "https://a" in allowed_hosts;'],
  [[{ ...fal, allowed_hosts: ["Media.example"] }], 'has "Media.example" in allowed_hosts;'],
  [[{ ...fal, callback_addresses: ["10.0.0.0/33"] }], 'has "10.0.0.0/33" in callback_addresses'],
  [[{ ...fal, headers: { host: { env: "TOKEN" } } }], 'cannot set the header "host"'],
];

for (const [providers, sentence] of faults)
  t.test(`a wrong file of providers stops with a sentence: ${sentence}`, async (t) => {
    const file = fileWith(t, providers);
    const attempt = () => readProviders(file, environment);
    t.throws(attempt, ProviderFileError);
    try {
      attempt();
    } catch (error) {
      const { message } = error as Error;
      t.ok(message.startsWith(`${file}: `), message);
      t.ok(message.includes(sentence), message);
      t.ok(message.endsWith("."), message);
      t.notMatch(message, /s3cr3t/, "no secret is repeated");
    }
  });

t.test("a file that cannot be read, or is no JSON, is named without its text", async (t) => {
  t.throws(
    () => readProviders("/nowhere/providers.json", {}),
    new ProviderFileError(
      "KLIEG_PROVIDERS names /nowhere/providers.json, which cannot be read; correct it.",
    ),
  );
  const folder = t.testdir({ "providers.json": '{ "key": "id:s3cr3t"' });
  const file = join(folder, "providers.json");
  t.throws(
    () => readProviders(file, {}),
    new ProviderFileError(`KLIEG_PROVIDERS names ${file}, which is not valid JSON; correct it.`),
  );
});
