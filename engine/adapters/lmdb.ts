/**
 * The tables of a shard on LMDB. `overlappingSync` is off, so a write's promise settles after the
 * flush. One thread writes an environment; others open `openTableReader`, and see new rows after
 * `refresh`.
 *
 * lmdb is imported by this file only.
 */
import {
  asBinary,
  type Database,
  type Key as LmdbKey,
  open,
  type RootDatabase,
  type Transaction,
} from "lmdb";
import type { Key, KeyRange } from "../key.ts";
import { PortError } from "../ports/port-error.ts";
import { StoreDamage } from "../ports/store-damage.ts";
import type { TableReader, TableRow, Tables } from "../ports/tables.ts";

/** Keys are already binary strings, so they need no transcoding and no copies. */
const binaryKeys = {
  writeKey(key: LmdbKey, target: Buffer, start: number): number {
    return start + target.write(key as Key, start, "latin1");
  },
  readKey(source: Buffer, start: number, end: number): LmdbKey {
    return source.toString("latin1", start, end);
  },
};

/** Opens the tables; throws `PortError` when the folder cannot be used. */
export function openTables(path: string): Tables {
  const database = attempt("open the tables", () => openRows(path));
  return {
    ...createReader(database),
    async write(rows) {
      // Many writes share a promise; an unhandled rejection would end the thread.
      const writes = new Set<Promise<boolean>>();
      const batch = database.batch(() => {
        for (const [key, value] of rows)
          writes.add(
            value === undefined ? database.remove(key) : database.put(key, decodeStored(value)),
          );
      });
      await settleWrite("write the tables", () => Promise.all([batch, ...writes]));
    },
    close: () => settleWrite("close the tables", () => database.close()),
  };
}

/** Uses bytes in place, without a copy into a string. */
function decodeStored(value: string | Uint8Array): string {
  return typeof value === "string" ? value : (asBinary(value) as never);
}

export function openTableReader(path: string): TableReader & { close(): Promise<void> } {
  const database = attempt("open the tables", () => openRows(path));
  return {
    ...createReader(database),
    close: () => settleWrite("close the tables", () => database.close()),
  };
}

/**
 * Opens a view in which every read shows the rows of the same instant. Until it is closed, pages of
 * that instant are not reused, so the file grows while others write.
 */
export function openTableView(path: string): TableReader & { close(): Promise<void> } {
  const database = attempt("open the tables", () => openRows(path));
  const transaction = database.useReadTransaction();
  return {
    ...createReader(database, { transaction }),
    close() {
      transaction.done();
      return settleWrite("close the tables", () => database.close());
    },
  };
}

/** Reads all rows; throws when one cannot be read. Worse damage ends the process. */
export async function readAll(path: string): Promise<void> {
  const database = openRows(path);
  for (const { key, value } of database.getRange({ start: "" }))
    if (typeof key !== "string" || typeof value !== "string") throw new Error("no row");
  await database.close();
}

function openRows(path: string): RootDatabase<string, string> {
  return open({
    path,
    encoding: "string",
    keyEncoder: binaryKeys,
    mapSize: 2 ** 38,
    overlappingSync: false,
    // LMDB's own batches have a promise that cannot be awaited and that a full disk rejects.
    eventTurnBatching: false,
    // Pages stay at their 4 KiB: larger ones can be split so that a small row does not fit beside
    // large ones (OpenLDAP's ITS#9806), and the transaction fails at each attempt.
  } as never);
}

function createReader(
  database: Database<string, string>,
  instant: { readonly transaction?: Transaction } = {},
): TableReader {
  return {
    get: (key) => database.get(key, instant),
    range(range, limit, reverse = false) {
      const rows: TableRow[] = [];
      const options = { ...getBounds(range, reverse), ...instant, limit };
      for (const { key, value } of database.getRange(options))
        rows.push({ key: key as Key, text: value });
      return rows;
    },
    refresh: () => database.resetReadTxn(),
  };
}

/**
 * LMDB's reverse range excludes its end and includes its start; this port uses `[start, end)` in
 * both directions.
 */
function getBounds({ start, end }: KeyRange, reverse: boolean) {
  return reverse
    ? { start: end, exclusiveStart: true, end: start, inclusiveEnd: true, reverse }
    : { start, end };
}

function attempt<T>(what: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (isDamage(error)) throw new StoreDamage(`tables/data.mdb cannot be read (${error.message})`);
    throw new PortError(`could not ${what}`, false, error);
  }
}

/** LMDB's error for a page that is missing, corrupt, of another version or not of a table file. */
function isDamage(error: unknown): error is Error {
  return (
    error instanceof Error &&
    /^MDB_(PAGE_NOTFOUND|CORRUPTED|VERSION_MISMATCH|INVALID)/.test(error.message)
  );
}

async function settleWrite<T>(what: string, run: () => Promise<T> | T | undefined): Promise<T> {
  try {
    return (await run()) as T;
  } catch (error) {
    throw new PortError(`could not ${what}`, true, await explainCommitError(error));
  }
}

/** LMDB's error of a failed commit only names a promise with the cause, to be awaited as well. */
async function explainCommitError(error: unknown): Promise<unknown> {
  if (!(error instanceof Error) || !("commitError" in error)) return error;
  try {
    await error.commitError;
    return error;
  } catch (cause) {
    return cause;
  }
}
