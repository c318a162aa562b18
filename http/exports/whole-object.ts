import type { Objects } from "../../engine/ports/objects.ts";

/** Reads a whole object. Throws `PortError` when it does not exist. */
export async function readWhole(objects: Objects, key: string, sizeBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of objects.read(key, { start: 0, end: sizeBytes })) chunks.push(chunk);
  return Buffer.concat(chunks);
}
