/**
 * Results that only the provider's own API serves, to its key, which no farm node has: the effects
 * thread streams them to the object store, where a farm node finds them.
 */
import { limits } from "../config/limits.ts";
import type { Id } from "../engine/id.ts";
import type { Clock } from "../engine/ports/clock.ts";
import type { Objects } from "../engine/ports/objects.ts";
import { PortError } from "../engine/ports/port-error.ts";
import { type OpenStream, ResultError, type ResultFile } from "../providers/provider.ts";

/** What a farm node should fetch: bytes from the web, or an object that is already in the store. */
export type FetchedFile = { readonly url: string } | { readonly objectKey: string };

/** Stores streams; rejects with a `PortError` when a stream breaks off too often. */
export type StoreStreams = (
  job: Id,
  files: readonly ResultFile[],
  bytesMax: number,
) => Promise<readonly FetchedFile[]>;

export function storeStreamsIn(objects: Objects, clock: Clock): StoreStreams {
  return async (job, files, bytesMax) => {
    const stored: FetchedFile[] = [];
    for (const [at, file] of files.entries()) {
      if (file.kind === "url") stored.push({ url: file.url });
      else if (file.kind === "stored") stored.push({ objectKey: file.media.objectKey });
      else {
        const objectKey = `jobs/${job}/received/${at}`;
        await storeStream(objects, clock, objectKey, file.open, bytesMax);
        stored.push({ objectKey });
      }
    }
    return stored;
  };
}

export function isInStore(file: ResultFile): file is Extract<ResultFile, { kind: "stored" }> {
  return file.kind === "stored";
}

async function storeStream(
  objects: Objects,
  clock: Clock,
  objectKey: string,
  open: OpenStream,
  bytesMax: number,
): Promise<void> {
  const { streamAttempts, streamMs } = limits.providers;
  for (let attempt = 1; ; attempt++) {
    const abort = new AbortController();
    const stopTimer = clock.after(streamMs, () => abort.abort());
    try {
      await objects.put(objectKey, limitBytes(await open(abort.signal), bytesMax));
      return;
    } catch (error) {
      const isRetryable = error instanceof PortError && error.retryable;
      if (!isRetryable || attempt === streamAttempts) throw error;
    } finally {
      stopTimer();
    }
  }
}

async function* limitBytes(
  bytes: AsyncIterable<Uint8Array>,
  bytesMax: number,
): AsyncGenerator<Uint8Array> {
  let length = 0;
  for await (const chunk of bytes) {
    length += chunk.length;
    if (length > bytesMax) throw new ResultError("The provider's result is too large.");
    yield chunk;
  }
}
