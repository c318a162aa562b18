import { limits } from "../../../config/limits.ts";
import { check, type Static, Type } from "../../../config/schema.ts";
import { PortError } from "../../../engine/ports/port-error.ts";
import type { CodedRun } from "../../../film/page/plan.ts";
import type { Bounds } from "../../fence/fence.ts";
import type { Message } from "../../fence/message.ts";
import { openPlain } from "../../fence/own-folders.ts";
import { FencedScript } from "../../fence/script.ts";
import type { LocalFile } from "../../node/workspace.ts";
import type { PacketOrder } from "./packet-program.ts";
import {
  chooseLook,
  type ShownVideo,
  type Span,
  sourceTime,
  type VideoLook,
} from "./video-decoding.ts";

/**
 * A picture in the form of video packets from which it is decoded: a page has decoded a picture
 * before an ffmpeg process for it would have started.
 */
export interface CodedPicture extends VideoLook {
  /** The packets, as described by `coded`. */
  readonly bytes: Uint8Array;
  readonly coded: CodedRun;
}

const count = Type.Integer({ minimum: 0 });
const Answer = Type.Object({
  coded: Type.Optional(
    Type.Object({
      codec: Type.String({ maxLength: 64 }),
      description: count,
      packets: Type.Array(Type.Object({ length: count, timeUs: Type.Number() })),
      shownUs: Type.Number(),
    }),
  ),
});
const isAnswer = check<Static<typeof Answer>>(Answer);
const Asked = Type.Object({ question: Type.Object({ start: count, end: count }) });
const isAsked = check<Static<typeof Asked>>(Asked);

/** Reads untrusted files: if one takes too much memory or time, ffmpeg is left to refuse it. */
export class CodedPictures {
  private readonly script: FencedScript;

  constructor(words: readonly string[]) {
    this.script = new FencedScript(words);
  }

  /**
   * Returns a span's first picture. Returns `undefined` if a page would decode it to other planes
   * than ffmpeg, if the source has ended, or if its file cannot be read.
   */
  async picture(video: ShownVideo, span: Span): Promise<CodedPicture | undefined> {
    // Picture times count slightly early, as they do in the ffmpeg filters.
    const { rate = 1, end = Number.POSITIVE_INFINITY } = video.clip.media ?? {};
    const seconds = sourceTime(video, span) + hairSeconds * rate;
    if (!isPlain(video) || seconds + hairSeconds >= end) return undefined;
    try {
      const found = await readPackets(this.script, video.media.file, seconds);
      return found && { ...found, ...chooseLook(video) };
    } catch (failure) {
      if (failure instanceof PortError) return undefined;
      throw failure;
    }
  }

  /** Starts the program ahead of time, which takes a quarter of a second. */
  start(): void {
    this.script.start();
  }

  /** Ends the program until the next picture; a pending read returns nothing. */
  close(): Promise<void> {
    return this.script.close();
  }
}

/** Bounds of the program that reads packets; it needs about ten megabytes for an hour's tables. */
export const packetBounds: Bounds = { bytes: limits.media.packetProgramBytesMax, fileBytes: 0 };

const hairSeconds = 0.0005;

/**
 * Returns the packets of the picture that a file shows at the given second. Returns `undefined`
 * when only the decoder can tell. Throws `PortError` when the program ended.
 */
export async function readPackets(
  script: FencedScript,
  { path, sizeBytes }: Pick<LocalFile, "path" | "sizeBytes">,
  seconds: number,
): Promise<Pick<CodedPicture, "bytes" | "coded"> | undefined> {
  const head: PacketOrder = { seconds, sizeBytes };
  const file = await openPlain(path);
  const answer = async ({ head: asked }: Message): Promise<Buffer> => {
    if (!isAsked(asked)) throw new Error("that is no question");
    const { start, end } = asked.question;
    if (end - start > limits.media.pictureBytesMax) throw new Error("that is too much");
    const bytes = Buffer.alloc(Math.min(end, sizeBytes) - start);
    await file.read(bytes, 0, bytes.length, start);
    return bytes;
  };
  try {
    const { head: said, body: bytes } = await script.carryOut({
      head,
      timeoutMs: limits.media.packetReadMs,
      answer,
    });
    if (!isAnswer(said) || said.coded === undefined) return undefined;
    return { bytes, coded: said.coded };
  } finally {
    await file.close();
  }
}

/** Whether the video's planes are shown exactly as they are decoded. */
function isPlain(video: ShownVideo): boolean {
  const { file, look, recording } = video.media;
  const { width, height } = chooseLook(video);
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
