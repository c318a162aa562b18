/**
 * `KLIEG_PROVIDERS`: the operator's JSON file of providers. Secrets are in the environment or in
 * separate files, which are read here; no message contains a secret.
 */
import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { omitUndefined } from "../defined.ts";
import { isNetwork } from "../network.ts";
import { check, type Fault, type Static, Type } from "../schema.ts";
import {
  defaultModerationPatterns,
  openaiDialects,
  type ProviderAdapter,
  type ProviderConfig,
  providerAdapters,
} from "./provider-config.ts";
import { isRemote } from "./providers.ts";

const { Optional } = Type;
const Flag = Optional(Type.Boolean());
const Texts = Optional(
  Type.Array(Type.String({ minLength: 1, maxLength: 500 }), { maxItems: 100 }),
);
const Url = Type.String({ minLength: 1, maxLength: 2_000 });

const Secret = Type.Object(
  {
    env: Optional(Type.String({ pattern: "^[A-Za-z_][A-Za-z0-9_]*$" })),
    file: Optional(Type.String({ minLength: 1 })),
  },
  { additionalProperties: false },
);
type Secret = Static<typeof Secret>;

const Entry = Type.Object(
  {
    name: Type.String({ pattern: "^[a-z0-9][a-z0-9_-]{0,31}$" }),
    adapter: Type.Enum([...providerAdapters]),
    url: Optional(Url),
    urls: Optional(Type.Array(Url, { minItems: 1, maxItems: 64 })),
    key: Optional(Secret),
    allowed_hosts: Texts,
    allow_private: Flag,
    jwks_url: Optional(Url),
    webhook_secret: Optional(Secret),
    dialect: Optional(Type.Enum([...openaiDialects])),
    delete_cancels: Flag,
    targeted_interrupt: Flag,
    max_in_flight: Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
    result_bytes_max: Optional(Type.Integer({ minimum: 1 })),
    headers: Optional(Type.Record(Type.String(), Secret)),
    billed_partway: Flag,
    moderation_patterns: Texts,
    callback_addresses: Texts,
  },
  { additionalProperties: false },
);
type Entry = Static<typeof Entry>;

const ProviderFile = Type.Object(
  { providers: Type.Array(Entry, { maxItems: 100 }) },
  { additionalProperties: false },
);

const isProviderFile = check<Static<typeof ProviderFile>>(ProviderFile);

/** An unusable file of providers; the message is one sentence for the operator. */
export class ProviderFileError extends Error {
  override readonly name = "ProviderFileError";
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Where a value is, for messages and for resolving the paths of files that it names. */
interface Place {
  readonly file: string;
  readonly provider: string;
  readonly environment: Environment;
}

/** Reads the file of providers; throws `ProviderFileError`. */
export function readProviders(
  file: string | undefined,
  environment: Environment,
): readonly ProviderConfig[] {
  const { providers, faults } = surveyProviders(file, environment);
  if (faults[0] !== undefined) throw faults[0];
  return providers;
}

export interface ProviderSurvey {
  readonly providers: readonly ProviderConfig[];
  readonly faults: readonly ProviderFileError[];
  /** Names of the entries that have faults. */
  readonly faulty: readonly string[];
}

/** Returns the valid providers together with all faults. */
export function surveyProviders(
  file: string | undefined,
  environment: Environment,
): ProviderSurvey {
  const faults: ProviderFileError[] = [];
  const faulty: string[] = [];
  const found: ProviderConfig[] = [];
  for (const entry of collect(faults, () => readEntries(file)) ?? []) {
    const place = { file: file ?? "", provider: entry.name, environment };
    const config = collect(faults, () => {
      if ([...faulty, ...found.map(({ name }) => name)].includes(entry.name))
        throw wrong(place, "is there twice; give one of them another name");
      return buildConfig(entry, place);
    });
    if (config === undefined) faulty.push(entry.name);
    else found.push(config);
  }
  return { providers: found, faults, faulty };
}

function collect<T>(faults: ProviderFileError[], read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ProviderFileError)) throw error;
    faults.push(error);
    return undefined;
  }
}

function readEntries(file: string | undefined): readonly Entry[] {
  if (file === undefined) return [];
  const value = parseFile(file);
  if (isProviderFile(value)) return value.providers;
  const fault = isProviderFile.faults(value)[0] ?? { pointer: "", detail: "is wrong" };
  throw new ProviderFileError(`${file}: ${describe(fault, value)}.`);
}

/** Fields that only some adapters use. */
const adaptersByField = {
  jwks_url: ["fal"],
  webhook_secret: ["openai", "replicate"],
  dialect: ["openai"],
  delete_cancels: ["openai"],
  targeted_interrupt: ["comfyui"],
  billed_partway: ["comfyui"],
  urls: ["comfyui"],
} as const satisfies Partial<Record<keyof Entry, readonly ProviderAdapter[]>>;

const needKey: readonly ProviderAdapter[] = ["fal", "replicate"];
const comfyuiInFlight = 2;

const patternsByAdapter: Partial<Record<ProviderAdapter, readonly string[]>> = {
  replicate: defaultModerationPatterns,
  cog: defaultModerationPatterns,
};

function buildConfig(entry: Entry, place: Place): ProviderConfig {
  const { name, adapter } = entry;
  checkEntry(entry, place);
  const maxInFlight = entry.max_in_flight ?? (adapter === "comfyui" ? comfyuiInFlight : undefined);
  return {
    name,
    adapter,
    urls: (entry.urls ?? [entry.url ?? ""]).map((url) => serverUrl(url, place)),
    allowedHosts: entry.allowed_hosts ?? [],
    allowPrivate: entry.allow_private ?? false,
    dialect: entry.dialect ?? "openai",
    deleteCancels: entry.delete_cancels ?? false,
    targetedInterrupt: entry.targeted_interrupt ?? false,
    billedPartway: entry.billed_partway ?? false,
    moderationPatterns: entry.moderation_patterns ?? patternsByAdapter[adapter] ?? [],
    callbackAddresses: entry.callback_addresses ?? [],
    headers: readHeaders(entry, place),
    ...omitUndefined({
      key: entry.key && readSecret(entry.key, "key", place),
      webhookSecret:
        entry.webhook_secret && readSecret(entry.webhook_secret, "webhook_secret", place),
      jwksUrl: entry.jwks_url && webUrl(entry.jwks_url, "jwks_url", place).href,
      maxInFlight,
      resultBytesMax: entry.result_bytes_max,
    }),
  };
}

/** Host names (RFC 1123) and addresses; a leading `*.` matches all names under a domain. */
const hostPattern =
  /^(?:\*\.)?[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;

function checkEntry(entry: Entry, place: Place): void {
  const { name, adapter, url, urls, allowed_hosts = [], callback_addresses = [] } = entry;
  if (!isRemote(name)) throw wrong(place, "has a name that is the service's own; choose another");
  if ((url === undefined) === (urls === undefined)) throw wrong(place, "needs either url or urls");
  for (const [field, adapters] of Object.entries(adaptersByField))
    if (Object.hasOwn(entry, field) && !adapters.some((other) => other === adapter))
      throw wrong(place, `has ${field}, which is for ${adapters.join(" and ")} alone`);
  if (needKey.includes(adapter) && entry.key === undefined)
    throw wrong(place, `needs a key, as all of the adapter ${adapter} do`);
  for (const host of allowed_hosts)
    if (!hostPattern.test(host))
      throw wrong(place, `has "${host}" in allowed_hosts; write host names such as *.example.com`);
  for (const address of callback_addresses)
    if (!isNetwork(address))
      throw wrong(
        place,
        `has "${address}" in callback_addresses; write networks such as 10.0.0.0/8`,
      );
}

function serverUrl(text: string, place: Place): string {
  const field = "url";
  const url = webUrl(text, field, place);
  if (url.search !== "" || url.hash !== "")
    throw wrong(place, `has a ${field} with more than an origin and a path`);
  return url.href.replace(/\/+$/, "");
}

/** The message does not repeat an invalid URL, because it may contain a password. */
function webUrl(text: string, field: string, place: Place): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw wrong(place, `has a ${field} that is not an http or https URL`);
  if (url.username !== "" || url.password !== "")
    throw wrong(place, `has a ${field} with a user or password; give them with key or headers`);
  return url;
}

const headerName = /^[a-z0-9!#$%&'*+.^_`|~-]{1,100}$/;

/** Headers that are determined by a request's own body and connection. */
const ownHeaders = ["connection", "content-length", "content-type", "host", "transfer-encoding"];

function readHeaders({ headers = {} }: Entry, place: Place): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([given, secret]) => {
      const name = given.toLowerCase();
      if (!headerName.test(name) || ownHeaders.includes(name))
        throw wrong(place, `cannot set the header ${JSON.stringify(given.slice(0, 100))}`);
      return [name, readSecret(secret, `headers/${given}`, place)];
    }),
  );
}

function readSecret({ env, file }: Secret, field: string, place: Place): string {
  if ((env === undefined) === (file === undefined))
    throw wrong(place, `needs either env or file in ${field}`);
  const [value, source] =
    env === undefined ? fromFile(file ?? "", field, place) : fromEnvironment(env, field, place);
  if (value === "") throw wrong(place, `has a ${field} whose ${source} is empty`);
  if (!/^[\x20-\x7e]+$/.test(value))
    throw wrong(place, `has a ${field} whose ${source} is not one line of plain text`);
  return value;
}

function fromEnvironment(env: string, field: string, place: Place): [string, string] {
  if (env.startsWith("KLIEG_"))
    throw wrong(place, `has a ${field} named ${env}; KLIEG_ begins the names of settings alone`);
  const value = place.environment[env];
  if (value === undefined)
    throw wrong(place, `needs the environment variable ${env} for its ${field}; set it`);
  return [value.trim(), `environment variable ${env}`];
}

/** Reads a secret from a file; the path is relative to the file of providers. */
function fromFile(file: string, field: string, place: Place): [string, string] {
  const path = resolve(dirname(place.file), file);
  try {
    return [readFileSync(path, "utf8").trim(), `file ${path}`];
  } catch {
    throw wrong(place, `has a ${field} whose file ${path} cannot be read`);
  }
}

function wrong({ file, provider }: Place, what: string): ProviderFileError {
  return new ProviderFileError(`${file}: the provider ${provider} ${what}.`);
}

/** Names the invalid field and never its value, which may be a misplaced secret. */
function describe({ pointer, detail }: Fault, value: unknown): string {
  const [, , at = "", ...path] = pointer.split("/");
  const field = path.join("/");
  if (field === "") return `${pointer} ${detail}`.trim();
  const what = isSecret(path)
    ? 'must name where the secret is: { "env": NAME } or { "file": PATH }'
    : detail;
  return `the provider ${nameAt(value, at)}: ${field} ${what}`;
}

function isSecret(path: readonly string[]): boolean {
  const [field = ""] = path;
  return (
    path.length === (field === "headers" ? 2 : 1) && /^(key|webhook_secret|headers)$/.test(field)
  );
}

function nameAt(value: unknown, at: string): string {
  const { providers } = value as { readonly providers: Readonly<Record<string, unknown>> };
  const entry = providers[at];
  const isNamed = typeof entry === "object" && entry !== null && "name" in entry;
  return isNamed && typeof entry.name === "string" ? entry.name.slice(0, 100) : `at ${at}`;
}

/** A syntax error's own message is not used, because it would repeat some of the text. */
function parseFile(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    throw new ProviderFileError(`KLIEG_PROVIDERS names ${file}, which cannot be read; correct it.`);
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new ProviderFileError(
      `KLIEG_PROVIDERS names ${file}, which is not valid JSON; correct it.`,
    );
  }
}
