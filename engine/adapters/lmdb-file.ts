/**
 * Reads the header of an LMDB file without LMDB: a truncated file ends the process that maps it
 * (SIGBUS) or fails an assertion there, so it is checked first.
 */
import { spawnSync } from "node:child_process";
import { closeSync, existsSync, fstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { StoreDamage } from "../ports/store-damage.ts";

const fileName = "data.mdb";
/** Offsets in a meta page, after its own head of 24 bytes: magic, version, map address and size, */
const [magicAt, freeTreeAt] = [24, 48];
/** the trees of free pages and of rows, 48 bytes each, the last page, the transaction. */
const lastPageAt = freeTreeAt + 2 * 48;
const transactionAt = lastPageAt + 8;
const metaBytes = transactionAt + 8;
const magic = 0xbeefc0de;

export function hasTables(folder: string): boolean {
  return existsSync(join(folder, fileName));
}

/**
 * Throws `StoreDamage` when the file is shorter than its header says, and not only by pages at its
 * end that no row is on: a transaction may take such pages and give them back unwritten.
 */
export function checkTablesFile(folder: string): void {
  const file = openSync(join(folder, fileName), "r");
  try {
    const { size } = fstatSync(file);
    const first = metaAt(file, 0);
    const second = first && metaAt(file, first.pageBytes);
    if (first === undefined || second === undefined)
      throw new StoreDamage(`tables/${fileName} is no longer a table file; its rows are lost`);
    const { lastPage, pageBytes } = first.transaction > second.transaction ? first : second;
    const wholeBytes = (lastPage + 1) * pageBytes;
    if (size >= wholeBytes || canBeRead(folder)) return;
    throw new StoreDamage(
      `tables/${fileName} was cut short to ${size} of ${wholeBytes} bytes, the rows behind are lost`,
    );
  } finally {
    closeSync(file);
  }
}

/** Reads every row in a separate process, because damage may end it. */
export function canBeRead(folder: string): boolean {
  const lmdb = JSON.stringify(new URL("./lmdb.js", import.meta.url).href);
  const program = `const { readAll } = await import(${lmdb}); await readAll(process.argv[1]);`;
  const args = ["--input-type=module", "--eval", program, folder];
  return spawnSync(process.execPath, args, { env: {}, stdio: "ignore" }).status === 0;
}

function metaAt(file: number, at: number) {
  const meta = Buffer.alloc(metaBytes);
  const bytesRead = readSync(file, meta, 0, metaBytes, at);
  if (bytesRead < metaBytes || meta.readUInt32LE(magicAt) !== magic) return undefined;
  return {
    pageBytes: meta.readUInt32LE(freeTreeAt),
    lastPage: Number(meta.readBigUInt64LE(lastPageAt)),
    transaction: Number(meta.readBigUInt64LE(transactionAt)),
  };
}
