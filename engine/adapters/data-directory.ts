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
  /** Number of shards, a power of two. */
  readonly shardCount: number;
  /** Random id of the store since its creation; the same on all nodes of a cluster. */
  readonly storeId: string;
  /** Random id of this node since the directory was created. */
  readonly nodeId: string;
  /** Whether others could read it before; files in it still have their old permissions. */
  readonly wasOpen: boolean;
  /** Whether some shards may never have been opened. */
  readonly isNew: boolean;
  /** Whether the store belongs to a cluster, with a log in addition to its journals. */
  readonly isClustered: boolean;
  /** Whether the store began here: a shard without records may then begin on this node alone. */
  readonly isFounder: boolean;
  /** Nodes that the operator declared to be gone for good. */
  readonly forgotten: readonly string[];
  readonly acceptedLosses: readonly AcceptedLoss[];
  /** Joins the directory to the cluster's store; only if it holds no data yet. */
  join(store: { readonly storeId: string; readonly shardCount: number }): DataDirectory;
  /** Marks a store whose cluster has more shards by now, so that it never starts; returns why. */
  supersede(): DataDirectoryError;
  /** Records that every shard has been opened. */
  complete(): void;
  /** Replaces a small file atomically, readable by this user only. */
  writePrivate(name: string, text: string): void;
  /** Returns a file's text, or undefined when there is none. */
  read(name: string): string | undefined;
  remove(name: string): void;
  /** Releases the lock, so that the next process can open the directory. */
  release(): void;
}

/** Record from which a shard may continue here, whatever later records other nodes had. */
export interface AcceptedLoss {
  readonly shard: number;
  readonly epoch: number;
  readonly seq: number;
}

const lockName = "lock";
const storeName = "store.json";
/** Marks a restore in progress; the directory is not a store until the restore is complete. */
const restoringName = "restoring";
/** Folder of the shards that replace the store's when the shard count changes. */
export const reshardName = "reshard";
/** Entries that an empty data directory may contain. */
const emptyNames: ReadonlySet<string> = new Set([lockName, "lost+found"]);
/** Version of all formats in the directory. */
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
  /** Number of shards that are complete in `reshard` and will replace the store's. */
  readonly reshardingTo?: number | undefined;
  /** In a cluster, the id that the store has after the reshard. */
  readonly reshardingStore?: string | undefined;
  /** Whether `supersede` was called: the cluster's store has more shards by now. */
  readonly isSuperseded?: boolean | undefined;
}

/** Opens or creates a data directory; throws `DataDirectoryError`. */
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
      `A restore into ${path} was interrupted; run klieg store restore again, or remove the directory.`,
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
    // Left by a reshard that ended before its shards were complete.
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

/** Opens an existing store to read its files while no service is running. */
export function holdStore(path: string): HeldStore {
  const store = holdAnyStore(path);
  refuseUnfit(path, store, store.release);
  return store;
}

/** Like `holdStore`, but also while the shard count is being changed. */
export function holdAnyStore(path: string): HeldStore {
  const store = existsSync(path) ? parseStore(path, readIfThere(join(path, storeName))) : undefined;
  if (store === undefined)
    throw new DataDirectoryError(
      `${path} does not contain a store; set KLIEG_DATA_DIR to the service's data directory.`,
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
 * Makes an existing store part of a cluster, while no service is running; returns false when it
 * already was. Throws `DataDirectoryError`.
 */
export function joinCluster(path: string): boolean {
  const { isNew, isClustered, change, release } = holdStore(path);
  try {
    if (isNew)
      throw new DataDirectoryError(
        `${path} is empty; start the service with KLIEG_NATS_URL, which makes it a node of the cluster.`,
      );
    change({ isClustered: true });
    return !isClustered;
  } finally {
    release();
  }
}

/**
 * Makes a separate store of what `fill` writes into an empty directory, or into one in which an
 * earlier restore began. Throws `DataDirectoryError`, and what `fill` throws.
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
        `${path} is not empty; set KLIEG_DATA_DIR to an empty directory, or to one that does not exist yet.`,
      );
    writeFileSync(join(path, restoringName), "", { mode: 0o600, flush: true });
    for (const name of names)
      if (name !== restoringName) rmSync(join(path, name), { recursive: true });
    await fill();
    // A new history begins here; the previous history on other nodes is no part of it.
    const store: Store = { ...newStore(shardCount), isComplete: true };
    replace(join(path, storeName), `${JSON.stringify(store)}\n`);
    rmSync(join(path, restoringName));
  } finally {
    release();
  }
}

/**
 * Creates the folder and its parents one by one: Node's own recursive form never returns where a
 * parent exists but the kernel reports that it does not, as below `/proc`.
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
    // The file's order of members is kept, so that an unchanged store is not written again.
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
    `The change of ${path} to ${reshardingTo} shards was interrupted; run klieg reshard ${reshardingTo} again.`,
  );
}

function createSuperseded(path: string): DataDirectoryError {
  return new DataDirectoryError(
    `${path} predates the change of the cluster's store to more shards; remove it and start again: the node then joins from a snapshot.`,
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

/** Waits a little for a lock holder that is shutting down; a running service keeps its lock. */
function lock(path: string): () => void {
  let release: (() => void) | undefined;
  try {
    release = lockFile(join(path, lockName), limits.engine.lockWaitSeconds);
  } catch (error) {
    if (!isCode(error, "ENOENT")) throw unusable(path, error);
    throw new DataDirectoryError(
      `The data directory ${path} cannot be locked without the program flock; install the package util-linux.`,
      { cause: error },
    );
  }
  if (release !== undefined) return release;
  throw new DataDirectoryError(
    `Another Klieg process uses ${path}; stop it or set KLIEG_DATA_DIR to another directory.`,
  );
}

/** Returns true when others could access it: then everything below must be closed as well. */
function close(path: string): boolean {
  const isOpen = isOpenToOthers(path);
  try {
    if (isOpen) closeFolder(path);
  } catch (error) {
    throw new DataDirectoryError(
      `The data directory ${path} is accessible to others and belongs to another user; change its owner to this user (chown -R) or set KLIEG_DATA_DIR to another directory.`,
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

/** Skips a write that would change nothing, as a full disk would have no room for it. */
function replace(file: string, text: string): void {
  if (readIfThere(file) === text) return;
  const temporary = `${file}.new`;
  writeFileSync(temporary, text, { mode: 0o600, flush: true });
  renameSync(temporary, file);
}

function unusable(path: string, cause: unknown): DataDirectoryError {
  return new DataDirectoryError(
    `The data directory ${path} is not writable; make it writable for this user or set KLIEG_DATA_DIR to another directory.`,
    { cause },
  );
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
