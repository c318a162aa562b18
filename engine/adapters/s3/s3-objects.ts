import { createHash } from "node:crypto";
import type { Readable } from "node:stream";
import { invariant } from "../../invariant.ts";
import type { ByteRange, Objects, StoredObject } from "../../ports/objects.ts";
import { PortError } from "../../ports/port-error.ts";
import { checkObjectKey, isObjectKey } from "../objects/object-key.ts";
import { createFault } from "./faults.ts";
import type { FoundObject, S3Requests, StoredPart } from "./requests.ts";
import { SilentStore } from "./transport.ts";

/**
 * Objects in a bucket of an S3 API: MinIO, or any other. The key is the object's name.
 *
 * 1. What fits in a part is put at once, with its SHA-256 beside it; what is larger goes in parts,
 *    of which at most three are in memory: one that is sent, one that is whole, one that fills.
 * 2. A failed upload is given up, so that none of its parts stay.
 * 3. One read is one request, so that its bytes are of one object, and ends with its reader.
 *
 * Only failures of the store become `PortError`; what the given bytes throw passes through.
 */
const chunkBytesMax = 65_536;
/** The longest validity of a signed URL that S3 allows. */
const signedSecondsMax = 7 * 86_400;

export function s3Objects(s3: S3Requests): Objects {
  return {
    async put(key, bytes) {
      checkObjectKey(key);
      return put(s3, key, bytes);
    },
    async stat(key) {
      checkObjectKey(key);
      const found = await s3.stat(key);
      if (found === undefined) return undefined;
      const { sizeBytes, etag, modifiedMs } = found;
      const tag = etag.replaceAll(/[^\w-]/g, "");
      return tag === "" || modifiedMs === undefined
        ? { sizeBytes }
        : { sizeBytes, version: { tag, modifiedMs } };
    },
    async *read(key, range) {
      checkObjectKey(key);
      yield* read(s3, key, range);
    },
    async link(key) {
      checkObjectKey(key);
      return undefined;
    },
    async copy(from, to) {
      checkObjectKey(from);
      checkObjectKey(to);
      await copy(s3, from, to);
    },
    async remove(key) {
      checkObjectKey(key);
      await s3.remove(key);
    },
    async *list(folder) {
      if (folder !== undefined) checkObjectKey(folder);
      const prefix = folder === undefined ? "" : `${folder}/`;
      for (let from: string | undefined = ""; from !== undefined; ) {
        const page = await s3.list(prefix, from);
        // Other programs may keep objects with other names in the bucket.
        for (const { key, sizeBytes } of page.objects)
          if (isObjectKey(key)) yield { key, sizeBytes };
        from = page.next;
      }
    },
    async presign(method, key, seconds) {
      checkObjectKey(key);
      invariant(seconds >= 1 && seconds <= signedSecondsMax, "a URL is signed for up to a week");
      return s3.sign(method, key, seconds);
    },
  };
}

async function put(
  s3: S3Requests,
  key: string,
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<StoredObject> {
  const hash = createHash("sha256");
  let sizeBytes = 0;
  let held: Buffer | undefined;
  let upload: Upload | undefined;
  try {
    for await (const part of splitParts(bytes, s3.bounds.partBytes)) {
      hash.update(part);
      sizeBytes += part.length;
      if (held !== undefined) {
        upload ??= await Upload.begin(s3, key);
        await upload.add(held);
      }
      held = part;
    }
    const sha256 = hash.digest("hex");
    if (upload === undefined) await s3.put(key, held ?? Buffer.alloc(0), sha256);
    else await upload.finish(held);
    return { sizeBytes, sha256 };
  } catch (failure) {
    await upload?.abort();
    throw failure;
  }
}

/** An upload of one object in parts. */
class Upload {
  private readonly s3: S3Requests;
  private readonly key: string;
  private readonly id: string;
  private readonly parts: StoredPart[] = [];
  private sending: Promise<void> = Promise.resolve();

  private constructor(s3: S3Requests, key: string, id: string) {
    this.s3 = s3;
    this.key = key;
    this.id = id;
  }

  static async begin(s3: S3Requests, key: string): Promise<Upload> {
    return new Upload(s3, key, await s3.begin(key));
  }

  /** Resolves when the previous part is stored; throws when that one failed. */
  async add(bytes: Buffer): Promise<void> {
    await this.sending;
    const place = { key: this.key, uploadID: this.id, partNumber: this.parts.length + 1 };
    this.sending = this.s3.uploadPart(place, bytes).then((stored) => {
      this.parts.push(stored);
    });
    // The error is thrown by the next call.
    this.sending.catch(() => undefined);
  }

  async finish(last: Buffer | undefined): Promise<void> {
    if (last !== undefined) await this.add(last);
    await this.sending;
    await this.s3.complete(this.key, this.id, this.parts);
  }

  /** An upload that cannot be aborted now is removed after a day by the bucket's rule. */
  async abort(): Promise<void> {
    await this.sending.catch(() => undefined);
    await this.s3.abort(this.key, this.id).catch(() => undefined);
  }
}

/** Splits the bytes into parts of this size; only the last one is smaller. */
async function* splitParts(
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  partBytes: number,
): AsyncGenerator<Buffer> {
  let chunks: Buffer[] = [];
  let filled = 0;
  for await (const chunk of bytes)
    for (let at = 0; at < chunk.length; ) {
      // Copied, because a source may reuse its chunk.
      const piece = Buffer.from(chunk.subarray(at, at + partBytes - filled));
      chunks.push(piece);
      at += piece.length;
      filled += piece.length;
      if (filled < partBytes) continue;
      yield Buffer.concat(chunks);
      chunks = [];
      filled = 0;
    }
  if (filled > 0) yield Buffer.concat(chunks);
}

async function* read(
  s3: S3Requests,
  key: string,
  { start, end }: ByteRange,
): AsyncGenerator<Uint8Array> {
  const isEmpty = end <= start;
  const found = isEmpty ? await s3.stat(key) : await s3.get(key, start, end);
  if (found === undefined) throw absent(key);
  if (found === "nothing" || "etag" in found) return;
  yield* readChunks(found, end - start, s3.bounds.silenceMs);
}

/** Limits the time that the store takes to send bytes, not the time that a reader takes. */
async function* readChunks(
  stream: Readable,
  bytesMax: number,
  silenceMs: number,
): AsyncGenerator<Uint8Array> {
  const chunks: AsyncIterator<Buffer, undefined> = stream[Symbol.asyncIterator]();
  try {
    for (let left = bytesMax; left > 0; ) {
      const { value, done } = await nextWithin(silenceMs, stream, chunks);
      if (done === true) return;
      const chunk = value.subarray(0, left);
      left -= chunk.length;
      for (let at = 0; at < chunk.length; at += chunkBytesMax)
        yield chunk.subarray(at, at + chunkBytesMax);
    }
  } finally {
    stream.destroy();
  }
}

async function nextWithin<T>(
  silenceMs: number,
  stream: Readable,
  chunks: AsyncIterator<T, undefined>,
): Promise<IteratorResult<T, undefined>> {
  const timer = setTimeout(() => stream.destroy(new SilentStore()), silenceMs);
  try {
    return await chunks.next();
  } catch (error) {
    throw createFault(error);
  } finally {
    clearTimeout(timer);
  }
}

async function copy(s3: S3Requests, from: string, to: string): Promise<void> {
  const found = await s3.stat(from);
  const isWhole = found !== undefined && found.sizeBytes <= s3.bounds.copyBytes;
  const copied = isWhole ? await s3.copy(from, to) : found;
  if (found === undefined || copied === undefined) throw absent(from);
  if (!isWhole) await copyInParts(s3, from, to, found);
}

async function copyInParts(
  s3: S3Requests,
  from: string,
  to: string,
  { sizeBytes, etag }: FoundObject,
): Promise<void> {
  const uploadID = await s3.begin(to);
  try {
    const parts: StoredPart[] = [];
    for (let start = 0; start < sizeBytes; start += s3.bounds.copyBytes) {
      const end = Math.min(sizeBytes, start + s3.bounds.copyBytes);
      const target = { key: to, uploadID, partNumber: parts.length + 1 };
      parts.push(await s3.copyPart(target, from, { start, end }));
    }
    // Parts of two versions of the object would make up neither.
    if ((await s3.stat(from))?.etag !== etag)
      throw new PortError(`object ${from}: it was replaced while it was copied`, true);
    await s3.complete(to, uploadID, parts);
  } catch (failure) {
    // Whatever remains is removed after a day by the bucket's rule.
    await s3.abort(to, uploadID).catch(() => undefined);
    throw failure;
  }
}

function absent(key: string): PortError {
  return new PortError(`there is no object ${key}`, false);
}
