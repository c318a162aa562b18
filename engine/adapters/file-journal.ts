/**
 * The journal of a shard in files of one size, called segments: each is written from its beginning
 * to its end and used again once its records are needed no more. So an append is one write into
 * bytes that the file has already, flushed by the same call. In an LMDB environment of its own, the
 * pages that a trim gave back had to be found again for each record; under load that took a sixth
 * of all processor time.
 *
 * An entry begins on a page of its own, so that no write touches what was acknowledged: a magic
 * number u32, CRC-32 of all that follows u32, length of the record u32, nothing u32, its number
 * f64, the record. Behind the last entry stand zeros or entries of lower numbers. At most one entry
 * was being written when a machine stopped; it was acknowledged to nobody and counts as not there.
 */
import {
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  writeSync,
} from "node:fs";
import { type FileHandle, open, unlink } from "node:fs/promises";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { invariant } from "../invariant.ts";
import type { Journal } from "../ports/journal.ts";
import { PortError } from "../ports/port-error.ts";

const pageBytes = 4096;
const segmentBytes = 4 * 1024 * 1024;
const headBytes = 24;
const magic = 0x4b4a0001;
/** More than a busy shard fills between two passes; others are removed. */
const freeSegmentsMax = 64;

interface Segment {
  readonly path: string;
  /** Of its first entry; its last comes before the first of the segment after it. */
  readonly firstSeq: number;
}

interface Entry {
  readonly seq: number;
  readonly record: Uint8Array;
}

/** Throws `PortError` when the folder cannot be used or its end is damaged. */
export function openJournal(path: string): Journal {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    return new FileJournal(path);
  } catch (error) {
    if (error instanceof PortError) throw error;
    throw new PortError("could not open the journal", false, error);
  }
}

class FileJournal implements Journal {
  private readonly folder: string;
  /** Those with entries, in their order. */
  private readonly segments: Segment[] = [];
  private readonly free: string[] = [];
  /** The last segment, once this journal has written to it. */
  private open: { readonly file: FileHandle; end: number } | undefined;
  /** Resolves when a segment that is being made is free. */
  private coming: Promise<void> | undefined;
  private made = 0;
  private lastSeq = 0;
  private trimmedSeq = 0;
  /** Resolves when all appends so far have ended. */
  private settled: Promise<unknown> = Promise.resolve();

  constructor(folder: string) {
    this.folder = folder;
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      const firstSeq = firstSeqOf(path);
      this.made = Math.max(this.made, Number.parseInt(name, 10) || 0);
      if (firstSeq === undefined) this.free.push(path);
      else this.segments.push({ path, firstSeq });
    }
    this.segments.sort((a, b) => a.firstSeq - b.firstSeq);
    this.findEnd();
  }

  append(seq: number, record: Uint8Array): Promise<void> {
    const appended = this.settled.then(() => this.write(seq, record));
    this.settled = appended.catch(() => {});
    return appended;
  }

  *from(seq: number): Generator<Entry> {
    for (const [at, { path, firstSeq }] of this.segments.entries()) {
      const nextSeq = this.segments[at + 1]?.firstSeq ?? this.lastSeq + 1;
      if (nextSeq <= seq || nextSeq <= this.trimmedSeq || nextSeq === firstSeq) continue;
      for (const entry of entriesOf(readFileSync(path)))
        if (entry.seq >= seq && entry.seq > this.trimmedSeq && entry.seq < nextSeq) yield entry;
    }
  }

  async trim(seq: number): Promise<void> {
    this.trimmedSeq = Math.max(this.trimmedSeq, Math.min(seq, this.lastSeq));
    while (this.segments.length > 1 && (this.segments[1]?.firstSeq ?? 0) <= this.trimmedSeq + 1) {
      const [{ path } = { path: "" }] = this.segments.splice(0, 1);
      if (this.free.length < freeSegmentsMax) this.free.push(path);
      else await attempt("trim the journal", () => unlink(path));
    }
  }

  async close(): Promise<void> {
    await this.settled;
    await this.coming?.catch(() => {});
    await this.open?.file.close();
  }

  private async write(seq: number, record: Uint8Array): Promise<void> {
    if (seq <= this.lastSeq) throw new PortError(`record ${seq} is in the journal already`, false);
    const size = headBytes + record.length;
    invariant(size <= segmentBytes, "a record is smaller than a segment");
    await attempt("append to the journal", async () => {
      const { open: last } = this;
      const fits = last !== undefined && last.end + size <= segmentBytes;
      const target = fits ? last : await this.turnOver(seq);
      const { bytesWritten } = await target.file.writev([headOf(seq, record), record], target.end);
      if (bytesWritten !== size) throw new Error("the write was cut short");
      target.end = nextPage(target.end + size);
      const isHalfFull = target.end > segmentBytes / 2;
      // Who needs the segment tries again, and hears of a fault.
      if (isHalfFull && this.free.length === 0) this.prepare().catch(() => {});
    });
    this.lastSeq = seq;
  }

  /** Begins another segment with the entry `firstSeq`. */
  private async turnOver(firstSeq: number) {
    await this.open?.file.close();
    this.open = undefined;
    if (this.free.length === 0) await this.prepare();
    const path = this.free.pop();
    invariant(path !== undefined, "a segment that was made is free");
    const file = await open(path, constants.O_WRONLY | constants.O_DSYNC);
    this.open = { file, end: 0 };
    this.segments.push({ path, firstSeq });
    return this.open;
  }

  /** Sees to it that a segment is free before it is needed. */
  private prepare(): Promise<void> {
    this.coming ??= this.make().finally(() => {
      this.coming = undefined;
    });
    return this.coming;
  }

  private async make(): Promise<void> {
    const path = join(this.folder, `${++this.made}.segment`);
    const file = await open(path, "w", 0o600);
    try {
      await file.writeFile(new Uint8Array(segmentBytes));
      await file.datasync();
    } finally {
      await file.close();
    }
    const folder = await open(this.folder, "r");
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
    this.free.push(path);
  }

  /**
   * Segments whose first entry is not whole hold nothing; what their heads say is wiped, since
   * another segment may soon begin with the same number.
   */
  private findEnd(): void {
    const torn: string[] = [];
    for (let last = this.segments.at(-1); last !== undefined; last = this.segments.at(-1)) {
      this.lastSeq = lastSeqOf(readFileSync(last.path));
      if (this.lastSeq > 0) break;
      torn.push(last.path);
      this.segments.pop();
    }
    for (const path of torn) {
      refuseDamage(readFileSync(path), 0, this.lastSeq);
      wipeHead(path);
      this.free.push(path);
    }
  }
}

function headOf(seq: number, record: Uint8Array): Buffer {
  const head = Buffer.alloc(headBytes);
  head.writeUInt32LE(magic, 0);
  head.writeUInt32LE(record.length, 8);
  head.writeDoubleLE(seq, 16);
  head.writeUInt32LE(crc32(record, crc32(head.subarray(8))), 4);
  return head;
}

/** Undefined when no whole entry begins at `at`. */
function entryAt(bytes: Buffer, at: number): Entry | undefined {
  if (at + headBytes > bytes.length || bytes.readUInt32LE(at) !== magic) return undefined;
  const start = at + headBytes;
  const end = start + bytes.readUInt32LE(at + 8);
  if (end > bytes.length || crc32(bytes.subarray(at + 8, end)) !== bytes.readUInt32LE(at + 4))
    return undefined;
  return { seq: bytes.readDoubleLE(at + 16), record: bytes.subarray(start, end) };
}

/** Throws `PortError` when an entry that others follow is not whole. */
function* entriesOf(bytes: Buffer): Generator<Entry> {
  let at = 0;
  let lastSeq = 0;
  for (;;) {
    const entry = entryAt(bytes, at);
    if (entry === undefined || entry.seq <= lastSeq) break;
    yield entry;
    lastSeq = entry.seq;
    at = nextPage(at + headBytes + entry.record.length);
  }
  if (lastSeq > 0) refuseDamage(bytes, at, lastSeq);
}

function refuseDamage(bytes: Buffer, from: number, lastSeq: number): void {
  for (let at = from; at < bytes.length; at += pageBytes)
    if ((entryAt(bytes, at)?.seq ?? 0) > lastSeq)
      throw new PortError(`the journal is damaged behind record ${lastSeq}`, false);
}

function lastSeqOf(bytes: Buffer): number {
  let last = 0;
  for (const { seq } of entriesOf(bytes)) last = seq;
  return last;
}

/** What the first head says, whole or not; undefined for a segment that was never written to. */
function firstSeqOf(path: string): number | undefined {
  const head = Buffer.alloc(headBytes);
  const file = openSync(path, "r");
  try {
    readSync(file, head, 0, headBytes, 0);
  } finally {
    closeSync(file);
  }
  return head.readUInt32LE(0) === magic ? head.readDoubleLE(16) : undefined;
}

function wipeHead(path: string): void {
  const file = openSync(path, constants.O_WRONLY | constants.O_DSYNC);
  try {
    writeSync(file, Buffer.alloc(headBytes), 0, headBytes, 0);
  } finally {
    closeSync(file);
  }
}

function nextPage(at: number): number {
  return Math.ceil(at / pageBytes) * pageBytes;
}

async function attempt<T>(what: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw new PortError(`could not ${what}`, true, error);
  }
}
