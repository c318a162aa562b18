/**
 * Reads the header of an LMDB file without LMDB: a truncated file ends the process that maps it
 * (SIGBUS) or fails an assertion there, so it is checked first.
 */
import { spawnSync } from "node:child_process";
import { closeSync, existsSync, fstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { StoreDamage } from "../ports/store-damage.ts";

const fileName = "data.mdb";
/** The head of a page: its number (8 bytes), transaction, flags, twice the number of its nodes. */
const headBytes = 24;
const [flagsAt, nodesAt] = [18, 20];
/** Flags of a page whose nodes name the pages below it, and of a value's own pages. */
const [branchFlag, valueFlag] = [1, 4];
/** Flag of a node whose value has its own pages. */
const ownPagesFlag = 1;
/** The head of a node: six bytes with the page below it or a value's size and flags, key's size. */
const [nodeFlagsAt, keySizeAt, nodeHeadBytes] = [4, 6, 8];
/** Offsets in a meta page, after its head: magic, version, map address and size, */
const [magicAt, freeTreeAt] = [headBytes, 48];
/** the trees of free pages and of rows, 48 bytes each, the last page, the transaction. */
const freeRootAt = freeTreeAt + 40;
const lastPageAt = freeTreeAt + 2 * 48;
const transactionAt = lastPageAt + 8;
const metaBytes = transactionAt + 8;
const magic = 0xbeefc0de;
/** Root of an empty tree. */
const noPage = Number(0xffff_ffff_ffff_ffffn);

interface Meta {
  readonly pageBytes: number;
  /** Page of the tree in which LMDB keeps the pages that it may use again. */
  readonly freeRoot: number;
  readonly lastPage: number;
  readonly transaction: number;
}

/** Pages that belong together, the first of which has a head. */
interface Pages {
  readonly first: number;
  readonly count: number;
}

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
    const meta = first.transaction > second.transaction ? first : second;
    const wholeBytes = (meta.lastPage + 1) * meta.pageBytes;
    if (size >= wholeBytes) return;
    const hasRows = canBeRead(folder);
    if (hasRows && hasFreeTree(file, meta)) return;
    const lost = hasRows ? "its list of free pages is lost" : "the rows behind are lost";
    throw new StoreDamage(
      `tables/${fileName} was cut short to ${size} of ${wholeBytes} bytes, ${lost}`,
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

/** LMDB reads this tree only when it writes, and fails an assertion where a page is missing. */
function hasFreeTree(file: number, { pageBytes, freeRoot, lastPage }: Meta): boolean {
  const tree: Pages[] = freeRoot === noPage ? [] : [{ first: freeRoot, count: 1 }];
  const { size } = fstatSync(file);
  const page = Buffer.alloc(pageBytes);
  for (const { first, count } of tree) {
    if ((first + count) * pageBytes > size || tree.length > lastPage) return false;
    readSync(file, page, 0, pageBytes, first * pageBytes);
    const pages = Number(page.readBigUInt64LE(0)) === first ? listPages(page) : undefined;
    if (pages === undefined) return false;
    tree.push(...pages);
  }
  return true;
}

/** Returns the pages that a page's nodes name; undefined when nodes lie outside of the page. */
function listPages(page: Buffer): Pages[] | undefined {
  try {
    return readNodes(page);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function readNodes(page: Buffer): Pages[] {
  const flags = page.readUInt16LE(flagsAt);
  const isBranch = (flags & branchFlag) !== 0;
  const pages: Pages[] = [];
  // A value's own pages have no nodes.
  const nodes = (flags & valueFlag) === 0 ? page.readUInt16LE(nodesAt) / 2 : 0;
  for (let node = 0; node < nodes; node++) {
    const at = headBytes + page.readUInt16LE(headBytes + 2 * node);
    if (isBranch) pages.push({ first: page.readUIntLE(at, 6), count: 1 });
    else if ((page.readUInt16LE(at + nodeFlagsAt) & ownPagesFlag) !== 0) {
      const value = at + nodeHeadBytes + page.readUInt16LE(at + keySizeAt);
      const [first, count] = [value, value + 16].map((place) => page.readBigUInt64LE(place));
      pages.push({ first: Number(first), count: Number(count) });
    }
  }
  return pages;
}

function metaAt(file: number, at: number): Meta | undefined {
  const meta = Buffer.alloc(metaBytes);
  const bytesRead = readSync(file, meta, 0, metaBytes, at);
  if (bytesRead < metaBytes || meta.readUInt32LE(magicAt) !== magic) return undefined;
  return {
    pageBytes: meta.readUInt32LE(freeTreeAt),
    freeRoot: Number(meta.readBigUInt64LE(freeRootAt)),
    lastPage: Number(meta.readBigUInt64LE(lastPageAt)),
    transaction: Number(meta.readBigUInt64LE(transactionAt)),
  };
}
