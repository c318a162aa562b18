import { extname, join } from "node:path";
import { Worker } from "node:worker_threads";
import type { CodedRun } from "../film-page/plan.ts";
import type { Timers } from "../task-loop.ts";
import type { FoundPackets, PacketAnswer, PacketOrder } from "./packet-thread.ts";
import {
  lookOf,
  type ShownVideo,
  type Span,
  sourceTime,
  type VideoLook,
} from "./video-decoding.ts";

/**
 * A picture as the packets of its video that it is decoded from: a page has decoded one before an
 * ffmpeg that would has started.
 */
export interface CodedPicture extends VideoLook {
  /** As `coded` says. */
  readonly bytes: Uint8Array;
  readonly coded: CodedRun;
}

/** Reads files that may be anything: what takes too much memory or time is ffmpeg's to refuse. */
export class CodedPictures {
  readonly #timers: Timers;
  readonly #waiting = new Map<number, (found?: FoundPackets) => void>();
  #thread: Worker | undefined;
  #serial = 0;

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /**
   * A span's first picture. `undefined` for what a page would decode to other planes than ffmpeg
   * does, where the source has ended, and where its file cannot be read.
   */
  async picture(video: ShownVideo, span: Span): Promise<CodedPicture | undefined> {
    if (!isPlain(video)) return undefined;
    const { path } = video.media.file;
    // A picture's time counts a hair early, as it does for ffmpeg.
    const seconds = sourceTime(video, span) + hairSeconds * (video.clip.media?.rate ?? 1);
    const serial = this.#serial++;
    const found = await new Promise<FoundPackets | undefined>((resolve) => {
      const cancel = this.#timers.after(readMs, () => void this.close());
      this.#waiting.set(serial, (packets) => {
        cancel();
        resolve(packets);
      });
      this.#started().postMessage({ serial, path, seconds } satisfies PacketOrder);
    });
    return found && { ...found, ...lookOf(video) };
  }

  /** Gets ready, which takes a quarter of a second. */
  start(): void {
    this.#started();
  }

  /** Ends the thread until the next picture; whoever waits for it gets nothing. */
  async close(): Promise<void> {
    const thread = this.#thread;
    this.#drop();
    await thread?.terminate();
  }

  #started(): Worker {
    if (this.#thread !== undefined) return this.#thread;
    const thread = new Worker(script, { env: {}, resourceLimits: { maxOldGenerationSizeMb } });
    const ended = (): void => {
      if (this.#thread === thread) this.#drop();
    };
    thread.on("message", ({ serial, found }: PacketAnswer) => {
      this.#waiting.get(serial)?.(found);
      this.#waiting.delete(serial);
    });
    thread.on("error", ended);
    thread.on("exit", ended);
    this.#thread = thread;
    return thread;
  }

  #drop(): void {
    this.#thread = undefined;
    for (const resolve of this.#waiting.values()) resolve();
    this.#waiting.clear();
  }
}

const script = join(import.meta.dirname, `packet-thread${extname(import.meta.filename)}`);
/** The tables of an hour take some ten. */
const maxOldGenerationSizeMb = 128;
const readMs = 2_000;
const hairSeconds = 0.0005;

/** Whether its planes are shown as they are decoded. */
function isPlain(video: ShownVideo): boolean {
  const { file, look, recording } = video.media;
  const { width, height } = lookOf(video);
  const { picture } = recording;
  return (
    /^video\/(mp4|quicktime)$/.test(file.mimeType) &&
    picture?.codec === "h264" &&
    look?.isPlain === true &&
    video.cubePath === undefined &&
    picture.width === width &&
    picture.height === height &&
    width % 2 === 0 &&
    height % 2 === 0
  );
}
