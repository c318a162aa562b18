import { rm } from "node:fs/promises";
import { availableParallelism, hostname, totalmem } from "node:os";
import { join } from "node:path";
import { SettingsError } from "../config/environment.ts";
import { holdBuild } from "../config/held-build.ts";
import { limits } from "../config/limits.ts";
import { searchPath } from "../config/program-environment.ts";
import { readNatsAccess } from "../config/secret-files.ts";
import { readSettings } from "../config/settings.ts";
import { version } from "../config/version.ts";
import { signedObjects } from "../engine/adapters/farm/farm-child.ts";
import { ipcBrokerConnection } from "../engine/adapters/farm/ipc-broker-connection.ts";
import { NatsBrokerConnection } from "../engine/adapters/farm/nats-broker-connection.ts";
import { sparingNotes } from "../engine/adapters/farm/sparing-notes.ts";
import { urlObjects } from "../engine/adapters/farm/url-objects.ts";
import { openLog } from "../engine/adapters/log.ts";
import { listenToOperators } from "../engine/adapters/metrics/operator-listener.ts";
import { connectNats, natsUser } from "../engine/adapters/nats/nats.ts";
import { diskObjects } from "../engine/adapters/objects/disk-objects.ts";
import { systemClock } from "../engine/adapters/system-clock.ts";
import { openTraces } from "../engine/adapters/traces/open-traces.ts";
import { openWeb } from "../engine/adapters/web.ts";
import { gauge, Tally } from "../engine/metrics/tally.ts";
import { plainObjects } from "../engine/plain-objects.ts";
import type { Objects } from "../engine/ports/objects.ts";
import { PortError } from "../engine/ports/port-error.ts";
import { PageScripts } from "../film/page-scripts.ts";
import { ownChromium, SceneBrowser } from "./browser/browser.ts";
import { findChromium } from "./browser/chromium-path.ts";
import { isolate } from "./browser/isolation.ts";
import { Fence } from "./fence/fence.ts";
import { makeNodeFolder, sweepLeftovers } from "./fence/own-folders.ts";
import { fetchResults } from "./fetch/fetch.ts";
import { studioImage } from "./models/studio-image.ts";
import { studioMatte } from "./models/studio-matte.ts";
import { studioMusic, studioSound } from "./models/studio-music.ts";
import { studioRelief } from "./models/studio-relief.ts";
import { studioRestore } from "./models/studio-restore.ts";
import { studioVideo } from "./models/studio-video.ts";
import { studioVoice } from "./models/studio-voice.ts";
import { countWork } from "./node/counted-worker.ts";

import { TaskLoop, type Timers, type WorkerOf } from "./node/task-loop.ts";
import { Workspaces } from "./node/workspace.ts";
import { Pictures, pictureBounds } from "./pictures/pictures.ts";
import { probe } from "./probe/probe.ts";
import { findTool } from "./programs/find-tool.ts";
import { fitPrograms } from "./programs/program-paths.ts";
import { recordShare } from "./render/film/helper-node.ts";
import { KnownMedia } from "./render/inputs/known-media.ts";
import { systemFontsTime } from "./render/inputs/system-fonts.ts";
import { measure } from "./render/measure.ts";
import { SpareBrowsers } from "./render/page/spare-browsers.ts";
import { render } from "./render/render.ts";
import { CodedPictures, packetBounds } from "./render/videos/coded-pictures.ts";

/**
 * Tasks that run at once: half of them may belong to one owner, so four let each of two owners have
 * two. Fewer run where a film for each would not fit into memory.
 */
const slots = Math.max(2, Math.min(4, Math.floor(totalmem() / (2 * 1024 ** 3))));
/** A node that has run for this long prepares for films. */
const settledMs = 2_000;

const timers: Timers = {
  every(intervalMs, tick) {
    const timer = setInterval(tick, intervalMs);
    return () => clearInterval(timer);
  },
  after(delayMs, ring) {
    const timer = setTimeout(ring, delayMs);
    return () => clearTimeout(timer);
  },
};

// Pages run as another user, who must read their files; objects restrict their own access.
holdBuild();
process.umask(0o022);
const settings = orStop(() => readSettings(process.env, availableParallelism()));
const log = openLog(settings.logLevel, "farm");
const name = `${settings.nodeName ?? hostname()}-${process.pid}`;
const remote = process.send === undefined ? await joinOverNats() : undefined;
const connection = remote ?? orStop(() => ipcBrokerConnection(process));
connection.onClose(() => timers.after(limits.farm.orphanMs, () => process.exit(1)));
const web = openWeb();
const disk = diskObjects(join(settings.dataDir, "objects"));
const isSigned = remote !== undefined || process.argv.includes(signedObjects);
const executablePath = await findChromium(settings.chromium, searchPath());
const { farm } = limits;
await sweepLeftovers(systemClock.nowMs());
const ownFolder = await makeNodeFolder();
const fence = await Fence.raise(searchPath(), ownFolder);
const programs = await fitPrograms(fence, {
  ffmpeg: await findTool(settings.ffmpeg, "ffmpeg", searchPath()),
  ffprobe: await findTool(settings.ffprobe, "ffprobe", searchPath()),
  espeak: await findTool(undefined, "espeak-ng", searchPath()),
});
const isolation = await isolate(settings.isolation, executablePath ?? ownChromium(), fence);
const caution = isolation.kind === "refused" ? isolation.sentence : isolation.warning;
for (const sentence of [...fence.warnings, caution]) if (sentence !== undefined) log.warn(sentence);
const workspaces = new Workspaces(fence.folders, programs);
const own = await fence.folders.lend();
// The farm's own pictures are drawn in the same fence, if there is one.
const chromium =
  isolation.kind === "ready"
    ? isolation.chromium
    : { executablePath, sandbox: process.getuid?.() !== 0 };
const browser = new SceneBrowser(chromium, join(import.meta.dirname, "models"));
const pagesNow = (): number => Math.min(limits.capture.pagesMax, availableParallelism());
const filmBrowsers = new SpareBrowsers(isolation, pagesNow, timers, systemFontsTime);
const coded = new CodedPictures(programs.packets(own.user, packetBounds));
const screenshots = new Pictures(programs.pictures(own.user, pictureBounds));
const rendering = {
  workspaces,
  screenshots,
  known: new KnownMedia(),
  browsers: filmBrowsers,
  coded,
  scripts: new PageScripts(join(import.meta.dirname, "..")),
  patience: limits.capture,
  note: (line: string) => log.info(line),
  /** Number of processors, read when a render begins because a process may lose some later. */
  get pages() {
    return pagesNow();
  },
};
const studio = (objects: Objects) => ({
  tools: rendering,
  objects,
  timeoutMs: farm.renderTaskMs,
});
const drawing = { browser, workspaces };

const workers: readonly (readonly [kind: string, workerOf: WorkerOf])[] = [
  ["fetch", (objects) => fetchResults(workspaces, objects, web, farm.fetchTaskMs)],
  ["probe", (objects) => probe(workspaces, objects, farm.probeTaskMs)],
  ["measure", (objects) => measure(studio(objects))],
  ["render", (objects) => render(studio(objects))],
  ["render-help", (objects) => recordShare(studio(objects))],
  ["studio-image", (objects) => studioImage(drawing, objects, farm.imageTaskMs)],
  ["studio-matte", (objects) => studioMatte(workspaces, objects, farm.videoTaskMs)],
  ["studio-music", (objects) => studioMusic(workspaces, objects, farm.audioTaskMs)],
  ["studio-relief", (objects) => studioRelief(workspaces, objects, farm.reliefTaskMs)],
  ["studio-restore", (objects) => studioRestore(workspaces, objects, farm.videoTaskMs)],
  ["studio-sound", (objects) => studioSound(workspaces, objects, farm.audioTaskMs)],
  ["studio-video", (objects) => studioVideo(drawing, objects, farm.videoTaskMs)],
  ["studio-voice", (objects) => studioVoice(workspaces, objects, farm.audioTaskMs)],
];
const tally = new Tally();
const traces = await openTraces(settings.spanCollectorUrl, "farm");
const noteStore = sparingNotes(systemClock, (why, leftOut) =>
  log.warn({ why, leftOut }, "task file transfer failed"),
);
const observers = { tally, clock: systemClock, node: name, traces };
const count = ([kind, workerOf]: (typeof workers)[number]) =>
  [kind, countWork(kind, workerOf, observers)] as const;

const loop = new TaskLoop(
  {
    name,
    version,
    slots,
    heartbeatMs: farm.heartbeatMs,
    drainMs: remote === undefined ? farm.leaseMs : farm.farewellMs,
    objectsFor: (urls, signal) =>
      plainObjects(
        isSigned ? urlObjects({ urls, web, signal, folder: ownFolder }) : disk,
        (fault) => noteStore(fault.message),
      ),
    workersByKind: new Map(workers.map(count)),
    reportBug: (fault) => log.error({ err: fault }, "task failed"),
  },
  connection,
  timers,
);

if (remote !== undefined)
  await listenToOperators(settings.operatorPort, log, async () => [
    ...tally.samples(),
    gauge("farm_tasks_running", {}, loop.running),
  ]);

// Ctrl-C reaches the whole process group, but the service decides when its own nodes stop.
process.on("SIGINT", () => (remote === undefined ? undefined : loop.drain()));
process.on("SIGTERM", () => loop.drain());

timers.after(settledMs, () => {
  filmBrowsers.refill();
  coded.start();
  screenshots.start();
});

const reason = await loop.ended;
await remote?.close(farm.leaseMs);
if (reason === "drained") await browser.close();
await filmBrowsers.close();
await coded.close();
await screenshots.close();
await own.remove();
await rm(ownFolder, { recursive: true, force: true });
await traces?.close();
process.exit(0);

/** Joins as a separate node that serves every service on the same NATS. */
async function joinOverNats(): Promise<NatsBrokerConnection | undefined> {
  const access = orStop(() => readNatsAccess(settings));
  if (access === undefined) return undefined;
  const note = sparingNotes(systemClock, (sentence, leftOut) => log.warn({ leftOut }, sentence));
  try {
    const nats = await connectNats({ ...access, name: `farm node ${name}` });
    log.info({ node: name }, "farm node joined");
    return new NatsBrokerConnection({
      connection: nats,
      user: natsUser(access),
      clock: systemClock,
      name,
      note,
      onRefused: stop,
    });
  } catch (fault) {
    throw stopFor(fault);
  }
}

function orStop<T>(attempt: () => T): T {
  try {
    return attempt();
  } catch (fault) {
    throw stopFor(fault);
  }
}

/** Exits with one sentence for a fault that the operator can mend; returns any other fault. */
function stopFor(fault: unknown): unknown {
  if (fault instanceof PortError || fault instanceof SettingsError) stop(fault.message);
  return fault;
}

function stop(sentence: string): never {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}
