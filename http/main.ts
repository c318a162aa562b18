/**
 * The service: wires settings, store, engine and listener together, reports its address, and stops
 * in order. Every fault at the start ends with one sentence that names the remedy.
 */

import { availableParallelism, hostname } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { directoryKey } from "../actors/directory/directory-messages.ts";
import type { PasswordTask } from "../actors/share/password.ts";
import { CatalogueError } from "../config/catalogue-files.ts";
import { readConfiguration } from "../config/configuration.ts";
import { SettingsError } from "../config/environment.ts";
import { holdBuild } from "../config/held-build.ts";
import { limits } from "../config/limits.ts";
import { divideMemory } from "../config/memory.ts";
import { searchPath } from "../config/program-environment.ts";
import { ProviderFileError } from "../config/providers/provider-file.ts";
import { readClusterKey, readNatsAccess } from "../config/secret-files.ts";
import { readSettings, type Settings } from "../config/settings.ts";
import { version } from "../config/version.ts";
import { type DataDirectory, DataDirectoryError } from "../engine/adapters/data-directory.ts";
import { openTableReader } from "../engine/adapters/lmdb.ts";
import { type Logger, openLog } from "../engine/adapters/log.ts";
import { listenToOperators } from "../engine/adapters/metrics/operator-listener.ts";
import { openObjects, prepareObjects } from "../engine/adapters/objects/open-objects.ts";
import { openStore } from "../engine/adapters/open-store.ts";
import { makePrivate } from "../engine/adapters/private-files.ts";
import { QuietProcess } from "../engine/adapters/quiet-process.ts";
import { storeBytes } from "../engine/adapters/store-bytes.ts";
import { systemClock } from "../engine/adapters/system-clock.ts";
import { systemEntropy } from "../engine/adapters/system-entropy.ts";
import { openTraces } from "../engine/adapters/traces/open-traces.ts";
import { openWeb } from "../engine/adapters/web.ts";
import { Host } from "../engine/host.ts";
import { PortError } from "../engine/ports/port-error.ts";
import { Threads } from "../engine/threads.ts";
import { simulatedMedia } from "../providers/simulated/simulated-media.ts";
import { findChromium, isExecutable } from "../render-farm/browser/chromium-path.ts";
import { Api } from "./api.ts";
import { watchBackups } from "./backup-requests.ts";
import { bootstrap, chooseToken, tokenFile } from "./bootstrap.ts";
import { atOneInstant } from "./cluster/one-instant.ts";
import { OtherNodes } from "./cluster/other-nodes.ts";
import { standBy } from "./cluster/standing-by.ts";
import { FigmaHost } from "./compositions/figma-host.ts";
import { RefusalError } from "./exchange/refusal-error.ts";
import { watchDisk, watchFarm, watchObjects } from "./health-watch.ts";
import { Minutes } from "./metrics/minutes.ts";
import { gatherSamples } from "./metrics/node-samples.ts";
import { RequestLog } from "./request-log.ts";
import { routeTable } from "./route-table.ts";
import type { Service } from "./service.ts";
import { openShortThreads } from "./short-threads.ts";
import { abandon, type Running, stopAll } from "./stopping.ts";
import { watchTokenReset } from "./token-reset.ts";
import { checkFree, ListenError } from "./transport/free-port.ts";
import { type Listener, listen } from "./transport/server.ts";
import { TrustedProxies } from "./transport/trusted-proxies.ts";
import { type Wiring, wire } from "./wiring.ts";

const entries = {
  shards: new URL("../effects/shard-thread/main.js", import.meta.url),
  effects: new URL("../effects/main.js", import.meta.url),
  backups: new URL("../engine/backup-thread/main.js", import.meta.url),
  passwords: new URL("./shares/password-process/main.js", import.meta.url),
  farm: fileURLToPath(new URL("../render-farm/main.js", import.meta.url)),
};

/** The service cannot start; the message is one sentence for the operator. */
class StartError extends Error {
  override readonly name = "StartError";
}

// LMDB creates its files with default permissions, and anyone who reads them could sign links.
holdBuild();
process.umask(0o077);
try {
  await start();
} catch (error) {
  if (!isForOperator(error)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}

async function start(): Promise<void> {
  const settings = readSettings(process.env, availableParallelism());
  const token = chooseToken(settings);
  const read = () => readConfiguration(settings, process.env);
  const configuration = read();
  if (settings.farmWorkers > 0) await checkChromium(settings);
  await checkFree(settings);
  const data = await openStore(settings);
  const log = openLog(settings.logLevel, "http");
  if (data.wasOpen) await restrictAccess(settings, log);
  if (settings.farmWorkers === 0 && settings.natsServers.length === 0)
    log.warn("no farm workers (KLIEG_FARM_WORKERS=0), farm tasks will wait");
  const proxies = new TrustedProxies(settings.trustedProxies);
  const service = await openService(
    settings,
    data,
    { configuration, readConfiguration: read, proxies },
    log,
  );
  const host = openHost(settings, data, service, log);
  service.line.connect((message) => host.tellEffects(message));
  let listener: Listener | undefined;
  const api = new Api(service, routeTable);
  const others = data.isClustered
    ? await meetOthers(settings, data, service, api, host, log)
    : undefined;
  const isRunning = () => ({ service, host, listener, others, clock: systemClock });
  awaitEnd(isRunning, data, log);
  await host.start();
  data.complete();
  await bootstrapOnce(service, data, token);
  if (data.isClustered) await standBy(service);
  service.line.begin();
  // Listens only once all is ready, so that a client that finds the port open gets an answer.
  listener = await listen(api, { ...settings, proxies }, systemClock);
  const gather = sampler(settings, service, host);
  service.minutes = await Minutes.begin(gather, systemClock);
  await listenToOperators(settings.operatorPort, log, gather);
  leaveAddress(settings, data, log);
  process.on("SIGHUP", () => reload(service, log));
  watchDisk(service, settings.dataDir, log);
  if (service.health.renderers === "ok") await watchFarm(service, log);
  if (settings.objectStore !== undefined) await watchObjects(service, log);
  await watchTokenReset(service, data, log);
  watchBackups(data, {
    entry: entries.backups,
    clock: systemClock,
    entropy: service.entropy,
    notes: log,
    atOneInstant: (look) => atOneInstant(service, host, look),
    areObjectsOnDisk: settings.objectStore === undefined,
  });
  process.stdout.write(greet(settings, data, service));
}

/** The link is for the person who started the service, not for a journal that others may read. */
function greet({ publicUrl, dataDir }: Settings, data: DataDirectory, service: Service): string {
  const isWatched = process.env["JOURNAL_STREAM"] === undefined && !data.isClustered;
  const link = isWatched ? service.signInLink.make(publicUrl) : undefined;
  const minutes = limits.oauth.signInLinkSeconds / 60;
  const hasToken = data.read(tokenFile) !== undefined;
  const lines = [
    `Klieg ${version} serves ${publicUrl}/v1`,
    link && `Console, signed in (works once, for ${minutes} minutes): ${link}`,
    hasToken &&
      `The first credential is in ${join(dataDir, tokenFile)}; the klieg command finds it by itself.`,
  ];
  return lines.flatMap((line) => (line ? `${line}\n` : [])).join("");
}

/** Closes a data directory that other users could read. */
async function restrictAccess({ dataDir }: Settings, log: Logger): Promise<void> {
  const changed = await makePrivate(dataDir);
  const message = "data directory was readable by other users, permissions restricted";
  log.warn({ dataDir, changed }, message);
}

/** Awaits the end: a signal, or an error that nothing caught. */
function awaitEnd(running: () => Running, data: DataDirectory, log: Logger): void {
  process.on("uncaughtException", (error) => {
    log.fatal({ err: error }, "uncaught error, service stopping");
    abandon(running());
  });
  const stop = async () => {
    await stopAll(running());
    data.release();
    process.exit(0);
  };
  process.once("SIGTERM", () => void stop());
  process.once("SIGINT", () => void stop());
}

/**
 * The node that owns the directory makes the first account; others wait until they have read it. In
 * a cluster the owner may have to wait for a standby.
 */
async function bootstrapOnce(
  service: Service,
  data: DataDirectory,
  token: string | undefined,
): Promise<void> {
  const { gateway, clock } = service;
  for (;;) {
    if (gateway.owns(data.shardCount)) {
      const begun = bootstrap(gateway, service, data, token);
      if (!data.isClustered) return begun;
      const fault = await begun.catch((error: unknown) => error);
      if (!(fault instanceof RefusalError)) return begun;
    }
    if (gateway.reads(data.shardCount) && gateway.read(directoryKey)) return;
    await new Promise<void>((resolve) => clock.after(limits.cluster.followTickMs, resolve));
  }
}

/** Leaves the address for this machine's command line; on a full disk the old one remains. */
function leaveAddress({ publicUrl }: Settings, data: DataDirectory, log: Logger): void {
  try {
    data.writePrivate("address", `${publicUrl}\n`);
  } catch (error) {
    log.error(error, "service address file not written");
  }
}

/** Checked at the start; the farm's own process would fail later and repeatedly. */
async function checkChromium(settings: Settings): Promise<void> {
  const found = await findChromium(settings.chromium, searchPath());
  const path = found ?? (await import("../render-farm/browser/browser.ts")).ownChromium();
  if (await isExecutable(path)) return;
  throw new StartError(
    found === undefined
      ? "No Chromium was found; install Debian's chromium-headless-shell, set KLIEG_CHROMIUM to a Chromium executable, or set KLIEG_FARM_WORKERS=0 to run no farm workers."
      : `${path} cannot be run; set KLIEG_CHROMIUM to a Chromium executable.`,
  );
}

async function openService(
  settings: Settings,
  data: DataDirectory,
  known: Pick<Wiring, "configuration" | "readConfiguration" | "proxies">,
  log: Logger,
): Promise<Service> {
  await prepareObjects(data, settings.objectStore, (sentence) => log.warn(sentence));
  const objects = await openObjects(settings.dataDir, settings.objectStore);
  if (settings.simulatedModels)
    for (const { bytes, media } of Object.values(simulatedMedia))
      if ((await objects.stat(media.objectKey)) === undefined)
        await objects.put(media.objectKey, [bytes]);
  const threads = openShortThreads();
  const passwords = new QuietProcess<PasswordTask, string>(entries.passwords, {
    threads: limits.shares.passwordThreads,
    timeoutMs: limits.shares.passwordMs,
  });
  const { clusterAddress, host, port } = settings;
  return wire({
    version,
    self: {
      id: data.nodeId,
      name: settings.nodeName ?? hostname(),
      address: data.isClustered ? clusterAddress : `${host}:${port}`,
      startedAtMs: systemClock.nowMs(),
    },
    origin: settings.publicUrl,
    shareOrigin: settings.shareUrl,
    shardCount: data.shardCount,
    clock: systemClock,
    entropy: systemEntropy(),
    objects,
    ...known,
    corsOrigins: settings.corsOrigins,
    computeRound: (task) => threads.timelines.run(task),
    writePage: (task) => threads.pages.run(task),
    writeExport: (writing) => threads.exports.run(writing),
    figma: new FigmaHost(openWeb(), settings.figmaUrl, (task) => threads.figma.run(task)),
    hashPassword: (task) => passwords.run(task),
    readFirstToken: () => data.read(tokenFile)?.trim(),
    hasRates: settings.rateLimits,
    // The log reports whether nodes have joined over NATS.
    renderers: settings.farmWorkers > 0 || settings.natsServers.length > 0 ? "ok" : "degraded",
    traces: await openTraces(settings.spanCollectorUrl, "http"),
    requests: new RequestLog({
      line: (level, line) => log[level](line, "request"),
      onSkip: (requests) => log.info({ requests }, "request lines dropped"),
    }),
    onFault: (requestId, error) => log.error({ err: error, requestId }, "request failed"),
  });
}

function openHost(
  settings: Settings,
  data: DataDirectory,
  { gateway, clock, line, warnings }: Service,
  log: Logger,
): Host {
  const { shardCount } = data;
  const { dataDir, logLevel, farmWorkers, objectStore, memoryBytes } = settings;
  const common = { shardCount, dataDir, logLevel };
  return new Host(
    {
      shardCount,
      entries,
      openThreads: (entry, count) => new Threads(entry, count),
      shardTask: {
        ...common,
        otlpUrl: settings.spanCollectorUrl,
        isNew: data.isNew,
        storeId: data.storeId,
        nodeId: data.nodeId,
        isFounder: data.isFounder,
        isQuorum: settings.durability === "quorum",
        forgotten: data.forgotten,
        acceptedLosses: data.acceptedLosses,
        cluster: data.isClustered ? readNatsAccess(settings) : undefined,
        objectStore,
        memory: memoryBytes === undefined ? undefined : divideMemory(memoryBytes, shardCount),
      },
      effectsTask: {
        ...common,
        farmWorkers,
        farmEntry: entries.farm,
        objectStore,
        nats: readNatsAccess(settings),
        isClustered: data.isClustered,
      },
      openReader: (shard) => {
        const folder = `shard-${shard === shardCount ? "directory" : shard}`;
        return openTableReader(join(dataDir, folder, "tables"));
      },
      clock,
      effects: line,
      onLife: (what, event) => log.info({ part: what }, `engine part ${event}`),
      onDeath: (thread, error) => log.error({ err: error, died: thread }, "thread died"),
      onWait(shard, wait) {
        const why = warnings.noteWait(shard, wait);
        if (why === undefined) log.info({ shard }, "shard no longer waiting");
        else log.warn({ shard, ...wait, why }, "shard waiting");
      },
      onDamage(sentence) {
        process.stderr.write(`${sentence}\n`);
        process.exit(1);
      },
    },
    gateway,
  );
}

async function meetOthers(
  settings: Settings,
  { storeId }: DataDirectory,
  service: Service,
  api: Api,
  host: Host,
  log: Logger,
): Promise<OtherNodes> {
  const access = readNatsAccess(settings);
  if (access === undefined) throw new Error("a node of a cluster has servers of NATS");
  const { answerVersion, closeNats, connectNats, natsNodes, natsShardLine } = await import(
    "../engine/adapters/nats/node-nats.ts"
  );
  const connection = await connectNats({ ...access, name: "klieg node" });
  answerVersion(connection, version);
  return OtherNodes.meet(
    // Nodes on the same machine share the store's id, which no other user can read.
    readClusterKey(settings) ?? storeId,
    {
      service,
      api,
      clock: systemClock,
      said: natsNodes(connection),
      line: natsShardLine(connection, "ASK"),
      host,
      onRefused(address, isRefused) {
        service.warnings.noteRefusal(address, isRefused);
        if (isRefused)
          log.error(
            { address },
            "forwarded requests refused by another node, check KLIEG_CLUSTER_KEY_FILE and the clocks of both",
          );
      },
      close: () => closeNats(connection, limits.http.startingMs),
    },
  );
}

function sampler({ dataDir }: Settings, service: Service, host: Host) {
  const askShards = () => host.askSamples();
  return () => gatherSamples({ service, askShards, storeBytes: () => storeBytes(dataDir) });
}

/** Reloads the catalogue and the providers, so that correcting them needs no restart. */
function reload(service: Service, log: Logger): void {
  try {
    service.reloadCatalogue();
    log.info({ version: service.catalogue.version }, "model catalogue loaded");
  } catch (error) {
    log.error(error, "catalogue or providers invalid, keeping the previous ones");
  }
}

function isForOperator(error: unknown): error is Error {
  return [
    SettingsError,
    CatalogueError,
    ProviderFileError,
    DataDirectoryError,
    ListenError,
    StartError,
    PortError,
  ].some((kind) => error instanceof kind);
}
