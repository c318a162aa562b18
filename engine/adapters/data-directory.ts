/**
 * The data directory: one process at a time, by a lock of the kernel's; closed to other users; one
 * shard count until `klieg reshard`. Every way in which it cannot be used is a `DataDirectoryError`
 * whose message is one sentence with the remedy.
 */
import { randomUUID } from "node:crypto";
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { limits } from "../../config/limits.ts";
import { lockFile } from "./kernel-lock.ts";
import { closeFolder, isOpenToOthers } from "./private-files.ts";

export class DataDirectoryError extends Error {
  override readonly name = "DataDirectoryError";
}

export interface DataDirectory {
  readonly path: string;
  /** A power of two. */
  readonly shardCount: number;
  /** Drawn when the store was created; the same on all nodes of a cluster. */
  readonly storeId: string;
  /** Drawn when this directory was made. */
  readonly nodeId: string;
  /** Whether others could read it until now; what is below it has their rights still. */
  readonly wasOpen: boolean;
  /** Whether some shards may never have been opened. */
  readonly isNew: boolean;
  /** Whether it belongs to a cluster, with a log beside its journals. */
  readonly isClustered: boolean;
  /** Whether the store began here: a shard without any record may begin on this node alone. */
  readonly isFounder: boolean;
  /** Nodes that are gone for good, by the operator's word. */
  readonly forgotten: readonly string[];
  readonly acceptedLosses: readonly AcceptedLoss[];
  /** The same directory as a part of the cluster's store; only for one that holds nothing yet. */
  join(store: { readonly storeId: string; readonly shardCount: number }): DataDirectory;
  /** The cluster's store has more shards than this by now: it never starts again. Says so. */
  supersede(): DataDirectoryError;
  /** Every shard has been opened. */
  complete(): void;
  /** Puts a small file in its place whole, readable by this user only. */
  writePrivate(name: string, text: string): void;
  /** Undefined when there is none. */
  read(name: string): string | undefined;
  remove(name: string): void;
  /** Lets the next process in. */
  release(): void;
}

/** From this record on a shard may go on here, whatever others had behind it. */
export interface AcceptedLoss {
  readonly shard: number;
  readonly epoch: number;
  readonly seq: number;
}

const lockName = "lock";
const storeName = "store.json";
/** There while a backup is brought in, which is no store until all of it is there. */
const restoringName = "restoring";
/** Shards of another count, on their way into the store's place. */
export const reshardName = "reshard";
/** What an empty data directory may have. */
const emptyNames: ReadonlySet<string> = new Set([lockName, "lost+found"]);
/** Of all that is in the directory. */
export const formatVersion = 10;

interface Store {
  readonly formatVersion: number;
  readonly shardCount: number;
  readonly storeId: string;
  readonly nodeId: string;
  /** Whether every shard has been opened: from then on each has files. */
  readonly isComplete: boolean;
  readonly isClustered: boolean;
  readonly isFounder: boolean;
  readonly forgotten: readonly string[];
  readonly acceptedLosses: readonly AcceptedLoss[];
  /** So many shards are whole in `reshard` and take the place of the store's. */
  readonly reshardingTo?: number | undefined;
  /** In a cluster: the id that the store then has. */
  readonly reshardingStore?: string | undefined;
  /** See `supersede`. */
  readonly isSuperseded?: boolean | undefined;
}

/** Throws `DataDirectoryError`. */
export function openDataDirectory(path: string, shardCount: number): DataDirectory {
  try {
    makeDirectory(path);
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw unusable(path, error);
  }
  const wasOpen = close(path);
  const release = lock(path);
  if (existsSync(join(path, restoringName)))
    throw new DataDirectoryError(
      `A restore into ${path} has not ended; run klieg store restore again, or remove the directory.`,
    );
  const directory = {
    path,
    wasOpen,
    writePrivate: (name: string, text: string) => replace(join(path, name), text),
    read: (name: string) => readIfThere(join(path, name)),
    remove: (name: string) => rmSync(join(path, name), { force: true }),
    release,
  };
  const found = parseStore(path, directory.read(storeName));
  refuseUnfit(path, found, release);
  const store = found ?? newStore(shardCount);
  const write = (it: Store) => directory.writePrivate(storeName, `${JSON.stringify(it)}\n`);
  try {
    // Of a reshard that ended before its shards were whole.
    if (found !== undefined) rmSync(join(path, reshardName), { recursive: true, force: true });
    write(store);
  } catch (error) {
    throw unusable(path, error);
  }
  const createOpened = (it: Store): DataDirectory => ({
    ...directory,
    ...it,
    isNew: !it.isComplete,
    complete: () => write({ ...it, isComplete: true }),
    supersede() {
      write({ ...it, isSuperseded: true });
      return createSuperseded(path);
    },
    join(cluster) {
      const isFounder = cluster.storeId === it.storeId;
      const joined = { ...it, ...cluster, isClustered: true, isFounder };
      write(joined);
      return createOpened(joined);
    },
  });
  return createOpened(store);
}

function newStore(shardCount: number): Store {
  return {
    formatVersion,
    shardCount,
    storeId: randomUUID(),
    nodeId: randomUUID(),
    isComplete: false,
    isClustered: false,
    isFounder: true,
    forgotten: [],
    acceptedLosses: [],
  };
}

/** Opens an existing store, for reading its files while no service runs. */
export function holdStore(path: string): HeldStore {
  const store = holdAnyStore(path);
  refuseUnfit(path, store, store.release);
  return store;
}

/** As `holdStore`, also where the count of shards is being changed. */
export function holdAnyStore(path: string): HeldStore {
  const store = existsSync(path) ? parseStore(path, readIfThere(join(path, storeName))) : undefined;
  if (store === undefined)
    throw new DataDirectoryError(
      `${path} holds no store; set KLIEG_DATA_DIR to the service's data directory.`,
    );
  const release = lock(path);
  return {
    ...store,
    isNew: !store.isComplete,
    release,
    change: (change) =>
      replace(join(path, storeName), `${JSON.stringify({ ...store, ...change })}\n`),
  };
}

export interface HeldStore extends Omit<Store, "isComplete" | "formatVersion"> {
  readonly isNew: boolean;
  change(change: Partial<Store>): void;
  release(): void;
}

/**
 * Makes an existing store one of a cluster, while no service runs; false when it was before. Throws
 * `DataDirectoryError`.
 */
export function joinCluster(path: string): boolean {
  const { isNew, isClustered, change, release } = holdStore(path);
  try {
    if (isNew)
      throw new DataDirectoryError(
        `${path} holds nothing yet; start the service with KLIEG_NATS_URL right away.`,
      );
    change({ isClustered: true });
    return !isClustered;
  } finally {
    release();
  }
}

/**
 * Makes a store of its own of what `fill` brings into an empty directory, or into one that an
 * earlier restore was begun in. Throws `DataDirectoryError`, and what `fill` throws.
 */
export async function restoreStore(
  path: string,
  shardCount: number,
  fill: () => Promise<void>,
): Promise<void> {
  try {
    makeDirectory(path);
  } catch (error) {
    throw unusable(path, error);
  }
  close(path);
  const release = lock(path);
  try {
    const names = readdirSync(path).filter((name) => !emptyNames.has(name));
    const isBegun = names.includes(restoringName);
    if (names.length > 0 && !isBegun)
      throw new DataDirectoryError(
        `${path} is not empty; set KLIEG_DATA_DIR to a directory that is, or to none that exists.`,
      );
    writeFileSync(join(path, restoringName), "", { mode: 0o600, flush: true });
    for (const name of names)
      if (name !== restoringName) rmSync(join(path, name), { recursive: true });
    await fill();
    // A history that begins here: whatever nodes have the one before are no part of it.
    const store: Store = { ...newStore(shardCount), isComplete: true };
    replace(join(path, storeName), `${JSON.stringify(store)}\n`);
    rmSync(join(path, restoringName));
  } finally {
    release();
  }
}

/**
 * With its parents, one by one: Node's own recursive form never returns where a parent exists but
 * the kernel says that it does not, as below `/proc`.
 */
function makeDirectory(path: string): void {
  if (existsSync(path)) return;
  makeDirectory(dirname(path));
  mkdirSync(path, { mode: 0o700 });
}

function parseStore(path: string, text: string | undefined): Store | undefined {
  if (text === undefined) return undefined;
  const store = parseText(path, text);
  const isKnown =
    typeof store === "object" &&
    store !== null &&
    "formatVersion" in store &&
    store.formatVersion === formatVersion &&
    "shardCount" in store &&
    typeof store.shardCount === "number" &&
    "storeId" in store &&
    typeof store.storeId === "string" &&
    "nodeId" in store &&
    typeof store.nodeId === "string" &&
    "isClustered" in store &&
    typeof store.isClustered === "boolean" &&
    "isFounder" in store &&
    typeof store.isFounder === "boolean" &&
    "isComplete" in store &&
    typeof store.isComplete === "boolean";
  const noWord = { forgotten: [], acceptedLosses: [] };
  if (isKnown) {
    const written = store as Omit<Store, keyof typeof noWord>;
    // In the file's order: what has not changed is not written again.
    return { ...written, ...noWord, ...written };
  }
  throw new DataDirectoryError(
    `${path} was written by another version of Klieg; start that version or set KLIEG_DATA_DIR to another directory.`,
  );
}

function refuseUnfit(path: string, store: Store | HeldStore | undefined, release: () => void) {
  const { reshardingTo, isSuperseded = false } = store ?? {};
  if (reshardingTo === undefined && !isSuperseded) return;
  release();
  if (isSuperseded) throw createSuperseded(path);
  throw new DataDirectoryError(
    `The change of ${path} to ${reshardingTo} shards has not ended; run klieg reshard ${reshardingTo} again.`,
  );
}

function createSuperseded(path: string): DataDirectoryError {
  return new DataDirectoryError(
    `${path} is of the time before the cluster's store got more shards; remove it and start again: the node joins from a snapshot.`,
  );
}

function parseText(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new DataDirectoryError(
      `${join(path, storeName)} is damaged; restore it from a backup or set KLIEG_DATA_DIR to another directory.`,
      { cause: error },
    );
  }
}

/** A holder that is being torn down lets go soon; one that serves does not. */
function lock(path: string): () => void {
  let release: (() => void) | undefined;
  try {
    release = lockFile(join(path, lockName), limits.engine.lockWaitSeconds);
  } catch (error) {
    if (!isCode(error, "ENOENT")) throw unusable(path, error);
    throw new DataDirectoryError(
      `The data directory ${path} cannot be locked without the program flock; install util-linux.`,
      { cause: error },
    );
  }
  if (release !== undefined) return release;
  throw new DataDirectoryError(
    `Another Klieg process uses ${path}; stop it or set KLIEG_DATA_DIR to another directory.`,
  );
}

/** True when others could look into it; all below it must then be closed as well. */
function close(path: string): boolean {
  const isOpen = isOpenToOthers(path);
  try {
    if (isOpen) closeFolder(path);
  } catch (error) {
    throw new DataDirectoryError(
      `The data directory ${path} is open to others and belongs to another user; make it this user's (chown -R) or set KLIEG_DATA_DIR to another directory.`,
      { cause: error },
    );
  }
  return isOpen;
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (isCode(error, "ENOENT")) return undefined;
    throw error;
  }
}

/** A full disk has no room for what would change nothing. */
function replace(file: string, text: string): void {
  if (readIfThere(file) === text) return;
  const temporary = `${file}.new`;
  writeFileSync(temporary, text, { mode: 0o600, flush: true });
  renameSync(temporary, file);
}

function unusable(path: string, cause: unknown): DataDirectoryError {
  return new DataDirectoryError(
    `The data directory ${path} cannot be written; make it writable for this user or set KLIEG_DATA_DIR to another directory.`,
    { cause },
  );
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
