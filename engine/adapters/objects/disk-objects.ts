import { createHash, randomUUID } from "node:crypto";
import {
  type FileHandle,
  link,
  mkdir,
  open,
  readdir,
  rename,
  rm,
  stat,
  unlink,
} from "node:fs/promises";
import { dirname, join } from "node:path";
import {
  type ByteRange,
  type ListedObject,
  type Objects,
  type StoredObject,
  volatileRoot,
} from "../../ports/objects.ts";
import { PortError } from "../../ports/port-error.ts";
import { checkObjectKey } from "./object-key.ts";

/**
 * Objects as files under one root folder; the key is the path. Several processes may share a root.
 *
 * 1. A file under its key is always whole: bytes go to a temporary file of the same file system,
 *    which is synced before it is renamed; the folder is synced after.
 * 2. No key names a temporary file: their folder's `~` is outside the key alphabet.
 * 3. At most `flushBytes` are dirty at a time, so that one big object does not hold the thread
 *    pool's disk queue while a journal waits for it.
 *
 * Only failures of the disk become `PortError`; what the given bytes throw passes through.
 */
const flushBytes = 8 * 1024 * 1024;
const chunkBytesMax = 65_536;
const temporaryFolder = "~incoming";

/** Codes of permanent errors: the path or its permissions are wrong. */
const lastingCodes = new Set(["EACCES", "EISDIR", "ENAMETOOLONG", "ENOTDIR", "EPERM", "EROFS"]);
const absentCodes = new Set(["ENOENT", "ENOTDIR"]);
/** Codes for another file system, or one that has no hard links or does not allow them here. */
const unlinkableCodes = new Set(["EMLINK", "ENOSYS", "ENOTSUP", "EOPNOTSUPP", "EPERM", "EXDEV"]);

export function diskObjects(root: string): Objects {
  const getPath = (key: string): string => {
    checkObjectKey(key);
    return join(root, key);
  };
  return {
    put: async (key, bytes) => put(root, key, getPath(key), bytes),
    stat: async (key) => {
      const path = getPath(key);
      const found = await onDisk(key, absentAsUndefined(stat(path, { bigint: true })));
      if (!found?.isFile()) return undefined;
      const { ino, size, mtimeNs, mtimeMs } = found;
      const tag = [ino, size, mtimeNs].map((part) => part.toString(16)).join("-");
      return { sizeBytes: Number(size), version: { tag, modifiedMs: Number(mtimeMs) } };
    },
    async *read(key, range) {
      yield* read(key, getPath(key), range);
    },
    link: async (key, path) => onDisk(key, linkOrCopy(getPath(key), path)),
    copy: async (from, to) => {
      if (await onDisk(to, shareFile(getPath(from), getPath(to)))) return;
      await put(root, to, getPath(to), read(from, getPath(from), whole));
    },
    remove: async (key) => {
      const path = getPath(key);
      await onDisk(key, absentAsUndefined(unlink(path)));
    },
    async *list(folder) {
      yield* list(folder === undefined ? root : getPath(folder), folder);
    },
  };
}

/**
 * Deletes what writers that died left behind, and all volatile objects; called before the first
 * writer of `root` starts.
 */
export async function removeStaleTemporaries(root: string): Promise<void> {
  for (const folder of [temporaryFolder, volatileRoot])
    await onDisk(folder, rm(join(root, folder), { recursive: true, force: true }));
}

async function put(
  root: string,
  key: string,
  path: string,
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<StoredObject> {
  const temporary = join(root, temporaryFolder, randomUUID());
  await onDisk(key, makeFolder(dirname(temporary)));
  const file = await onDisk(key, open(temporary, "wx", 0o600));
  try {
    const stored = await writeAll(key, file, bytes).finally(() => file.close());
    await onDisk(key, publish(temporary, path));
    return stored;
  } catch (failure) {
    await onDisk(key, rm(temporary, { force: true }));
    throw failure;
  }
}

async function writeAll(
  key: string,
  file: FileHandle,
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<StoredObject> {
  const hash = createHash("sha256");
  let sizeBytes = 0;
  let dirtyBytes = 0;
  for await (const chunk of bytes) {
    hash.update(chunk);
    for (let at = 0; at < chunk.length; ) {
      const length = Math.min(chunk.length - at, flushBytes - dirtyBytes);
      const { bytesWritten } = await onDisk(key, file.write(chunk, at, length));
      at += bytesWritten;
      sizeBytes += bytesWritten;
      dirtyBytes += bytesWritten;
      if (dirtyBytes === flushBytes) {
        await onDisk(key, file.datasync());
        dirtyBytes = 0;
      }
    }
  }
  await onDisk(key, file.sync());
  return { sizeBytes, sha256: hash.digest("hex") };
}

/** Moves the synced file to its place; its name and new folders survive a power failure. */
async function publish(temporary: string, path: string): Promise<void> {
  await makeFolder(dirname(path));
  await rename(temporary, path);
  await syncFolder(dirname(path));
}

async function makeFolder(folder: string): Promise<void> {
  const firstMade = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (firstMade === undefined) return;
  for (let made = folder; made.length >= firstMade.length; made = dirname(made))
    await syncFolder(dirname(made));
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  await handle.sync().finally(() => handle.close());
}

async function* read(key: string, path: string, range: ByteRange): AsyncGenerator<Uint8Array> {
  const file = await onDisk(key, absentAsUndefined(open(path, "r")));
  if (file === undefined) throw new PortError(`there is no object ${key}`, false);
  try {
    for (let at = range.start; at < range.end; ) {
      const length = Math.min(chunkBytesMax, range.end - at);
      const chunk = new Uint8Array(length);
      const { bytesRead } = await onDisk(key, file.read(chunk, 0, length, at));
      if (bytesRead === 0) return;
      yield chunk.subarray(0, bytesRead);
      at += bytesRead;
    }
  } finally {
    await file.close();
  }
}

/** Objects that are added or removed meanwhile may be listed or not. */
async function* list(path: string, folder: string | undefined): AsyncGenerator<ListedObject> {
  const names = (await onDisk(folder ?? "", absentAsUndefined(readdir(path)))) ?? [];
  for (const name of names) {
    if (name === temporaryFolder) continue;
    const key = folder === undefined ? name : `${folder}/${name}`;
    const found = await onDisk(key, absentAsUndefined(stat(join(path, name))));
    if (found?.isDirectory()) yield* list(join(path, name), key);
    else if (found?.isFile()) yield { key, sizeBytes: found.size };
  }
}

const whole: ByteRange = { start: 0, end: Number.MAX_SAFE_INTEGER };

/** Gives a file a second name, as neither is ever written to. False where that is impossible. */
async function shareFile(from: string, to: string): Promise<boolean> {
  await makeFolder(dirname(to));
  await rm(to, { force: true });
  if (!(await tryLink(from, to))) return false;
  await syncFolder(dirname(to));
  return true;
}

/** Creates the link; returns false where that is impossible. */
async function tryLink(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (failure) {
    const code = getCode(failure);
    if (unlinkableCodes.has(code) || absentCodes.has(code)) return false;
    throw failure;
  }
}

async function linkOrCopy(from: string, path: string): Promise<string | undefined> {
  if (!(await tryLink(from, path))) return undefined;
  const { dev, ino, mtimeNs, size } = await stat(path, { bigint: true });
  return [dev, ino, mtimeNs, size].join("-");
}

async function absentAsUndefined<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (failure) {
    if (absentCodes.has(getCode(failure))) return undefined;
    throw failure;
  }
}

async function onDisk<T>(key: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (failure) {
    const code = getCode(failure);
    throw new PortError(
      `object ${key}: the disk failed (${code})`,
      !lastingCodes.has(code),
      failure,
    );
  }
}

function getCode(failure: unknown): string {
  return failure instanceof Error && "code" in failure ? String(failure.code) : "unknown";
}
