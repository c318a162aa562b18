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
  // Time of a frame; rates, flags and lengths that are not read; one stream; size.
  const file = numbers(Math.round(1_000_000 / fps), 0, 0, 0, 0, 0, 1, 0, width, height, 0, 0, 0, 0);
  const stream = Buffer.concat([
    Buffer.from(`vids${fourcc}`),
    // Flags, priority, delay; scale and rate; start, length and fields that are not read.
    numbers(0, 0, 0, perSecond, Math.round(fps * perSecond), 0, 0, 0, 0, 0, 0, 0),
  ]);
  const planesAndBits = codec === "planes" ? 1 + (12 << 16) : 1 + (24 << 16);
  const picture = Buffer.concat([
    numbers(40, width, height, planesAndBits),
    Buffer.from(fourcc),
    numbers(0, 0, 0, 0, 0),
  ]);
  const streamList = list("strl", chunk("strh", stream), chunk("strf", picture));
  // A length of zero: as much as comes.
  const begun = ["RIFF", numbers(0), "AVI ", list("hdrl", chunk("avih", file), streamList)];
  return joinBytes(...begun, "LIST", numbers(0), "movi");
}

/** Pieces that carry one picture. */
export function pictureChunk(picture: Buffer): readonly Buffer[] {
  const head = joinBytes(name, numbers(picture.length));
  return picture.length % 2 === 0 ? [head, picture] : [head, picture, Buffer.alloc(1)];
}

const name = "00dc";

/** Carries the picture before it once more; it must not be the last one. */
export const repetition = joinBytes(name, numbers(0));

const fourccs = { planes: "I420", mjpeg: "MJPG", png: "MPNG" } as const;
/** Rates are whole numbers of frames in so many seconds. */
const perSecond = 1_000;

function list(kind: string, ...parts: readonly Buffer[]): Buffer {
  return chunk("LIST", joinBytes(kind, ...parts));
}

function chunk(kind: string, content: Buffer): Buffer {
  return joinBytes(kind, numbers(content.length), content);
}

/** Of 32 bits, least significant byte first. */
function numbers(...values: readonly number[]): Buffer {
  return Buffer.from(Uint32Array.from(values).buffer);
}

function joinBytes(...parts: readonly (Buffer | string)[]): Buffer {
  return Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : part)));
}
