import { mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { limits } from "../config/limits.ts";
import { readSettings } from "../config/settings.ts";
import { ipcBrokerConnection } from "../engine/adapters/ipc-broker-connection.ts";
import { openLog } from "../engine/adapters/log.ts";
import { diskObjects } from "../engine/adapters/objects/disk-objects.ts";
import { systemClock } from "../engine/adapters/system-clock.ts";
import { openWeb } from "../engine/adapters/web.ts";
import { ownChromium, SceneBrowser } from "./browser/browser.ts";
import { findChromium } from "./browser/chromium-path.ts";
import { isolate } from "./browser/isolation.ts";
import { Fence } from "./fence/fence.ts";
import { sweepLeftovers } from "./fence/own-folders.ts";
import { fetchResults } from "./fetch/fetch.ts";
import { studioImage } from "./models/studio-image.ts";
import { studioMatte } from "./models/studio-matte.ts";
import { studioMusic, studioSound } from "./models/studio-music.ts";
import { studioRelief } from "./models/studio-relief.ts";
import { studioRestore } from "./models/studio-restore.ts";
import { studioVideo } from "./models/studio-video.ts";
import { studioVoice } from "./models/studio-voice.ts";
import { TaskLoop, type Timers } from "./node/task-loop.ts";
import { Workspaces } from "./node/workspace.ts";
import { Pictures, pictureBounds } from "./pictures/pictures.ts";
import { probe } from "./probe/probe.ts";
import { findTool } from "./programs/find-tool.ts";
import { fitPrograms } from "./programs/program-paths.ts";
import { recordShare } from "./render/film/helper-node.ts";
import { KnownMedia } from "./render/inputs/known-media.ts";
import { PageScripts } from "./render/inputs/page-scripts.ts";
import { systemFontsTime } from "./render/inputs/system-fonts.ts";
import { measure } from "./render/measure.ts";
import { SpareBrowsers } from "./render/page/spare-browsers.ts";
import { render } from "./render/render.ts";
import { CodedPictures, packetBounds } from "./render/videos/coded-pictures.ts";

const slots = 2;
/** After which a node that is still there makes ready for films. */
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

// Pages run as another user, who must find what they are to show; objects are closed by themselves.
process.umask(0o022);
const settings = readSettings(process.env, availableParallelism());
const log = openLog(settings.logLevel, "farm");
const connection = ipcBrokerConnection(process);
connection.onClose(() => timers.after(limits.farm.orphanMs, () => process.exit(1)));
const objects = diskObjects(join(settings.dataDir, "objects"));
const { PATH = "" } = process.env;
const executablePath = await findChromium(settings.chromium, PATH);
const { farm } = limits;
await sweepLeftovers(systemClock.nowMs());
const ownFolder = await mkdtemp(join(tmpdir(), "klieg-node-"));
const fence = await Fence.raise(PATH, ownFolder);
const programs = await fitPrograms(fence, {
  ffmpeg: await findTool(settings.ffmpeg, "ffmpeg", PATH),
  ffprobe: await findTool(settings.ffprobe, "ffprobe", PATH),
  espeak: await findTool(undefined, "espeak-ng", PATH),
});
const isolation = await isolate(settings.isolation, executablePath ?? ownChromium(), fence);
const caution = isolation.kind === "refused" ? isolation.sentence : isolation.warning;
for (const sentence of [...fence.warnings, caution]) if (sentence !== undefined) log.warn(sentence);
const workspaces = new Workspaces(fence.folders, programs);
const own = await fence.folders.lend();
// Our own pictures are made in the same fence, where there is one.
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
  /** As many as there are processors when a render begins: they may be taken from a process. */
  get pages() {
    return pagesNow();
  },
};
const studio = { tools: rendering, objects, timeoutMs: farm.renderTaskMs };

const loop = new TaskLoop(
  {
    name: `${hostname()}:${process.pid}`,
    slots,
    heartbeatMs: farm.heartbeatMs,
    drainMs: farm.leaseMs,
    workersByKind: new Map([
      ["fetch", fetchResults(workspaces, objects, openWeb(), farm.fetchTaskMs)],
      ["probe", probe(workspaces, objects, farm.probeTaskMs)],
      ["measure", measure(studio)],
      ["render", render(studio)],
      ["render-help", recordShare(studio)],
      ["studio-image", studioImage({ browser, workspaces }, objects, farm.imageTaskMs)],
      ["studio-matte", studioMatte(workspaces, objects, farm.videoTaskMs)],
      ["studio-music", studioMusic(workspaces, objects, farm.audioTaskMs)],
      ["studio-relief", studioRelief(workspaces, objects, farm.reliefTaskMs)],
      ["studio-restore", studioRestore(workspaces, objects, farm.videoTaskMs)],
      ["studio-sound", studioSound(workspaces, objects, farm.audioTaskMs)],
      ["studio-video", studioVideo({ browser, workspaces }, objects, farm.videoTaskMs)],
      ["studio-voice", studioVoice(workspaces, objects, farm.audioTaskMs)],
    ]),
    reportBug: (fault) => log.error({ err: fault }, "a task failed"),
  },
  connection,
  timers,
);

// Control-C reaches the whole process group: the service decides when its nodes stop.
process.on("SIGINT", () => undefined);
process.on("SIGTERM", () => loop.drain());

timers.after(settledMs, () => {
  filmBrowsers.refill();
  coded.start();
  screenshots.start();
});

const reason = await loop.ended;
if (reason === "drained") await browser.close();
await filmBrowsers.close();
await coded.close();
await screenshots.close();
await own.remove();
await rm(ownFolder, { recursive: true, force: true });
process.exit(0);
