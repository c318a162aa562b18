import type { Objects } from "../../engine/ports/objects.ts";

/** Throws `PortError` when it is not there. */
export async function readWhole(objects: Objects, key: string, sizeBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of objects.read(key, { start: 0, end: sizeBytes })) chunks.push(chunk);
  return Buffer.concat(chunks);
}
