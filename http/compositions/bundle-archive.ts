/**
 * A bundle out of a ZIP archive of unknown origin. The service imports yauzl here only.
 *
 * 1. An entry's header is checked before its bytes are read: name, kind, size.
 * 2. Bytes beyond that size end the reading, so an archive never unpacks to more than allowed.
 * 3. A refused archive leaves nothing behind.
 */
import { Readable } from "node:stream";
import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader, type ZipFile } from "yauzl";
import {
  type BundleFile,
  getBytesMax,
  getMimeType,
  pathFault,
} from "../../actors/protocol/bundle-file.ts";
import type { Composition } from "../../actors/protocol/composition.ts";
import { limits } from "../../config/limits.ts";
import type { Objects } from "../../engine/ports/objects.ts";
import { PortError } from "../../engine/ports/port-error.ts";
import { requireRoom } from "../accounts/storage.ts";
import { RefusalError } from "../exchange/refusal-error.ts";
import { foreignBytes } from "../request/foreign-bytes.ts";
import type { Call } from "../route.ts";
import { giveUp, type Incoming, reserve, storeFile } from "./composition-storing.ts";
import { inTurns } from "./compositions.ts";

interface Unpacked {
  readonly files: readonly BundleFile[];
  readonly incoming: Incoming;
}

interface StoredArchive {
  readonly key: string;
  readonly sizeBytes: number;
}

/** Throws `RefusalError`: 400 for an invalid archive or bundle, 413 beyond the limits. */
export async function unpackArchive(
  call: Call,
  composition: Composition,
  { key, sizeBytes }: StoredArchive,
): Promise<Unpacked> {
  const { service } = call;
  const files: BundleFile[] = [];
  let incoming: Incoming | undefined;
  try {
    const reader = new ObjectReader(service.objects, key);
    const zip = await fromRandomAccessReaderPromise(reader, sizeBytes, {
      autoClose: false,
      lazyEntries: true,
      decodeStrings: true,
      validateEntrySizes: true,
      strictFileNames: true,
    });
    const entries = await readEntries(zip);
    refuseOverlaps([...entries.values()], sizeBytes);
    requireRoom(call, sumBytes([...entries.values()]));
    const reserved = await reserve(service, composition, [...entries.keys()]);
    incoming = reserved;
    await inTurns([...entries], async ([path, entry]) => {
      const bytes = await zip.openReadStreamPromise(entry);
      files.push(await storeFile(service, reserved, path, foreignBytes(bytes)));
    });
    return { files, incoming };
  } catch (error) {
    if (incoming !== undefined) await giveUp(service, incoming);
    if (error instanceof RefusalError || error instanceof PortError) throw error;
    const says = error instanceof Error ? error.message : "it cannot be read";
    throw Object.assign(refuseArchive(`the body is not a readable ZIP archive: ${says}`), {
      cause: error,
    });
  }
}

class ObjectReader extends RandomAccessReader {
  private readonly objects: Objects;
  private readonly key: string;

  constructor(objects: Objects, key: string) {
    super();
    this.objects = objects;
    this.key = key;
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(this.objects.read(this.key, { start, end }), { objectMode: false });
  }
}

/** Reads the archive's directory. Returns the entries to unpack, by path. */
async function readEntries(zip: ZipFile): Promise<ReadonlyMap<string, Entry>> {
  const { filesMax, bytesMax } = limits.compositions;
  // Twice as many entries are allowed, because folders may have entries of their own.
  if (zip.entryCount > 2 * filesMax) throw tooMany();
  const byPath = new Map<string, Entry>();
  let bytes = 0;
  for await (const entry of zip.eachEntry()) {
    const path = entry.fileName.normalize("NFC");
    const fault = findFault(path, entry);
    if (fault !== undefined) throw refuseArchive(`the entry ${JSON.stringify(path)} ${fault}`);
    if (isFolder(path)) continue;
    if (byPath.has(path)) throw refuseArchive(`the entry ${JSON.stringify(path)} appears twice`);
    byPath.set(path, entry);
    bytes += entry.uncompressedSize;
    const most = getBytesMax(getMimeType(path, undefined));
    if (entry.uncompressedSize > most)
      throw new RefusalError({ code: "payload_too_large", limitBytes: most });
    if (bytes > bytesMax)
      throw new RefusalError({ code: "payload_too_large", limitBytes: bytesMax });
    if (byPath.size > filesMax) throw tooMany();
  }
  return byPath;
}

function sumBytes(entries: readonly Entry[]): number {
  return entries.reduce((sum, { uncompressedSize }) => sum + uncompressedSize, 0);
}

/** Minimum size of an entry besides its data: its local header, followed by its name again. */
const localHeaderBytes = 30;

/**
 * Refuses entries that share bytes, by which a small archive could become a large bundle. Throws
 * `RefusalError` with 400.
 */
function refuseOverlaps(entries: readonly Entry[], archiveBytes: number): void {
  const inOrder = [...entries].sort(
    (one, other) => one.relativeOffsetOfLocalHeader - other.relativeOffsetOfLocalHeader,
  );
  for (const [n, entry] of inOrder.entries()) {
    const { relativeOffsetOfLocalHeader: start, fileNameLength, compressedSize } = entry;
    const end = start + localHeaderBytes + fileNameLength + compressedSize;
    const next = inOrder[n + 1]?.relativeOffsetOfLocalHeader ?? archiveBytes;
    if (end > next)
      throw refuseArchive(`the entry ${JSON.stringify(entry.fileName)} overlaps another entry`);
  }
}

function isFolder(path: string): boolean {
  return path.endsWith("/");
}

const kindBits = 0o170000;
const plainKinds = [0, 0o040000, 0o100000];
/** The accepted compression methods of ZIP: stored and deflated. */
const methods = [0, 8];

function findFault(path: string, entry: Entry): string | undefined {
  const kind = (entry.externalFileAttributes >>> 16) & kindBits;
  if (!plainKinds.includes(kind)) return "is a link or another special file";
  if (entry.isEncrypted()) return "is encrypted";
  if (!methods.includes(entry.compressionMethod)) return "uses an unsupported compression method";
  return pathFault(isFolder(path) ? path.slice(0, -1) : path);
}

function refuseArchive(detail: string): RefusalError {
  return new RefusalError({ code: "validation", faults: [{ pointer: "", detail }] });
}

function tooMany(): RefusalError {
  const { filesMax, bytesMax } = limits.compositions;
  const detail = `A composition may have at most ${filesMax} files.`;
  return new RefusalError({ code: "payload_too_large", limitBytes: bytesMax, detail });
}
