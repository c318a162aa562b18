/**
 * Objects of a store that is only accessible by signed URLs, each requested when it is needed.
 * Requests that the network breaks off are repeated, each with a new URL.
 */
import { createHash, randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { type FileHandle, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { limits } from "../../../config/limits.ts";
import type { ByteRange, Objects, StoredObject } from "../../ports/objects.ts";
import { PortError } from "../../ports/port-error.ts";
import { type Web, type WebAnswer, WebError, type WebRequest } from "../../ports/web.ts";
import { checkObjectKey } from "../objects/object-key.ts";

/** The source of signed URLs. All methods throw `PortError`. */
export interface UrlSource {
  urlFor(order: "get" | "put", key: string): Promise<string>;
  remove(key: string): Promise<void>;
}

export interface UrlObjectsPorts {
  readonly urls: UrlSource;
  readonly web: Web;
  /** Aborts all requests under way. */
  readonly signal: AbortSignal;
  /** Folder for results that are too large to be held in memory while they are sent. */
  readonly folder: string;
}

const attemptsMax = 4;
const pauseMs = 500;
const chunkBytesMax = 64 * 1024;

export function urlObjects(ports: UrlObjectsPorts): Objects {
  const objects: Objects = {
    async put(key, bytes) {
      checkObjectKey(key);
      const held = await hold(bytes, ports.folder);
      try {
        await send(ports, key, held);
        const { sizeBytes, sha256 } = held;
        return { sizeBytes, sha256 };
      } finally {
        if (held.path !== undefined) await rm(held.path, { force: true });
      }
    },
    async stat(key) {
      checkObjectKey(key);
      const answer = await get(ports, key, { start: 0, end: 1 });
      answer?.discard();
      return answer && { sizeBytes: sizeIn(answer, key) };
    },
    read(key, range) {
      checkObjectKey(key);
      return read(ports, key, range);
    },
    link: async () => undefined,
    async copy(from, to) {
      const found = await objects.stat(from);
      if (found === undefined) throw absent(from);
      await objects.put(to, objects.read(from, { start: 0, end: found.sizeBytes }));
    },
    async remove(key) {
      checkObjectKey(key);
      await ports.urls.remove(key);
    },
    list() {
      throw new PortError("objects that are accessed by URL cannot be listed", false);
    },
  };
  return objects;
}

interface Held extends StoredObject {
  readonly path?: string;
  readonly chunks: readonly Uint8Array[];
}

/** Holds the bytes until their number is known, which a store requires in advance. */
async function hold(
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  folder: string,
): Promise<Held> {
  const hash = createHash("sha256");
  const path = join(folder, `put-${randomUUID()}`);
  const chunks: Uint8Array[] = [];
  let [sizeBytes, file]: [number, FileHandle | undefined] = [0, undefined];
  try {
    for await (const chunk of bytes) {
      hash.update(chunk);
      sizeBytes += chunk.length;
      if (file === undefined && sizeBytes > limits.farm.heldBytesMax) {
        file = await open(path, "wx", 0o600);
        for (const held of chunks.splice(0)) await file.writeFile(held);
      }
      if (file === undefined) chunks.push(Uint8Array.from(chunk));
      else await file.writeFile(chunk);
    }
  } catch (error) {
    await rm(path, { force: true });
    throw error instanceof PortError
      ? error
      : new PortError("a result could not be held on its way to the store", true, error);
  } finally {
    await file?.close();
  }
  const stored = { sizeBytes, sha256: hash.digest("hex") };
  return file === undefined ? { ...stored, chunks } : { ...stored, chunks, path };
}

async function send(ports: UrlObjectsPorts, key: string, held: Held): Promise<void> {
  const answer = await repeatedly(ports, async () => {
    const url = await ports.urls.urlFor("put", key);
    const body =
      held.path === undefined
        ? Buffer.concat(held.chunks)
        : { bytes: createReadStream(held.path), sizeBytes: held.sizeBytes };
    return ask(ports, { method: "PUT", url, body });
  });
  answer.discard();
  if (answer.status >= 300)
    throw new PortError(`the object store answered ${answer.status} to ${key}`, false);
}

/** Returns undefined when there is no such object. */
async function get(
  ports: UrlObjectsPorts,
  key: string,
  { start, end }: ByteRange,
): Promise<WebAnswer | undefined> {
  const answer = await repeatedly(ports, async () => {
    const url = await ports.urls.urlFor("get", key);
    return ask(ports, { url, headers: { range: `bytes=${start}-${end - 1}` } });
  });
  const { status } = answer;
  if (status === 200 || status === 206 || status === 416) return answer;
  answer.discard();
  if (status === 404) return undefined;
  throw new PortError(`the object store answered ${status} to ${key}`, false);
}

/** Returns the size of an object of which a part was requested (RFC 9110, section 14.4). */
function sizeIn({ status, headers }: WebAnswer, key: string): number {
  const text = status === 200 ? headers["content-length"] : headers["content-range"];
  const size = /^(?:bytes .*\/)?(\d{1,15})$/.exec(text ?? "")?.[1];
  if (size === undefined) throw new PortError(`the object store tells no size of ${key}`, false);
  return Number(size);
}

async function* read(
  ports: UrlObjectsPorts,
  key: string,
  { start, end }: ByteRange,
): AsyncGenerator<Uint8Array> {
  let at = start;
  for (let attempt = 1; ; attempt++) {
    const answer = await get(ports, key, { start: at, end: Math.max(at + 1, end) });
    if (answer === undefined) throw absent(key);
    try {
      if (answer.status === 416 || at >= end) {
        answer.discard();
        return;
      }
      // A store without support for ranges sends the object from its beginning.
      let skipped = answer.status === 200 ? at : 0;
      for await (const chunk of answer.body) {
        const rest = chunk.subarray(Math.min(skipped, chunk.length), skipped + end - at);
        skipped -= Math.min(skipped, chunk.length);
        for (let from = 0; from < rest.length; from += chunkBytesMax) {
          const piece = rest.subarray(from, from + chunkBytesMax);
          at += piece.length;
          yield piece;
        }
        if (at >= end) return;
      }
      return;
    } catch (error) {
      if (!(error instanceof WebError) || attempt === attemptsMax || ports.signal.aborted)
        throw error;
    }
  }
}

function ask(
  { web, signal }: UrlObjectsPorts,
  request: Pick<WebRequest, "method" | "url" | "headers" | "body">,
): Promise<WebAnswer> {
  return web.ask({ ...request, redirectsMax: 0, mayBePrivate: true, signal });
}

/**
 * Repeats a request until its answer is one that a new URL would not change: a URL that has
 * expired, or whose store's clock differs, is refused like a forged one (403, by some stores 400).
 */
async function repeatedly(
  { signal }: UrlObjectsPorts,
  attempt: () => Promise<WebAnswer>,
): Promise<WebAnswer> {
  for (let made = 1; ; made++) {
    let fault: WebError | undefined;
    try {
      const answer = await attempt();
      if (answer.status < 300 || lastingStatuses.has(answer.status)) return answer;
      answer.discard();
      fault = new WebError(`the object store answered ${answer.status}`, true, true);
    } catch (error) {
      if (!(error instanceof WebError && error.retryable)) throw error;
      fault = error;
    }
    if (made === attemptsMax || signal.aborted) throw fault;
    await delay(pauseMs * made);
  }
}

/** No object, or no more of it; other statuses may be due to the URL, the moment or the network. */
const lastingStatuses: ReadonlySet<number> = new Set([404, 416]);

function absent(key: string): PortError {
  return new PortError(`there is no object ${key}`, false);
}
