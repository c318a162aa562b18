/**
 * The journal of a shard in files of one size, called segments: each is written from its beginning
 * to its end and used again once its records are needed no more. So an append is one write into
 * bytes that the file has already, flushed by the same call. In an LMDB environment of its own, the
 * pages that a trim gave back had to be found again for each record; under load that took a sixth
 * of all processor time.
 *
 * An entry begins on a page of its own, so that no write touches acknowledged bytes. At most one
 * entry was being written when a machine stopped; it was never acknowledged and is ignored. A list
 * beside the segments names those with acknowledged entries, so that one that is gone, wiped or cut
 * short is missed; records that cannot be read are missed when later ones can.
 */
import { constants, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { type FileHandle, open, unlink } from "node:fs/promises";
import { basename, join } from "node:path";
import { invariant } from "../invariant.ts";
import type { Journal } from "../ports/journal.ts";
import { PortError } from "../ports/port-error.ts";
import { StoreDamage } from "../ports/store-damage.ts";
import {
  type Entry,
  encodeHead,
  entryAt,
  entryHeadBytes,
  type Gap,
  nextPage,
  parseFirstSeq,
  readEntries,
  refuseGap,
  segmentBytes,
  wipeHead,
} from "./segment.ts";
import {
  type ListedSegment,
  listName,
  readSegmentList,
  syncFolder,
  writeSegmentList,
} from "./segment-list.ts";

/** Maximum free segments; a busy shard fills fewer between two flushes. The rest is removed. */
const freeSegmentsMax = 64;

interface Segment {
  readonly path: string;
  /** Number of the first entry; all entries have lower numbers than the next segment's first. */
  readonly firstSeq: number;
}

/** Reports harmless damage: the tables hold the lost rows. */
export type OnPassed = (sentence: string) => void;

/** Throws `PortError` for an unusable folder, `StoreDamage` for an unreadable segment list. */
export function openJournal(path: string, onPassed: OnPassed = () => {}): Journal {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    return new FileJournal(path, onPassed);
  } catch (error) {
    if (error instanceof PortError || error instanceof StoreDamage) throw error;
    throw new PortError("could not open the journal", false, error);
  }
}

class FileJournal implements Journal {
  private readonly folder: string;
  private readonly onPassed: OnPassed;
  private indexed: readonly ListedSegment[] | undefined;
  /** Segments with entries, in order. */
  private readonly segments: Segment[] = [];
  private readonly free: string[] = [];
  /** The last segment, once this journal has written to it. */
  private open: { readonly file: FileHandle; end: number; isListed: boolean } | undefined;
  /** Resolves when a segment that is being created is free. */
  private coming: Promise<void> | undefined;
  private made = 0;
  private lastSeq = 0;
  private trimmedSeq = 0;
  /** Resolves when all appends so far have ended. */
  private settled: Promise<unknown> = Promise.resolve();

  constructor(folder: string, onPassed: OnPassed) {
    this.folder = folder;
    this.onPassed = onPassed;
    this.indexed = readSegmentList(folder);
    for (const name of readdirSync(folder)) {
      if (!name.endsWith(".segment")) continue;
      const path = join(folder, name);
      this.made = Math.max(this.made, Number.parseInt(name, 10) || 0);
      if (statSync(path).size !== segmentBytes) {
        // Its creation was interrupted when the machine stopped; `from` reports a listed one.
        if (this.isListed(path) === undefined) rmSync(path);
        continue;
      }
      const firstSeq = parseFirstSeq(path);
      if (firstSeq !== undefined) this.segments.push({ path, firstSeq });
      else if (this.isListed(path) === undefined) this.free.push(path);
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
    this.refuseMissing(seq);
    for (const [at, { path, firstSeq }] of this.segments.entries()) {
      const nextSeq = this.segments[at + 1]?.firstSeq ?? this.lastSeq + 1;
      if (nextSeq <= seq || nextSeq <= this.trimmedSeq || nextSeq === firstSeq) continue;
      const onGap = (gap: Gap) => {
        if (gap.from >= nextSeq) return;
        refuseGap(basename(path), gap, Math.max(seq, this.trimmedSeq + 1));
        this.onPassed(
          `${path} is damaged before record ${gap.before}; the tables hold what it was`,
        );
      };
      for (const entry of readEntries(readFileSync(path), onGap))
        if (entry.seq >= seq && entry.seq > this.trimmedSeq && entry.seq < nextSeq)
          if (entry.record.length > 0) yield entry;
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

  restart(seq: number): Promise<void> {
    const restarted = this.settled.then(async () => {
      await attempt("empty the journal", () => this.empty());
      // An entry without a record marks where the journal continues.
      await this.write(seq, new Uint8Array());
    });
    this.settled = restarted.catch(() => {});
    return restarted;
  }

  async close(): Promise<void> {
    await this.settled;
    await this.coming?.catch(() => {});
    await this.open?.file.close();
  }

  private async write(seq: number, record: Uint8Array): Promise<void> {
    if (seq <= this.lastSeq) throw new PortError(`record ${seq} is in the journal already`, false);
    const size = entryHeadBytes + record.length;
    invariant(size <= segmentBytes, "a record is smaller than a segment");
    await attempt("append to the journal", async () => {
      const { open: last } = this;
      const fits = last !== undefined && last.end + size <= segmentBytes;
      const target = fits ? last : await this.startNext(seq);
      const { bytesWritten } = await target.file.writev(
        [encodeHead(seq, record), record],
        target.end,
      );
      if (bytesWritten !== size) throw new Error("the write was cut short");
      if (!target.isListed) await this.list();
      target.isListed = true;
      target.end = nextPage(target.end + size);
      const isHalfFull = target.end > segmentBytes / 2;
      // A fault can be ignored: the append that needs the segment tries again and reports it.
      if (isHalfFull && this.free.length === 0) this.prepare().catch(() => {});
    });
    this.lastSeq = seq;
  }

  /** Deletes all segments: a reused one could still hold old entries with higher numbers. */
  private async empty(): Promise<void> {
    await this.coming?.catch(() => {});
    await this.open?.file.close();
    this.open = undefined;
    const paths = [...this.segments.splice(0).map(({ path }) => path), ...this.free.splice(0)];
    this.lastSeq = 0;
    this.trimmedSeq = 0;
    await this.list();
    for (const path of paths) await unlink(path);
  }

  /** Starts another segment, whose first entry is `firstSeq`. */
  private async startNext(firstSeq: number) {
    await this.open?.file.close();
    this.open = undefined;
    if (this.free.length === 0) await this.prepare();
    const path = this.free.pop();
    invariant(path !== undefined, "a segment that was made is free");
    try {
      // Listed segments must exist, so a reused one is removed from the list before it is written.
      if (this.isListed(path) !== undefined) await this.list();
      const file = await open(path, constants.O_WRONLY | constants.O_DSYNC);
      this.open = { file, end: 0, isListed: false };
    } catch (error) {
      this.free.push(path);
      throw error;
    }
    this.segments.push({ path, firstSeq });
    return this.open;
  }

  private list(): Promise<void> {
    const list = this.segments.map(({ path, firstSeq }) => ({ name: basename(path), firstSeq }));
    this.indexed = list;
    return writeSegmentList(this.folder, list);
  }

  /** Creates a free segment before it is needed. */
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
    } catch (error) {
      await unlink(path);
      throw error;
    } finally {
      await file.close();
    }
    await syncFolder(this.folder);
    this.free.push(path);
  }

  /**
   * Segments whose first entry is incomplete hold no data; their heads are wiped, since another
   * segment may soon begin with the same number. Segments with acknowledged entries are left
   * unchanged.
   */
  private findEnd(): void {
    for (let last = this.segments.at(-1); last !== undefined; last = this.segments.at(-1)) {
      const bytes = readFileSync(last.path);
      if (isBegun(last, bytes) || this.isListed(last.path) === last.firstSeq) {
        for (const { seq } of readEntries(bytes, () => {})) this.lastSeq = seq;
        return;
      }
      this.segments.pop();
      wipeHead(last.path);
      this.free.push(last.path);
    }
  }

  /** Returns the number of the segment's first entry in the list, or undefined if not listed. */
  private isListed(path: string): number | undefined {
    return this.indexed?.find(({ name }) => name === basename(path))?.firstSeq;
  }

  /** Throws `StoreDamage` when a durable record from `seq` on is missing. */
  private refuseMissing(seq: number): void {
    const { indexed: listed = [] } = this;
    if (this.indexed === undefined && (seq > 1 || this.segments.length > 1))
      throw new StoreDamage(
        `journal/${listName} is missing, and the records it listed may be lost`,
      );
    for (const [at, { name, firstSeq }] of listed.entries()) {
      const next = listed[at + 1];
      if (next !== undefined && next.firstSeq <= Math.max(seq, this.trimmedSeq + 1)) continue;
      const segment = this.segments.find(({ path }) => basename(path) === name);
      if (segment?.firstSeq === firstSeq && (firstSeq < seq || isBegun(segment))) continue;
      const lost = next === undefined ? "all after it" : `up to record ${next.firstSeq - 1}`;
      throw new StoreDamage(
        `journal/${name} is missing, wiped or cut short, and with it record ${firstSeq} and ${lost}`,
      );
    }
    if (this.lastSeq < seq - 1)
      throw new StoreDamage(
        `the journal ends at record ${this.lastSeq}, but the tables are at ${seq - 1}: what was acknowledged after that may be lost`,
      );
  }
}

/** Whether the segment's first entry is complete. */
function isBegun({ path, firstSeq }: Segment, bytes = readFileSync(path)): boolean {
  return entryAt(bytes, 0)?.seq === firstSeq;
}

async function attempt<T>(what: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw new PortError(`could not ${what}`, true, error);
  }
}
