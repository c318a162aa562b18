import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Klieg } from "../clients/typescript/src/klieg.ts";
import { holdBuild } from "../config/held-build.ts";
import { readNatsAccess } from "../config/secret-files.ts";
import { readClientSettings, readSettings } from "../config/settings.ts";
import { DataDirectoryError, joinCluster } from "../engine/adapters/data-directory.ts";
import { lockFile } from "../engine/adapters/kernel-lock.ts";
import { systemClock } from "../engine/adapters/system-clock.ts";
import { systemEntropy } from "../engine/adapters/system-entropy.ts";
import type { Web } from "../engine/ports/web.ts";
import { CommandError, type Session, type StoppedNode } from "./command.ts";
import { runCommandLine } from "./command-line.ts";
import { findAddress, findOrigin, openClient, readPatience } from "./credential.ts";
import { openBrowser } from "./terminal/browser.ts";
import { openTerminal } from "./terminal/terminal.ts";

/** 128 plus the number of SIGINT, as shells do it. */
const interruptedCode = 130;

/** How long a connection to NATS may take to close. */
const farewellMs = 500;

let lastWords: (() => string) | undefined;
let stop: (() => void) | undefined;
process.on("SIGINT", () => {
  if (stop !== undefined) {
    stop();
    return;
  }
  process.stderr.write(lastWords?.() ?? "\n");
  process.exit(interruptedCode);
});

async function openWeb(): Promise<Web> {
  const web = await import("../engine/adapters/web.ts");
  return web.openWeb();
}

const settings = () => readClientSettings(process.env);
let opened: Klieg | undefined;

async function openStoppedNode(): Promise<StoppedNode> {
  process.umask(0o077);
  const { forgetNode, surveyLoss } = await import("../engine/adapters/stopped-node.ts");
  const { reshardStore } = await import("../engine/adapters/reshard-store.ts");
  const { openObjects } = await import("../engine/adapters/objects/open-objects.ts");
  const { domain } = await import("../actors/domain.ts");
  const { PortError } = await import("../engine/ports/port-error.ts");
  const sentence = (error: unknown): never => {
    if (error instanceof DataDirectoryError) throw new CommandError(error.message);
    if (!(error instanceof PortError)) throw error;
    throw new CommandError(error.message.replace(/\.?$/, "."));
  };
  return {
    forget(dataDir, node) {
      try {
        return forgetNode(dataDir, node);
      } catch (error) {
        return sentence(error);
      }
    },
    async surveyLoss(path, shard, accepts, onWait) {
      const access = readNatsAccess(readSettings(process.env, 1));
      if (access === undefined)
        throw new CommandError(
          "This command also asks the cluster; set KLIEG_NATS_URL to the same value as for the service.",
        );
      const nowMs = systemClock.nowMs();
      return surveyLoss({ path, shard, access, domain, nowMs, accepts, onWait }).catch(sentence);
    },
    reshard(path, shardCount, onStep) {
      const settings = readSettings(process.env, 1);
      return reshardStore({
        path,
        shardCount,
        domain,
        onStep,
        nowMs: systemClock.nowMs(),
        access: readNatsAccess(settings),
        openObjects: () => openObjects(path, settings.objectStore),
      }).catch(sentence);
    },
  };
}

// A reader such as `head` that stops reading early is no error.
process.stdout.on("error", (fault: NodeJS.ErrnoException) => {
  if (fault.code !== "EPIPE") throw fault;
  process.exit(0);
});

holdBuild();
const { args, isHasty } = readPatience(process.argv.slice(2));
const openProvider: Session["openProvider"] = async (config) => {
  const { adapters } = await import("../providers/adapters.ts");
  const ports = { web: await openWeb(), clock: systemClock, entropy: systemEntropy() };
  return adapters[config.adapter](config, ports);
};
process.exitCode = await runCommandLine(args, {
  client: async () => {
    opened ??= openClient(await findAddress(settings()), isHasty);
    return opened;
  },
  origin: () => findOrigin(settings()),
  openBrowser,
  async examine() {
    const { examine } = await import("./doctor/examine.ts");
    const { closeNats, connectNats } = await import("../engine/adapters/nats/nats.ts");
    const { openObjects } = await import("../engine/adapters/objects/open-objects.ts");
    return examine(process.env, {
      openProvider,
      async askNats(access) {
        const connection = await connectNats({ ...access, name: "klieg doctor" });
        const { version = "", cluster } = connection.info ?? {};
        await closeNats(connection, farewellMs);
        return { version, isClustered: cluster !== undefined };
      },
      async askObjects({ dataDir, objectStore }) {
        const objects = await openObjects(dataDir, objectStore);
        await objects.stat("doctor");
      },
    });
  },
  settings,
  async checkStore(dataDir, repairs) {
    process.umask(0o077);
    const { checkStore } = await import("../engine/adapters/store-check.ts");
    const { domain } = await import("../actors/domain.ts");
    try {
      return await checkStore({ dataDir, domain, nowMs: systemClock.nowMs(), repairs });
    } catch (error) {
      if (error instanceof DataDirectoryError) throw new CommandError(error.message);
      throw error;
    }
  },
  isServed(dataDir) {
    if (!existsSync(join(dataDir, "store.json"))) return false;
    const release = lockFile(join(dataDir, "lock"), 0);
    release?.();
    return release === undefined;
  },
  async restoreBackup(folder, dataDir) {
    process.umask(0o077);
    const backup = await import("../engine/adapters/backup/restore-backup.ts");
    try {
      const { atMs, objects } = await backup.restoreBackup(folder, dataDir);
      return { atMs, areObjectsInBucket: objects.place === "s3" };
    } catch (error) {
      if (error instanceof DataDirectoryError) throw new CommandError(error.message);
      throw error;
    }
  },
  joinCluster(dataDir) {
    try {
      return joinCluster(dataDir);
    } catch (error) {
      if (error instanceof DataDirectoryError) throw new CommandError(error.message);
      throw error;
    }
  },
  stoppedNode: openStoppedNode,
  async moveObjects(to, removesSource, onMoved) {
    process.umask(0o077);
    const { dataDir, objectStore: store } = readSettings(process.env, 1);
    if (store === undefined)
      throw new CommandError(
        "No object store is configured; set KLIEG_S3_ENDPOINT, KLIEG_S3_BUCKET, KLIEG_S3_ACCESS_KEY and KLIEG_S3_SECRET_KEY to the same values as for the service.",
      );
    const { moveStore } = await import("../engine/adapters/objects/stopped-store.ts");
    const { PortError } = await import("../engine/ports/port-error.ts");
    const warn = (sentence: string) => void process.stderr.write(`${sentence}\n`);
    try {
      return await moveStore({ dataDir, store, to, removesSource, warn, onMoved });
    } catch (error) {
      if (error instanceof DataDirectoryError) throw new CommandError(error.message);
      if (!(error instanceof PortError)) throw error;
      throw new CommandError(
        `${error.message} What has been moved stays moved; run the command again to continue.`,
      );
    }
  },
  async surveyConfiguration() {
    const { surveyConfiguration } = await import("../config/configuration.ts");
    return surveyConfiguration(readSettings(process.env, 1), process.env);
  },
  openWeb,
  openProvider,
  stopped: () =>
    new Promise((resolve) => {
      stop = resolve;
      process.once("SIGTERM", resolve);
    }),
  terminal: openTerminal(process.stdout, process.stderr, (words) => {
    lastWords = words;
    return () => {
      lastWords = undefined;
    };
  }),
});
