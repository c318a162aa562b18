/** Runs a real engine whose threads die on command, behind the routes but without a socket. */

import { join } from "node:path";
import { BroadcastChannel } from "node:worker_threads";
import type { Test } from "tap";
import { hashPassword } from "../../actors/share/password.ts";
import { readConfiguration } from "../../config/configuration.ts";
import type { CreatedAccount } from "../../contract/account.ts";
import { openTableReader } from "../../engine/adapters/lmdb.ts";
import { memoryObjects } from "../../engine/adapters/objects/memory-objects.ts";
import { systemClock } from "../../engine/adapters/system-clock.ts";
import { systemEntropy } from "../../engine/adapters/system-entropy.ts";
import { openWeb } from "../../engine/adapters/web.ts";
import { Host } from "../../engine/host.ts";
import { Threads } from "../../engine/threads.ts";
import { previewPage } from "../../film/preview/preview-page.ts";
import { Api } from "../../http/api.ts";
import { bootstrap } from "../../http/bootstrap.ts";
import { FigmaHost } from "../../http/compositions/figma-host.ts";
import { RequestLog } from "../../http/request-log.ts";
import { routeTable } from "../../http/route-table.ts";
import { TrustedProxies } from "../../http/transport/trusted-proxies.ts";
import { wire } from "../../http/wiring.ts";
import { archiveExport } from "../../timeline/export-thread/archive.ts";
import { runFigmaTask } from "../../timeline/figma/figma-task.ts";
import { timelineRound } from "../../timeline/timeline-thread/timeline-round.ts";
import { Caller } from "../spec/caller.ts";
import { deathChannel } from "./dying-shard.ts";
import { firstToken } from "./klieg-process.ts";

export const shardCount = 2;

/** Opens the engine; `farmEntry` is the program of its one farm process, or empty for none. */
export async function openHouse(t: Test, farmEntry = "") {
  const dataDir = t.testdir();
  const faults: unknown[] = [];
  const settings = { modelFiles: ["shipped"], providersFile: undefined, simulatedModels: true };
  const readModels = () => readConfiguration(settings, {});
  const service = wire({
    version: "0.0.0-test",
    self: { id: "node", name: "house", address: "127.0.0.1:8080", startedAtMs: 0 },
    origin: "http://klieg.example",
    shareOrigin: "http://klieg.example",
    traces: undefined,
    shardCount,
    clock: systemClock,
    entropy: systemEntropy(),
    objects: memoryObjects(),
    configuration: readModels(),
    readConfiguration: readModels,
    corsOrigins: [],
    computeRound: async (task) => timelineRound(task),
    writePage: previewPage,
    writeExport: archiveExport,
    figma: new FigmaHost(openWeb(), "http://127.0.0.1:9", async (task) => runFigmaTask(task)),
    hashPassword: async (task) => hashPassword(task),
    readFirstToken: () => firstToken,
    hasRates: false,
    proxies: new TrustedProxies([]),
    renderers: "ok",
    requests: new RequestLog({ line: () => {}, onSkip: () => {} }),
    onFault: (_, error) => faults.push(error),
  });
  const common = { shardCount, dataDir, logLevel: "silent" };
  const deaths: string[] = [];
  let whenDead = () => {};
  const host = new Host(
    {
      shardCount,
      effects: { onMessage: () => {}, onReady: () => {}, onGone: () => {} },
      entries: {
        shards: new URL("./dying-shard.js", import.meta.url),
        effects: new URL("./dying-effects.js", import.meta.url),
      },
      openThreads: (entry, count) => new Threads(entry, count),
      shardTask: {
        ...common,
        isNew: true,
        cluster: undefined,
        otlpUrl: undefined,
        objectStore: undefined,
        isFounder: true,
        isQuorum: false,
        forgotten: [],
        acceptedLosses: [],
        storeId: "store",
        nodeId: "node",
      },
      effectsTask: {
        ...common,
        farmWorkers: farmEntry === "" ? 0 : 1,
        farmEntry,
        isClustered: false,
        objectStore: undefined,
      },
      openReader: (shard) => {
        const folder = `shard-${shard === shardCount ? "directory" : shard}`;
        return openTableReader(join(dataDir, folder, "tables"));
      },
      clock: service.clock,
      onDamage: (sentence) => faults.push(sentence),
      onLife: () => {},
      onWait: () => {},
      onDeath(thread) {
        deaths.push(thread);
        whenDead();
      },
    },
    service.gateway,
  );
  await host.start();
  const files = { read: () => undefined, writePrivate: () => {} };
  await bootstrap(service.gateway, service, files, firstToken);
  await receiveAllSent();
  const channel = new BroadcastChannel(deathChannel);
  t.teardown(async () => {
    channel.close();
    await host.stop();
  });
  const api = new Api(service, routeTable);
  const admin = new Caller(api, firstToken, "");
  let accounts = 0;
  return {
    api,
    service,
    deaths,
    faults,
    admin,
    /** Lets a thread die soon, even one that has not opened yet. */
    condemn(what: number | "effects"): void {
      channel.postMessage(what);
    },
    async account(credits = 100): Promise<Caller> {
      const email = `user-${++accounts}@klieg.example`;
      const body = { email, plan: "enterprise", credits, issue_token: true };
      const { json } = await admin.post<CreatedAccount>("/v1/admin/accounts", body);
      await receiveAllSent();
      return new Caller(api, json.token, json.id);
    },
    /** Kills a thread; resolves when it has ended. */
    async strike(what: number | "effects"): Promise<void> {
      const dead = new Promise<void>((resolve) => {
        whenDead = resolve;
      });
      channel.postMessage(what);
      await dead;
    },
  };
}

/**
 * Resolves when everything that the threads have sent by now is received. An account's shard
 * answers, but its token belongs to the directory, and nothing orders the messages of two threads.
 * A client on a socket is served only after them.
 */
function receiveAllSent(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Repeats a request until the answer is no longer 503, when the thread is back. */
export async function again<T extends { readonly status: number }>(
  ask: () => Promise<T>,
): Promise<T> {
  for (;;) {
    const reply = await ask();
    if (reply.status !== 503) return reply;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
