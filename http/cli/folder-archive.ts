import { Readable } from "node:stream";
import { ZipFile } from "yazl";

/**
 * `files`, by their paths in the archive, as a ZIP archive that is read from the disk while it is
 * sent. They are stored as they are: most of a folder's bytes are media, which do not shrink.
 */
export function archiveOf(files: ReadonlyMap<string, string>): ReadableStream<Uint8Array> {
  const archive = new ZipFile();
  const bytes = new Readable().wrap(archive.outputStream);
  archive.on("error", (fault: Error) => bytes.destroy(fault));
  for (const [path, file] of files) archive.addFile(file, path, { compress: false });
  archive.end();
  return Readable.toWeb(bytes) as ReadableStream<Uint8Array>;
}
