/** How bytes become a file of a composition: one object each, which is never written again. */
import {
  type BundleFile,
  bytesMaxOf,
  extensionOf,
  mimeTypeOf,
  objectsOf,
} from "../actors/composition/bundle-file.ts";
import type { Id } from "../engine/id.ts";
import type { Service } from "./service.ts";
import { capped } from "./stored-upload.ts";

const nameBytes = 12;

/** A name that no object of the composition has; the extension tells links the media type. */
export function newObject({ entropy }: Service, path: string): string {
  const name = Buffer.from(entropy.bytes(nameBytes)).toString("base64url");
  const extension = extensionOf(path);
  return extension === "" ? name : `${name}.${extension}`;
}

/** Throws `RefusalError` with 413 for more bytes than its kind may have; nothing is left then. */
export async function storeFile(
  service: Service,
  composition: Id,
  path: string,
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  declared?: string,
): Promise<BundleFile> {
  const mime = mimeTypeOf(path, declared);
  const object = newObject(service, path);
  const key = `${objectsOf(composition)}/${object}`;
  const { sizeBytes, sha256 } = await service.objects.put(key, capped(bytes, bytesMaxOf(mime)));
  return {
    path,
    mime,
    object,
    size: sizeBytes,
    sha256: Buffer.from(sha256, "hex").toString("base64url"),
    atMs: service.clock.nowMs(),
  };
}
