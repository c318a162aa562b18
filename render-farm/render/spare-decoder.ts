import { fences, type MediaTools } from "../media-tools.ts";
import { lookOf, type ShownVideo, type Span, sourceTime } from "./video-decoding.ts";

/**
 * An ffmpeg that has started and waits to hear what it shall decode: a still, which needs one
 * picture at once, else waits for its start about as long as for the picture. It decodes what needs
 * no other arguments than any video, and reads the rest as a list of one file.
 */
export class SpareDecoder {
  readonly #tools: MediaTools;
  readonly #threads: () => number;
  #waiting: Waiting | undefined;

  /** `threads`: how many decode, asked each time. */
  constructor(tools: MediaTools, threads: () => number) {
    this.#tools = tools;
    this.#threads = threads;
  }

  /**
   * The planes of a span's first picture, none where the source has ended; `undefined` when no
   * decoder waits, the video needs another, or this one failed.
   */
  async picture(video: ShownVideo, span: Span, signal: AbortSignal): Promise<Buffer | undefined> {
    const waiting = this.#waiting;
    if (waiting === undefined || !isPlain(video)) return undefined;
    this.#waiting = undefined;
    signal.addEventListener("abort", waiting.stop, { once: true });
    if (signal.aborted) waiting.stop();
    waiting.order(listOf(video, span));
    return waiting.picture.catch(() => undefined);
  }

  /** Starts one unless one waits. */
  refill(): void {
    this.#waiting ??= started(this.#tools, this.#threads());
  }

  /** Ends the one that waits. */
  async close(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.stop();
    await waiting?.picture.catch(() => undefined);
  }
}

interface Waiting {
  readonly picture: Promise<Buffer>;
  readonly order: (list: string) => void;
  readonly stop: () => void;
}

function started(tools: MediaTools, threads: number): Waiting {
  const stopping = new AbortController();
  let order: (list: string) => void = () => undefined;
  const ordered = new Promise<string>((resolve) => {
    order = resolve;
  });
  const stdin = (async function* () {
    yield Buffer.from(await ordered);
  })();
  const when = `setpts=(PTS*TB-${leadSeconds})/TB-0.0005/TB`;
  const filters = [when, "fps=fps=30:round=up:start_time=0", "format=yuv420p"].join(",");
  const input = [...fences, "-f", "concat", "-safe", "0", "-i", "pipe:0"];
  const output = ["-map", "0:v:0", "-vf", filters, "-frames:v", "1", "-f", "rawvideo", "-"];
  const args = ["-threads", `${threads}`, "-copyts", ...input, ...output];
  const call = { signal: stopping.signal, timeoutMs: waitMs, fault: "it cannot be decoded", stdin };
  const picture = tools.ffmpeg(args, call);
  const stop = (): void => {
    stopping.abort();
    // Else its input would be waited for.
    order("");
  };
  // Whoever takes it decodes otherwise.
  picture.catch(() => undefined);
  return { picture, order, stop };
}

/** After which one that nobody asked for ends. */
const waitMs = 2 ** 31 - 1;

/** From where it is decoded to the picture. */
const leadSeconds = 0.5;

/** Whether pictures are shown as they are decoded, and key frames are found by `leadSeconds`. */
function isPlain(video: ShownVideo): boolean {
  const { file, look, recording } = video.media;
  const { width, height } = lookOf(video);
  const { picture } = recording;
  return (
    file.mimeType === "video/mp4" &&
    look?.isPlain === true &&
    video.cubePath === undefined &&
    picture?.width === width &&
    picture.height === height &&
    width % 2 === 0 &&
    height % 2 === 0 &&
    picture.frameRate >= 16
  );
}

/** In the words of ffmpeg's `concat` demuxer; times of the pictures count from the in point. */
function listOf(video: ShownVideo, span: Span): string {
  const rate = video.clip.media?.rate ?? 1;
  const from = sourceTime(video, span) - leadSeconds + 0.0005 * (rate - 1);
  const { path } = video.media.file;
  return `ffconcat version 1.0\nfile 'file:${path}'\ninpoint ${from.toFixed(6)}\n`;
}
