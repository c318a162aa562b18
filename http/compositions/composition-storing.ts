/**
 * Stores bytes as files of a composition: one object each, which is never written again. Objects
 * are reserved before they are stored, so that those of a request that ends midway are removed.
 */

import {
  type BundleFile,
  getBytesMax,
  getExtension,
  getMimeType,
  listObjects,
} from "../../actors/protocol/bundle-file.ts";
import {
  type Composition,
  compositionKey,
  type Reservation,
} from "../../actors/protocol/composition.ts";
import {
  incomingKey,
  type RemoveObjects,
  type ReserveObjects,
} from "../../actors/protocol/removal.ts";
import { invariant } from "../../engine/invariant.ts";
import { capBytes } from "../assets/stored-upload.ts";
import { expectReply } from "../problems/replies.ts";
import type { Service } from "../service.ts";

const nameBytes = 12;

/** Returns a name that is new in the composition; links take the media type from its extension. */
export function newObject({ entropy }: Service, path: string): string {
  const name = Buffer.from(entropy.bytes(nameBytes)).toString("base64url");
  const extension = getExtension(path);
  return extension === "" ? name : `${name}.${extension}`;
}

/** Files that are being added to a composition. */
export interface Incoming {
  readonly composition: Pick<Composition, "id" | "scope">;
  readonly reservation: Reservation;
  readonly objectsByPath: ReadonlyMap<string, string>;
}

/** Reserves objects for files. Throws `RefusalError` with 503. */
export async function reserve(
  service: Service,
  composition: Incoming["composition"],
  paths: readonly string[],
): Promise<Incoming> {
  const { id, scope } = composition;
  const objectsByPath = new Map(paths.map((path) => [path, newObject(service, path)]));
  const nonce = Buffer.from(service.entropy.bytes(nameBytes)).toString("latin1");
  const key = incomingKey(compositionKey(scope, id), nonce);
  const message: ReserveObjects = {
    kind: "reserve",
    keys: listKeys({ composition, objectsByPath }),
  };
  const reply = await service.gateway.ask(key, message, "work");
  const { untilMs } = expectReply(reply, "reserved");
  return { composition, reservation: { key, untilMs }, objectsByPath };
}

function listKeys({ composition, objectsByPath }: Pick<Incoming, "composition" | "objectsByPath">) {
  return [...objectsByPath.values()].map((object) => `${listObjects(composition.id)}/${object}`);
}

/** Releases stored objects; if this request gets no answer, the reservation expires. */
export async function giveUp({ gateway }: Service, incoming: Incoming): Promise<void> {
  const message: RemoveObjects = { kind: "remove", keys: listKeys(incoming) };
  await gateway.ask(incoming.reservation.key, message, "settle");
}

/** Copies a file of another composition, whose objects lie under `from`. */
export async function copyFile(
  service: Service,
  { composition, objectsByPath }: Incoming,
  from: string,
  file: BundleFile,
): Promise<BundleFile> {
  const object = objectsByPath.get(file.path);
  invariant(object !== undefined, "the file has its place");
  await service.objects.copy(from, `${listObjects(composition.id)}/${object}`);
  return { ...file, object, atMs: service.clock.nowMs() };
}

/** Throws `RefusalError` with 413 when the file has more bytes than its kind allows. */
export async function storeFile(
  service: Service,
  { composition, objectsByPath }: Incoming,
  path: string,
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  declared?: string,
): Promise<BundleFile> {
  const mime = getMimeType(path, declared);
  const object = objectsByPath.get(path);
  invariant(object !== undefined, "the file has its place");
  const key = `${listObjects(composition.id)}/${object}`;
  const { sizeBytes, sha256 } = await service.objects.put(key, capBytes(bytes, getBytesMax(mime)));
  return {
    path,
    mime,
    object,
    size: sizeBytes,
    sha256: Buffer.from(sha256, "hex").toString("base64url"),
    atMs: service.clock.nowMs(),
  };
}
