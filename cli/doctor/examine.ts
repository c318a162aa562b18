/**
 * The checks of `klieg doctor`. They run side by side, each for a few seconds at most, and change
 * nothing but temporary files.
 */
import { constants } from "node:fs";
import { access, rm, stat, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { surveyConfiguration } from "../../config/configuration.ts";
import { type Environment, SettingsError } from "../../config/environment.ts";
import { limits } from "../../config/limits.ts";
import type { ProviderConfig } from "../../config/providers/provider-config.ts";
import { type NatsAccess, readNatsAccess } from "../../config/secret-files.ts";
import { readSettings, type Settings } from "../../config/settings.ts";
import { checkFree } from "../../http/transport/free-port.ts";
import type { Provider } from "../../providers/provider.ts";
import { findChromium, isExecutable } from "../../render-farm/browser/chromium-path.ts";
import { isolate } from "../../render-farm/browser/isolation.ts";
import { Fence } from "../../render-farm/fence/fence.ts";
import { makeNodeFolder } from "../../render-farm/fence/own-folders.ts";
import { findTool } from "../../render-farm/programs/find-tool.ts";
import type { Finding } from "./finding.ts";

/** Ways to what the settings name; each rejects with one sentence without secrets. */
export interface Ways {
  readonly openProvider: (config: ProviderConfig) => Promise<Provider>;
  readonly askNats: (access: NatsAccess) => Promise<NatsServer>;
  readonly askObjects: (settings: Settings) => Promise<void>;
}

/** The server of NATS that answered. */
export interface NatsServer {
  readonly version: string;
  /** Whether it is one of several, which elect leaders. */
  readonly isClustered: boolean;
}

const patienceMs = 10_000;
/** Chromium starts up to three times, on a machine that may be busy. */
const isolationMs = 60_000;

/** Examines the machine and everything that the environment's settings name. */
export async function examine(environment: Environment, ways: Ways): Promise<readonly Finding[]> {
  const node = checkNode(process.versions.node);
  let settings: Settings;
  try {
    settings = readSettings(environment, 1);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return [node, problem("settings", error.message)];
  }
  const checks: readonly [string, Promise<readonly Finding[]>, number?][] = [
    ["programs", checkPrograms(settings, environment)],
    ["isolation", checkIsolation(settings, environment), isolationMs],
    ["service", checkService(settings)],
    ["data directory", checkDataDirectory(settings)],
    ["disk", checkDisk(settings)],
    ["NATS", checkNats(settings, ways)],
    ["object store", checkObjects(settings, ways)],
    ["models", checkProviders(settings, environment, ways)],
  ];
  const found = await Promise.all(checks.map(([...check]) => bound(...check)));
  return [node, ok("settings", "All settings are valid."), ...found.flat()];
}

/** Checks the version of Node; `version` is without the letter. */
export function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major === 20 && minor >= 15)
    return warning("Node", `Node ${version} no longer receives security fixes.`, "Use Node 22.");
  if (major > 22 || (major === 22 && minor >= 2)) return ok("Node", `Node ${version}.`);
  return problem("Node", `Node ${version} is not supported.`, "Install Node 22.");
}

/**
 * Since 2.9.15 a server that refuses its vote to one that lacks records stands for election itself
 * at once. Older servers wait for another 4 to 9 s, so that several elections may fail one after
 * the other. Source: `processVoteRequest` in server/raft.go of nats-server.
 */
export function checkNatsServer({ version, isClustered }: NatsServer): Finding {
  const [major = 0, minor = 0, patch = 0] = version.split(".").map((part) => parseInt(part, 10));
  const isOld = major < 2 || (major === 2 && (minor < 9 || (minor === 9 && patch < 15)));
  if (!isOld || !isClustered) return ok("NATS", `NATS ${version} answers.`);
  return warning(
    "NATS",
    `NATS ${version} answers. After failures it may elect no leader for half a minute.`,
    "Use a current server (2.15.1 is tested).",
  );
}

async function checkPrograms(
  settings: Settings,
  environment: Environment,
): Promise<readonly Finding[]> {
  const path = environment["PATH"] ?? "";
  const chromium = await findChromium(settings.chromium, path);
  const tools = await Promise.all(
    (
      [
        ["ffmpeg", settings.ffmpeg, "Install ffmpeg, or set KLIEG_FFMPEG."],
        ["ffprobe", settings.ffprobe, "Install ffmpeg, or set KLIEG_FFPROBE."],
        ["espeak-ng", undefined, "Install espeak-ng; studio-voice cannot speak without it."],
      ] as const
    ).map(async ([name, setting, remedy]) => {
      const place = await findTool(setting, name, path);
      if (await isExecutable(place)) return ok(name, `${place}.`);
      const found = `${name} is not installed.`;
      return name === "espeak-ng" ? warning(name, found, remedy) : problem(name, found, remedy);
    }),
  );
  const remedy = "Install chromium-headless-shell, or set KLIEG_CHROMIUM.";
  const browser =
    chromium !== undefined && (await isExecutable(chromium))
      ? ok("Chromium", `${chromium}.`)
      : problem("Chromium", "Chromium is not installed.", remedy);
  return [browser, ...tools];
}

async function checkIsolation(
  { isolation: wanted, chromium }: Settings,
  environment: Environment,
): Promise<readonly Finding[]> {
  const path = environment["PATH"] ?? "";
  const program = await findChromium(chromium, path);
  if (program === undefined) return [];
  const folder = await makeNodeFolder();
  try {
    const fence = await Fence.raise(path, folder);
    const isolation = await isolate(wanted, program, fence);
    if (isolation.kind === "refused") return [problem("isolation", sentence(isolation.sentence))];
    const warnings = [...fence.warnings, isolation.warning].filter((one) => one !== undefined);
    if (warnings.length > 0)
      return warnings.map((one) => warning("isolation", sentence(one), "See docs/farm.md."));
    return [ok("isolation", "Pages and media programs run isolated, without network access.")];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function checkService(settings: Settings): Promise<readonly Finding[]> {
  const { host, port } = settings;
  const origin = `http://${host === "0.0.0.0" ? "127.0.0.1" : host}:${port}`;
  const health = await ask(`${origin}/healthz`);
  if (health === undefined) {
    const taken = await checkFree(settings).then(
      () => undefined,
      (error: Error) => error.message,
    );
    if (taken !== undefined) return [problem("service", taken)];
    return [ok("service", `The service is not running; port ${port} on ${host} is free for it.`)];
  }
  const ready = await ask(`${origin}/readyz`);
  if (ready?.status === 200)
    return [ok("service", `The service answers at ${origin} and is ready.`)];
  const text = ready === undefined ? "" : await ready.text().catch(() => "");
  return [
    problem(
      "service",
      `The service answers at ${origin} and is not ready: ${text.slice(0, 500)}`,
      "",
    ),
  ];
}

async function checkDataDirectory({ dataDir }: Settings): Promise<readonly Finding[]> {
  const found = await stat(dataDir).catch(() => undefined);
  const place = found === undefined ? dirname(dataDir) : dataDir;
  const isWritable = await access(place, constants.W_OK).then(
    () => true,
    () => false,
  );
  if (!isWritable) {
    const remedy = "Make it writable for this user, or set KLIEG_DATA_DIR to another folder.";
    return [problem("data directory", `${place} is not writable for this user.`, remedy)];
  }
  if (found === undefined)
    return [ok("data directory", `${dataDir} will be created on the first start.`)];
  if ((found.mode & 0o077) === 0) return [ok("data directory", `${dataDir}.`)];
  const open = `Other users of this machine can read ${dataDir}.`;
  return [warning("data directory", open, `Run chmod 700 ${dataDir}.`)];
}

async function checkDisk({ dataDir }: Settings): Promise<readonly Finding[]> {
  const place = (await stat(dataDir).catch(() => undefined)) === undefined ? "." : dataDir;
  const { bavail, bsize, blocks } = await statfs(place);
  const { diskFreeBytesMin, diskFreeShareMin } = limits.http;
  const free = `${((bavail * bsize) / 1024 ** 3).toFixed(1)} GiB are free.`;
  const needed = Math.max(diskFreeBytesMin, blocks * bsize * diskFreeShareMin);
  if (bavail * bsize >= needed) return [ok("disk", free)];
  return [
    problem("disk", free, "Free some space: submits and uploads are refused below this limit."),
  ];
}

async function checkNats(settings: Settings, { askNats }: Ways): Promise<readonly Finding[]> {
  if (settings.natsServers.length === 0) return [];
  try {
    const access = readNatsAccess(settings);
    if (access === undefined) return [];
    return [checkNatsServer(await askNats(access))];
  } catch (error) {
    return [problem("NATS", sentence((error as Error).message))];
  }
}

async function checkObjects(settings: Settings, { askObjects }: Ways): Promise<readonly Finding[]> {
  const { objectStore } = settings;
  if (objectStore === undefined) return [];
  try {
    await askObjects(settings);
    return [ok("object store", `The bucket ${objectStore.bucket} is reachable.`)];
  } catch (error) {
    return [problem("object store", sentence((error as Error).message))];
  }
}

async function checkProviders(
  settings: Settings,
  environment: Environment,
  { openProvider }: Ways,
): Promise<readonly Finding[]> {
  const { providers, faults } = surveyConfiguration(settings, environment);
  const wrong = faults.map(({ message }) => problem("models", message));
  const asked = providers.map(async (config) => {
    const subject = `provider ${config.name}`;
    const provider = await openProvider(config);
    const health = await provider.health().finally(() => provider.close?.());
    if (health !== "down") return ok(subject, "It answers.");
    return problem(subject, "It cannot be reached.", "Check its url and its key.");
  });
  return [...wrong, ...(await Promise.all(asked))];
}

/** Ends a check that takes too long, or fails in a way that it does not know. */
async function bound(
  subject: string,
  check: Promise<readonly Finding[]>,
  ms = patienceMs,
): Promise<readonly Finding[]> {
  const isDone = new AbortController();
  const late = delay(ms, [problem(subject, `No answer within ${ms / 1_000} s.`)], {
    signal: isDone.signal,
  });
  late.catch(() => undefined);
  try {
    return await Promise.race([check, late]);
  } catch (error) {
    return [problem(subject, sentence((error as Error).message))];
  } finally {
    isDone.abort();
  }
}

function ask(url: string): Promise<Response | undefined> {
  return fetch(url, { signal: AbortSignal.timeout(3_000), redirect: "error" }).catch(
    () => undefined,
  );
}

/** Writes a clause as a sentence. */
function sentence(clause: string): string {
  return `${clause.charAt(0).toUpperCase()}${clause.slice(1)}`.replace(/\.?$/, ".");
}

function ok(subject: string, found: string): Finding {
  return { status: "ok", subject, found };
}

function warning(subject: string, found: string, remedy: string): Finding {
  return { status: "warning", subject, found, remedy };
}

/** The sentence of many faults names the remedy itself. */
function problem(subject: string, found: string, remedy?: string): Finding {
  const finding = { status: "problem", subject, found } as const;
  return remedy === undefined ? finding : { ...finding, remedy };
}
