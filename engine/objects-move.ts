/**
 * Brings all objects of one store to another. What arrives is read back and compared by size and
 * SHA-256; what is there already with equal bytes is not sent again, so that an interrupted move
 * goes on where it was. Nothing may write to either store meanwhile.
 */
import { createHash } from "node:crypto";
import { type ListedObject, type Objects, volatileRoot } from "./ports/objects.ts";
import { PortError } from "./ports/port-error.ts";

/** Number of objects that are moved at the same time. */
const width = 8;
const attemptsMax = 3;
const whole = { start: 0, end: Number.MAX_SAFE_INTEGER };

export interface Moved {
  /** Number of objects that were copied, and of those that were at the destination already. */
  readonly sent: number;
  readonly found: number;
  /** Total bytes of both kinds. */
  readonly bytes: number;
}

/** Calls `onMoved` after each object. Throws `PortError`; what was moved stays. */
export async function moveObjects(
  from: Objects,
  to: Objects,
  onMoved: (moved: Moved) => void,
): Promise<Moved> {
  let moved: Moved = { sent: 0, found: 0, bytes: 0 };
  await forEachObject(from, async (object) => {
    const isSent = await bring(from, to, object);
    const { sent, found, bytes } = moved;
    moved = {
      sent: sent + (isSent ? 1 : 0),
      found: found + (isSent ? 0 : 1),
      bytes: bytes + object.sizeBytes,
    };
    onMoved(moved);
  });
  return moved;
}

/** Removes all objects that a move copies elsewhere. Throws `PortError`. */
export async function removeObjects(objects: Objects): Promise<void> {
  await forEachObject(objects, ({ key }) => objects.remove(key));
}

/** Skips volatile objects. After a first error, rejects once no other call is running. */
async function forEachObject(
  objects: Objects,
  work: (object: ListedObject) => Promise<void>,
): Promise<void> {
  const listing = objects.list()[Symbol.asyncIterator]();
  let failed = false;
  const lane = async () => {
    while (!failed) {
      const { value, done } = await listing.next();
      if (done === true) return;
      if (!value.key.startsWith(`${volatileRoot}/`)) await work(value);
    }
  };
  const lanes = Array.from({ length: width }, () =>
    lane().catch((error: unknown) => {
      failed = true;
      throw error;
    }),
  );
  const results = await Promise.allSettled(lanes);
  await listing.return?.();
  for (const result of results) if (result.status === "rejected") throw result.reason;
}

/** Copies an object; false when it was there already. An interrupted read is begun again. */
async function bring(from: Objects, to: Objects, object: ListedObject): Promise<boolean> {
  for (let attempt = 1; ; attempt++)
    try {
      return await bringOnce(from, to, object);
    } catch (error) {
      const mayPass = error instanceof PortError && error.retryable;
      if (!mayPass || attempt === attemptsMax) throw error;
    }
}

async function bringOnce(
  from: Objects,
  to: Objects,
  { key, sizeBytes }: ListedObject,
): Promise<boolean> {
  const there = await to.stat(key);
  if (there?.sizeBytes === sizeBytes) {
    const [own, other] = await Promise.all([digest(from, key), digest(to, key)]);
    if (own === other) return false;
  }
  const stored = await to.put(key, from.read(key, whole));
  if (stored.sizeBytes !== sizeBytes || (await digest(to, key)) !== stored.sha256)
    throw new PortError(`object ${key}: what was stored is not what was sent`, true);
  return true;
}

async function digest(objects: Objects, key: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of objects.read(key, whole)) hash.update(chunk);
  return hash.digest("hex");
}
