/**
 * The requests of S3 that Klieg makes, by the `minio` client, which signs them, and reads the
 * answers' XML. Each is tried again while the store is only briefly away, and throws `S3Fault`.
 *
 * What the client makes of several requests is not used: its stream upload joins another upload of
 * the same key that is under way and never learns that its source failed, and its copy of more than
 * 5 GiB writes each part over the one before.
 */
import { createHash } from "node:crypto";
import { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { Client } from "minio";
import type { ObjectStore } from "../../../config/settings.ts";
import type { ByteRange } from "../../ports/objects.ts";
import { createFault, S3Fault } from "./faults.ts";
import { openTransport, type TransportBounds } from "./transport.ts";

export interface S3Bounds extends TransportBounds {
  /** Size of each part but the last; at least 5 MiB. An object has at most ten thousand parts. */
  readonly partBytes: number;
  /** Objects larger than this are copied in parts of this size. S3 allows 5 GiB. */
  readonly copyBytes: number;
}

export const s3Bounds: S3Bounds = {
  connectMs: 5_000,
  silenceMs: 20_000,
  assemblyMs: 600_000,
  partBytes: 8 * 1024 * 1024,
  copyBytes: 1024 ** 3,
};

const attemptsMax = 3;
const firstPauseMs = 150;
const contentType = "application/octet-stream";
const absentCodes: ReadonlySet<string> = new Set(["NoSuchKey", "NotFound"]);

export interface StoredPart {
  readonly part: number;
  readonly etag: string;
}

export interface PartPlace {
  readonly key: string;
  readonly uploadID: string;
  readonly partNumber: number;
}

export interface FoundObject {
  readonly sizeBytes: number;
  readonly etag: string;
  readonly modifiedMs?: number;
}

export interface ListedEntry {
  readonly key: string;
  readonly sizeBytes: number;
  readonly modifiedMs: number;
}

export interface ListedPage {
  readonly objects: readonly ListedEntry[];
  /** Token at which the next page begins; undefined on the last page. */
  readonly next: string | undefined;
}

export interface LifecycleRule {
  readonly ID: string;
  readonly Status: "Enabled";
  readonly Filter: { readonly Prefix: string };
  readonly Expiration?: { readonly Days: number };
  readonly AbortIncompleteMultipartUpload?: { readonly DaysAfterInitiation: number };
}

export type S3Requests = ReturnType<typeof openRequests>;

export function openRequests(store: ObjectStore, bounds: S3Bounds = s3Bounds) {
  const { bucket, region, accessKey, secretKey } = store;
  const { protocol, hostname, port } = new URL(store.endpoint);
  const isSecure = protocol === "https:";
  const client = new Client({
    endPoint: hostname.replace(/^\[|\]$/g, ""),
    ...(port === "" ? {} : { port: Number(port) }),
    useSSL: isSecure,
    accessKey,
    secretKey,
    region,
    partSize: bounds.partBytes,
    transport: openTransport(isSecure, bounds),
    retryOptions: { disableRetry: true },
  });
  const target: Target = { client, bucket, region, isSecure };
  return {
    bounds,
    ...objectRequests(target),
    ...uploadRequests(target),
    ...bucketRequests(target),
  };
}

interface Target {
  readonly client: Client;
  readonly bucket: string;
  readonly region: string;
  readonly isSecure: boolean;
}

function objectRequests({ client, bucket }: Target) {
  return {
    put: (key: string, bytes: Buffer, sha256: string) =>
      ask(() => client.putObject(bucket, key, bytes, bytes.length, { contentType, sha256 })),
    stat: (key: string) =>
      unlessAbsent(
        ask(async (): Promise<FoundObject> => {
          const { size, etag, lastModified } = await client.statObject(bucket, key);
          return { sizeBytes: whole(size), etag, modifiedMs: lastModified.getTime() };
        }),
      ),
    /** Undefined when there is no such object; reads nothing when it ends before `start`. */
    get: (key: string, start: number, end: number) =>
      unlessAbsent(ask(() => get(client, bucket, key, start, end))),
    remove: (key: string) => unlessAbsent(ask(() => client.removeObject(bucket, key))),
    copy: (from: string, to: string) =>
      unlessAbsent(ask(() => client.copyObject(bucket, to, `/${bucket}/${from}`), true)),
    sign: (method: "GET" | "PUT", key: string, seconds: number) =>
      client.presignedUrl(method, bucket, key, seconds),
  };
}

/** Requests that upload one object in parts, which are numbered from 1. */
function uploadRequests({ client, bucket: bucketName, isSecure }: Target) {
  // Without TLS the signature covers the bytes; with TLS this checksum does.
  const getChecksum = (bytes: Buffer): Record<string, string> =>
    isSecure ? { "Content-MD5": createHash("md5").update(bytes).digest("base64") } : {};
  return {
    begin: (objectName: string) =>
      ask(() =>
        client.initiateNewMultipartUpload(bucketName, objectName, { "Content-Type": contentType }),
      ),
    uploadPart: ({ key: objectName, uploadID, partNumber }: PartPlace, bytes: Buffer) =>
      ask(() => {
        const place = { bucketName, objectName, uploadID, partNumber };
        return client.uploadPart({ ...place, headers: getChecksum(bytes) }, bytes);
      }),
    /** Copies the bytes `[start, end)` of `from` as one part. */
    copyPart: (
      { key: objectName, uploadID, partNumber }: PartPlace,
      from: string,
      range: ByteRange,
    ) =>
      ask(() => {
        const headers = {
          "x-amz-copy-source": `/${bucketName}/${from}`,
          "x-amz-copy-source-range": `bytes=${range.start}-${range.end - 1}`,
        };
        return client.uploadPart({ bucketName, objectName, uploadID, partNumber, headers });
      }, true),
    complete: (objectName: string, uploadID: string, parts: readonly StoredPart[]) =>
      ask(() => client.completeMultipartUpload(bucketName, objectName, uploadID, [...parts]), true),
    abort: (objectName: string, uploadID: string) =>
      ask(() => client.abortMultipartUpload(bucketName, objectName, uploadID)),
    /** Lists up to a thousand uploads that were begun and are not complete. */
    uploads: () => ask(() => listUploads(client, bucketName)),
  };
}

function bucketRequests({ client, bucket, region }: Target) {
  return {
    list: (prefix: string, from = "", keysMax = 1_000) =>
      ask(async () =>
        toListedPage(await client.listObjectsV2Query(bucket, prefix, from, "", keysMax, "")),
      ),
    makeBucket: () => ask(() => client.makeBucket(bucket, region)),
    lifecycle: () => ask(() => client.getBucketLifecycle(bucket)),
    setLifecycle: (rules: readonly LifecycleRule[]) =>
      ask(() => client.setBucketLifecycle(bucket, { Rule: [...rules] })),
  };
}

/** `isAssembly`: the store may send the head of its answer and still fail later. */
async function ask<T>(work: () => Promise<T>, isAssembly = false): Promise<T> {
  for (let attempt = 1; ; attempt++)
    try {
      return await work();
    } catch (error) {
      const fault = createFault(error, isAssembly);
      if (!fault.isBrief || attempt === attemptsMax) throw fault;
      await pause(firstPauseMs * 4 ** (attempt - 1) * (1 + Math.random()));
    }
}

async function unlessAbsent<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof S3Fault && absentCodes.has(error.code)) return undefined;
    throw error;
  }
}

async function get(
  client: Client,
  bucket: string,
  key: string,
  start: number,
  end: number,
): Promise<Readable | "nothing"> {
  try {
    const answer = await client.getPartialObject(bucket, key, start, end - start);
    if (answer instanceof IncomingMessage && beginsAt(answer) === start) return answer;
    answer.destroy();
    throw new S3Fault("The object store sent different bytes than requested.", "");
  } catch (error) {
    if (createFault(error).code === "InvalidRange") return "nothing";
    throw error;
  }
}

async function listUploads(client: Client, bucket: string) {
  try {
    // Swift reads an empty delimiter as one that every key has; none of our keys has this one.
    return (await client.listIncompleteUploadsQuery(bucket, "", "", "", "~")).uploads;
  } catch (error) {
    if (createFault(error).retryable) throw error;
    // MinIO accepts no such delimiter, and abandons incomplete uploads by itself.
    return [];
  }
}

function beginsAt({ statusCode, headers }: IncomingMessage): number {
  if (statusCode === 200) return 0;
  return Number(/^bytes (\d+)-/.exec(headers["content-range"] ?? "")?.[1]);
}

/** Checks a listing's page and returns what is needed of it. */
function toListedPage(page: Awaited<ReturnType<Client["listObjectsV2Query"]>>): ListedPage {
  const { objects, isTruncated, nextContinuationToken } = page;
  return {
    objects: objects.flatMap((object) =>
      object.name === undefined
        ? []
        : [
            {
              key: object.name,
              sizeBytes: whole(object.size),
              modifiedMs: object.lastModified.getTime(),
            },
          ],
    ),
    next: isTruncated && nextContinuationToken !== "" ? String(nextContinuationToken) : undefined,
  };
}

function whole(size: number): number {
  if (Number.isSafeInteger(size) && size >= 0) return size;
  throw new S3Fault("The object store did not report the size of an object.", "");
}
