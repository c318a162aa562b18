/**
 * Makes a bucket fit for use when the service starts: it is there, objects can be put, got and
 * removed, and what is volatile or half uploaded goes away after a day. The store does that by a
 * lifecycle rule; where it has none, or has rules of the operator's, the start does it.
 *
 * Another node may be using the bucket, so nothing younger than a day is touched.
 */
import { randomUUID } from "node:crypto";
import { volatileRoot } from "../../ports/objects.ts";
import { createFault, S3Fault } from "./faults.ts";
import type { LifecycleRule, S3Requests } from "./requests.ts";
import { s3Objects } from "./s3-objects.ts";

const dayMs = 86_400_000;
const ruleName = "klieg-volatile";
const uploadsRuleName = "klieg-uploads";

const volatileRule: LifecycleRule = {
  ID: ruleName,
  Status: "Enabled",
  Filter: { Prefix: `${volatileRoot}/` },
  Expiration: { Days: 1 },
};
const uploadsRule: LifecycleRule = {
  ID: uploadsRuleName,
  Status: "Enabled",
  Filter: { Prefix: "" },
  AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 },
};

/**
 * Throws `PortError` with a sentence for the operator; `warn` is called with each shortcoming that
 * does not keep the bucket from being used.
 */
export async function prepareBucket(
  s3: S3Requests,
  nowMs: number,
  warn: (sentence: string) => void,
): Promise<void> {
  await ensureBucket(s3);
  await tryBucket(s3);
  if (await expires(s3)) return;
  warn(
    "the object store removes nothing by itself, so old volatile objects are removed at each start",
  );
  await removeOld(s3, nowMs - dayMs);
}

async function ensureBucket(s3: S3Requests): Promise<void> {
  try {
    await s3.list("", "", 1);
  } catch (error) {
    if (getCode(error) !== "NoSuchBucket") throw error;
    await s3.makeBucket().catch((refusal: unknown) => {
      // Another node created the bucket first.
      if (getCode(refusal) !== "BucketAlreadyOwnedByYou") throw refusal;
    });
  }
}

/** Writes a test object, because the right to list does not include the right to write. */
async function tryBucket(s3: S3Requests): Promise<void> {
  const objects = s3Objects(s3);
  const key = `${volatileRoot}/start/${randomUUID()}`;
  const bytes = Buffer.from(key);
  await objects.put(key, [bytes]);
  const chunks: Uint8Array[] = [];
  for await (const chunk of objects.read(key, { start: 0, end: bytes.length })) chunks.push(chunk);
  if (!Buffer.concat(chunks).equals(bytes))
    throw new S3Fault("The object store returned different bytes than were stored.", "");
  await objects.remove(key);
}

/** Whether the store itself removes old objects. The operator's own rules stay as they are. */
async function expires(s3: S3Requests): Promise<boolean> {
  try {
    const found = await readRules(s3);
    if (found.length > 0) return found.includes(ruleName);
    await s3.setLifecycle([volatileRule, uploadsRule]).catch(async (error: unknown) => {
      if (createFault(error).retryable) throw error;
      // MinIO has no such rule for uploads, and abandons them after a day by itself.
      await s3.setLifecycle([volatileRule]);
    });
    return true;
  } catch (error) {
    if (createFault(error).retryable) throw error;
    return false;
  }
}

/** The names of the bucket's rules. */
async function readRules(s3: S3Requests): Promise<readonly string[]> {
  try {
    const rules: unknown = (await s3.lifecycle())?.Rule ?? [];
    const all: readonly unknown[] = Array.isArray(rules) ? rules : [rules];
    return all.map((rule) => String((rule as { readonly ID?: unknown } | null)?.ID));
  } catch (error) {
    if (getCode(error) === "NoSuchLifecycleConfiguration") return [];
    throw error;
  }
}

async function removeOld(s3: S3Requests, beforeMs: number): Promise<void> {
  for (let from: string | undefined = ""; from !== undefined; ) {
    const page = await s3.list(`${volatileRoot}/`, from);
    for (const { key, modifiedMs } of page.objects) if (modifiedMs < beforeMs) await s3.remove(key);
    from = page.next;
  }
  for (const { key, uploadId, initiated } of await s3.uploads())
    if (initiated.getTime() < beforeMs) await s3.abort(key, uploadId);
}

function getCode(error: unknown): string {
  return error instanceof S3Fault ? error.code : "";
}
