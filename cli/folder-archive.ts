import { Readable } from "node:stream";
import { createZip } from "../engine/zip.ts";

/**
 * Returns `files`, by their paths in the archive, as a ZIP archive that is read from the disk while
 * it is sent. They are stored without compression: most of a folder's bytes are media, which do not
 * shrink.
 */
export function createArchive(files: ReadonlyMap<string, string>): ReadableStream<Uint8Array> {
  const bytes = createZip([...files].map(([path, file]) => ({ path, file })));
  return Readable.toWeb(bytes) as ReadableStream<Uint8Array>;
}
