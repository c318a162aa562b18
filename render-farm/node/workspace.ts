import { createHash } from "node:crypto";
import { constants, createWriteStream } from "node:fs";
import { chmod, chown, copyFile, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { detectMediaType, sniffedBytes } from "../../actors/asset/media-type.ts";
import { limits } from "../../config/limits.ts";
import { type Static, Type } from "../../config/schema.ts";
import type { Objects, StoredObject } from "../../engine/ports/objects.ts";
import { PortError } from "../../engine/ports/port-error.ts";
import { type OwnFolders, openMade, openPlain } from "../fence/own-folders.ts";
import { Pictures, pictureBounds } from "../pictures/pictures.ts";
import { type MediaTools, mediaTools } from "../programs/media-tools.ts";
import type { Programs } from "../programs/program-paths.ts";

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
  /** Media type as detected from the file's bytes. */
  readonly mimeType: string;
  readonly sizeBytes: number;
  /** Identifies the bytes: files with other bytes have another version. */
  readonly version: string;
}

/** A task's folder and tools, none of which are shared with other tasks. */
export interface Workspace {
  /** Folder for the task's files; it is removed with all of its contents. */
  readonly folder: string;
  readonly media: MediaTools;
  readonly pictures: Pictures;
}

/** Makes a workspace for each task. */
export class Workspaces {
  private readonly folders: OwnFolders;
  private readonly programs: Programs;

  constructor(folders: OwnFolders, programs: Programs) {
    this.folders = folders;
    this.programs = programs;
  }

  async use<T>(work: (workspace: Workspace) => Promise<T>): Promise<T> {
    const own = await this.folders.lend();
    const media = mediaTools(this.programs, own.user);
    const pictures = new Pictures(this.programs.pictures(own.user, pictureBounds));
    try {
      return await work({ folder: own.path, media, pictures });
    } finally {
      await pictures.close();
      await own.remove();
    }
  }
}

/** Fetches a source to `path`. Throws `PortError` if it is missing, too large or unknown. */
export async function fetchSource(
  objects: Objects,
  source: Source,
  path: string,
  signal: AbortSignal,
): Promise<LocalFile> {
  const found = await objects.stat(source.objectKey);
  if (found === undefined) throw new PortError("The source file no longer exists.", false);
  const { sizeBytes } = found;
  if (sizeBytes > limits.media.sourceBytesMax)
    throw new PortError("The source file is too large.", false);
  const linked = await linkTo(objects, source.objectKey, path);
  const version = linked ?? (await copyObject(objects, source.objectKey, sizeBytes, path, signal));
  return { path, mimeType: await sniff(path, source.mimeType), sizeBytes, version };
}

/** Describes a file that the farm wrote at `path`. Throws `PortError` when its type is unknown. */
export async function localFile(path: string): Promise<LocalFile> {
  const { uid, gid } = await stat(dirname(path));
  const { size: sizeBytes } = await stat(path);
  // Gives the file to the task's user, so that the task's programs may read it.
  await chown(path, uid, gid);
  return { path, mimeType: await sniff(path, ""), sizeBytes, version: await computeDigest(path) };
}

/** Links an object to `path`. Another user gets a copy, because only the farm may read objects. */
async function linkTo(objects: Objects, key: string, path: string): Promise<string | undefined> {
  const folder = dirname(path);
  if ((await stat(folder)).uid === process.getuid?.()) return objects.link(key, path);
  const [link, copy] = ["link", "copy"].map((name) =>
    join(dirname(folder), `${name}-${basename(path)}`),
  ) as [string, string];
  const version = await objects.link(key, link);
  if (version === undefined) return undefined;
  await copyFile(link, copy, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  await rm(link);
  await chmod(copy, 0o644);
  await rename(copy, path);
  return version;
}

async function copyObject(
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

/** Returns the SHA-256 of a file in lower-case hex. */
export async function computeDigest(path: string): Promise<string> {
  const hash = createHash("sha256");
  const file = await openPlain(path);
  for await (const chunk of file.createReadStream({ highWaterMark: readBytes })) hash.update(chunk);
  return hash.digest("hex");
}

const readBytes = 256 * 1024;

function asStopped(failure: unknown): never {
  if (failure instanceof Error && failure.name === "AbortError")
    throw new PortError("the task was stopped", true, failure);
  throw failure;
}

/** Detects a file's type; a look-up table is recognized only when it is declared as one. */
async function sniff(path: string, declared: string): Promise<string> {
  const file = await openPlain(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(sniffedBytes), 0, sniffedBytes, 0);
    const name = declared === "application/octet-stream" ? "table.cube" : undefined;
    const type = detectMediaType(buffer.subarray(0, bytesRead), name);
    if (type === undefined)
      throw new PortError("The file's media type is not accepted here.", false);
    return type;
  } finally {
    await file.close();
  }
}

/** Stores a file that a program has made, under `key`. */
export async function storeFile(
  objects: Objects,
  key: string,
  path: string,
): Promise<StoredObject> {
  const file = await openMade(path);
  try {
    const { size } = await file.stat();
    if (size >= limits.media.outputBytesMax)
      throw new PortError("The result is too large to be stored.", false);
    const end = size - 1;
    const bytes = file.createReadStream({ highWaterMark: readBytes, autoClose: false, end });
    return await objects.put(key, size === 0 ? [] : bytes);
  } finally {
    await file.close();
  }
}
