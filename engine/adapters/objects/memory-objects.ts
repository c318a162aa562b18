import { createHash } from "node:crypto";
import type { Objects } from "../../ports/objects.ts";
import { PortError } from "../../ports/port-error.ts";
import { checkObjectKey } from "./object-key.ts";

const chunkBytesMax = 65_536;

/** In-memory version of the disk adapter; its objects live as long as the returned value. */
export function memoryObjects(): Objects {
  const bytesByKey = new Map<string, Uint8Array>();
  return {
    async put(key, bytes) {
      checkObjectKey(key);
      const chunks: Uint8Array[] = [];
      for await (const chunk of bytes) chunks.push(chunk.slice());
      const whole = Buffer.concat(chunks);
      bytesByKey.set(key, whole);
      return {
        sizeBytes: whole.length,
        sha256: createHash("sha256").update(whole).digest("hex"),
      };
    },
    async stat(key) {
      checkObjectKey(key);
      const bytes = bytesByKey.get(key);
      if (bytes === undefined) return undefined;
      const tag = createHash("sha256").update(bytes).digest("hex");
      return { sizeBytes: bytes.length, version: { tag, modifiedMs: 0 } };
    },
    async *read(key, range) {
      checkObjectKey(key);
      const bytes = bytesByKey.get(key);
      if (bytes === undefined) throw new PortError(`there is no object ${key}`, false);
      const end = Math.min(range.end, bytes.length);
      for (let at = range.start; at < end; at += chunkBytesMax)
        yield bytes.slice(at, Math.min(end, at + chunkBytesMax));
    },
    async link(key) {
      checkObjectKey(key);
      return undefined;
    },
    async copy(from, to) {
      checkObjectKey(from);
      checkObjectKey(to);
      const bytes = bytesByKey.get(from);
      if (bytes === undefined) throw new PortError(`there is no object ${from}`, false);
      bytesByKey.set(to, bytes);
    },
    async remove(key) {
      checkObjectKey(key);
      bytesByKey.delete(key);
    },
    async *list(folder) {
      if (folder !== undefined) checkObjectKey(folder);
      for (const [key, { length }] of [...bytesByKey])
        if (folder === undefined || key.startsWith(`${folder}/`)) yield { key, sizeBytes: length };
    },
  };
}
