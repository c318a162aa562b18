import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdtemp, open, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { mediaTypeOf, sniffedBytes } from "../actors/asset/media-type.ts";
import { limits } from "../config/limits.ts";
import { type Static, Type } from "../config/schema.ts";
import type { Objects, StoredObject } from "../engine/ports/objects.ts";
import { PortError } from "../engine/ports/port-error.ts";

/** A stored file that a task reads. */
export const Source = Type.Object(
  {
    objectKey: Type.String({ minLength: 1, maxLength: 1_024 }),
    mimeType: Type.String({ minLength: 1, maxLength: 128 }),
  },
  { additionalProperties: false },
);
export type Source = Static<typeof Source>;

/** A source in a task's own folder, which is read there and never written to. */
export interface LocalFile {
  readonly path: string;
  /** What its bytes show. */
  readonly mimeType: string;
  readonly sizeBytes: number;
  /** Other bytes have another. */
  readonly version: string;
}

/** Lends a private folder, removed with all that is in it. */
export async function withWorkspace<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "klieg-task-"));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Removes folders that killed farm nodes left, of tasks, browsers and pipes long past. */
export async function sweepLeftovers(nowMs: number): Promise<void> {
  const root = tmpdir();
  for (const name of await readdir(root)) {
    if (!/^klieg-(browser|pipe|task)-/.test(name)) continue;
    const path = join(root, name);
    const found = await stat(path).catch(() => undefined);
    if (found === undefined || nowMs - found.mtimeMs < limits.farm.leftoverMs) continue;
    // Another user's are that user's to remove.
    await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
}

/** Brings a source to `path`. Throws `PortError` when it is missing, too large or unknown. */
export async function fetchSource(
  objects: Objects,
  source: Source,
  path: string,
  signal: AbortSignal,
): Promise<LocalFile> {
  const found = await objects.stat(source.objectKey);
  if (found === undefined) throw new PortError("The source file is no longer there.", false);
  const { sizeBytes } = found;
  if (sizeBytes > limits.media.sourceBytesMax)
    throw new PortError("The source file is too large.", false);
  const linked = await objects.link(source.objectKey, path);
  const version = linked ?? (await copied(objects, source.objectKey, sizeBytes, path, signal));
  return { path, mimeType: await sniff(path, source.mimeType), sizeBytes, version };
}

async function copied(
  objects: Objects,
  key: string,
  sizeBytes: number,
  path: string,
  signal: AbortSignal,
): Promise<string> {
  const hash = createHash("sha256");
  const bytes = async function* (): AsyncGenerator<Uint8Array> {
    for await (const chunk of objects.read(key, { start: 0, end: sizeBytes })) {
      hash.update(chunk);
      yield chunk;
    }
  };
  await pipeline(bytes, createWriteStream(path, { flags: "wx" }), { signal }).catch(asStopped);
  return hash.digest("hex");
}

/** SHA-256 of a file, in lower-case hex. */
export async function digestOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path, { highWaterMark: readBytes }))
    hash.update(chunk);
  return hash.digest("hex");
}

const readBytes = 256 * 1024;

function asStopped(failure: unknown): never {
  if (failure instanceof Error && failure.name === "AbortError")
    throw new PortError("the task was stopped", true, failure);
  throw failure;
}

/** A look-up table shows itself only to those who expect one. */
async function sniff(path: string, declared: string): Promise<string> {
  const file = await open(path, "r");
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(sniffedBytes), 0, sniffedBytes, 0);
    const name = declared === "application/octet-stream" ? "table.cube" : undefined;
    const type = mediaTypeOf(buffer.subarray(0, bytesRead), name);
    if (type === undefined)
      throw new PortError("The file is of no media type that is accepted here.", false);
    return type;
  } finally {
    await file.close();
  }
}

/** Stores a finished file under `key`. */
export async function storeFile(
  objects: Objects,
  key: string,
  path: string,
): Promise<StoredObject> {
  const { size } = await stat(path);
  if (size >= limits.media.outputBytesMax)
    throw new PortError("The result is larger than what may be stored.", false);
  return objects.put(key, createReadStream(path, { highWaterMark: readBytes }));
}
