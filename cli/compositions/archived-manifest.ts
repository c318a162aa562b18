import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { openPromise } from "yauzl";
import type { ExportManifest } from "../../contract/composition.ts";
import { CommandError } from "../command.ts";

const manifestBytesMax = 64 * 1024 ** 2;

/** Reads the manifest of a saved export. The service guarantees its shape. */
export async function readManifest(path: string): Promise<ExportManifest> {
  const archive = await openPromise(path, { lazyEntries: true, autoClose: false });
  try {
    for await (const entry of archive.eachEntry()) {
      if (entry.fileName !== "manifest.json" || entry.uncompressedSize > manifestBytesMax) continue;
      const bytes = await buffer(Readable.from(await archive.openReadStreamPromise(entry)));
      return JSON.parse(bytes.toString("utf8")) as ExportManifest;
    }
  } finally {
    archive.close();
  }
  throw new CommandError(`${path} does not contain manifest.json.`);
}
