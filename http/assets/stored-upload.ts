/** Turns bytes of unknown origin into a stored object whose type is detected from its bytes. */

import { imageSize } from "image-size";
import { detectMediaType } from "../../actors/asset/media-type.ts";
import type { StoredBytes } from "../../actors/protocol/media.ts";
import { limits } from "../../config/limits.ts";
import { extensionByType, plainType } from "../../config/media-types.ts";
import type { Objects } from "../../engine/ports/objects.ts";
import { RefusalError } from "../exchange/refusal-error.ts";

export const uploadTypes: readonly string[] = Object.keys(extensionByType);

export function mediaTypeOfKey(objectKey: string): string | undefined {
  const extension = objectKey.slice(objectKey.lastIndexOf(".") + 1);
  return uploadTypes.find((type) => extensionByType[type] === extension);
}

/**
 * Returns the media type that a client declared, as this service names it; undefined when it
 * declared none.
 */
export function checkDeclaredType(mediaType: string): string | undefined {
  const plain = plainType(mediaType);
  return ["", "application/octet-stream", "text/plain"].includes(plain) ? undefined : plain;
}

/** Reduces a path of any operating system to its last segment. */
export function plainFilename(filename: string): string {
  const last = filename.split(/[/\\]/).at(-1) ?? "";
  return last.replaceAll(/\p{Cc}/gu, "").slice(0, 255);
}

export function getBytesMax(mimeType: string): number {
  const kind = mimeType.split("/")[0] as keyof typeof limits.assets.bytesMaxByKind;
  return limits.assets.bytesMaxByKind[kind];
}

export interface UploadHints {
  readonly filename: string;
  /** The type that the client named, if it did. */
  readonly declared: string | undefined;
  /** Limit of the upload method; the detected type may have a lower one. */
  readonly bytesMax: number;
}

/**
 * Stores the bytes under `stem` and the extension of their type. Throws `RefusalError`: 400 for
 * bytes of no accepted type, of another than declared, or for a picture too large to decode; 413
 * for more bytes than the type allows. Nothing is left behind then.
 */
export async function storeUpload(
  objects: Objects,
  stem: string,
  bytes: AsyncIterable<Uint8Array>,
  { filename, declared, bytesMax }: UploadHints,
): Promise<StoredBytes> {
  const { first, all } = await peekBytes(bytes);
  const mimeType = detectMediaType(first, filename);
  if (mimeType === undefined) throw wrongFile("is not of an accepted type");
  if (declared !== undefined && declared !== mimeType)
    throw wrongFile(`is ${mimeType}, not ${declared}`);
  if (mimeType.startsWith("image/")) refuseHuge(first);
  const objectKey = `${stem}.${extensionByType[mimeType]}`;
  const cap = Math.min(getBytesMax(mimeType), bytesMax);
  const stored = await objects.put(objectKey, capBytes(all, cap));
  return { objectKey, mimeType, ...stored };
}

export function wrongFile(detail: string): RefusalError {
  return new RefusalError({ code: "validation", faults: [{ pointer: "/file", detail }] });
}

/** Reads enough bytes to detect the type, and returns a stream that repeats them first. */
async function peekBytes(bytes: AsyncIterable<Uint8Array>) {
  const iterator = bytes[Symbol.asyncIterator]();
  const start: Uint8Array[] = [];
  let length = 0;
  while (length < limits.assets.sniffBytes) {
    const { value, done } = await iterator.next();
    if (done === true) break;
    start.push(value);
    length += value.length;
  }
  async function* all(): AsyncGenerator<Uint8Array> {
    yield* start;
    for (;;) {
      const { value, done } = await iterator.next();
      if (done === true) return;
      yield value;
    }
  }
  return { first: Buffer.concat(start), all: all() };
}

/** Throws `RefusalError` with 413 at the first byte beyond the limit. */
export async function* capBytes(
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  bytesMax: number,
): AsyncGenerator<Uint8Array> {
  let length = 0;
  for await (const chunk of bytes) {
    length += chunk.length;
    if (length > bytesMax)
      throw new RefusalError({ code: "payload_too_large", limitBytes: bytesMax });
    yield chunk;
  }
}

function refuseHuge(first: Uint8Array): void {
  const { width, height } = getSize(first);
  if (width * height > limits.media.pixelsMax)
    throw wrongFile(`has more than ${limits.media.pixelsMax / 1e6} megapixels`);
}

function getSize(first: Uint8Array): { readonly width: number; readonly height: number } {
  try {
    return imageSize(first);
  } catch (error) {
    throw Object.assign(wrongFile("has no readable picture header"), { cause: error });
  }
}
