/** Writes ZIP archives as streams; this is the only file that imports yazl. */
import { Readable } from "node:stream";
import { ZipFile } from "yazl";

/** A file on the disk that is stored as it is, or bytes that are produced when they are needed. */
export type ZipEntry =
  | { readonly path: string; readonly file: string }
  | { readonly path: string; readonly bytes: () => Uint8Array; readonly atMs: number };

/** Equal entries give equal bytes, except for the modification times of files on the disk. */
export function createZip(entries: Iterable<ZipEntry>): Readable {
  const archive = new ZipFile();
  const bytes = Readable.from(archive.outputStream, { objectMode: false });
  archive.on("error", (fault: Error) => bytes.destroy(fault));
  for (const entry of entries)
    if ("file" in entry) archive.addFile(entry.file, entry.path, { compress: false });
    else {
      const options = { mtime: zoneless(entry.atMs), forceDosTimestamp: true };
      archive.addReadStreamLazy(entry.path, options, (give) => {
        give(null, Readable.from([entry.bytes()], { objectMode: false }));
      });
    }
  archive.end();
  return bytes;
}

/** ZIP times have no zone, and yazl writes them in the machine's zone: this makes them UTC. */
function zoneless(atMs: number): Date {
  return new Date(atMs + new Date(atMs).getTimezoneOffset() * 60_000);
}
