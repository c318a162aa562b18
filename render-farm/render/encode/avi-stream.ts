import type { FrameFormat } from "./encoding.ts";

/**
 * Pictures on their way to the encoder: an AVI file without end and without index, because its
 * chunks have no times but their order, and one of no bytes is the picture before it once more.
 * So a frame that repeats costs eight bytes, and is neither carried nor decoded nor converted.
 *
 * Fields: Microsoft, "AVI RIFF File Reference" (AVIMAINHEADER, AVISTREAMHEADER, BITMAPINFOHEADER).
 */
export function streamHead({ codec, width, height }: FrameFormat, fps: number): Buffer {
  const fourcc = fourccs[codec];
  // Frame time; rates, flags and lengths, which are not read; one stream; picture size.
  const file = numbers(Math.round(1_000_000 / fps), 0, 0, 0, 0, 0, 1, 0, width, height, 0, 0, 0, 0);
  const stream = Buffer.concat([
    Buffer.from(`vids${fourcc}`),
    // Flags, priority, delay; scale and rate; start, length and fields, which are not read.
    numbers(0, 0, 0, perSecond, Math.round(fps * perSecond), 0, 0, 0, 0, 0, 0, 0),
  ]);
  const planesAndBits = codec === "planes" ? 1 + (12 << 16) : 1 + (24 << 16);
  const picture = Buffer.concat([
    numbers(40, width, height, planesAndBits),
    Buffer.from(fourcc),
    numbers(0, 0, 0, 0, 0),
  ]);
  const streamList = list("strl", chunk("strh", stream), chunk("strf", picture));
  // A length of zero means that the list goes on as long as the stream.
  const begun = ["RIFF", numbers(0), "AVI ", list("hdrl", chunk("avih", file), streamList)];
  return joinBytes(...begun, "LIST", numbers(0), "movi");
}

/** Returns the pieces of a chunk with one picture. */
export function pictureChunk(picture: Buffer): readonly Buffer[] {
  const head = joinBytes(name, numbers(picture.length));
  return picture.length % 2 === 0 ? [head, picture] : [head, picture, Buffer.alloc(1)];
}

const name = "00dc";

/** A chunk that repeats the picture before it; it must not be the last chunk. */
export const repetition = joinBytes(name, numbers(0));

const fourccs = { planes: "I420", mjpeg: "MJPG", png: "MPNG" } as const;
/** Number of seconds for which rates give a whole number of frames. */
const perSecond = 1_000;

function list(kind: string, ...parts: readonly Buffer[]): Buffer {
  return chunk("LIST", joinBytes(kind, ...parts));
}

function chunk(kind: string, content: Buffer): Buffer {
  return joinBytes(kind, numbers(content.length), content);
}

/** Encodes numbers as 32 bits each, least significant byte first. */
function numbers(...values: readonly number[]): Buffer {
  return Buffer.from(Uint32Array.from(values).buffer);
}

function joinBytes(...parts: readonly (Buffer | string)[]): Buffer {
  return Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : part)));
}
