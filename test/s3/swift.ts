/** A real S3 server for tests: Debian's OpenStack Swift, which checks signatures. */
import { randomUUID } from "node:crypto";
import type { Test } from "tap";
import { serveSwift } from "../../config/cluster/swift.ts";
import type { ObjectStore } from "../../config/settings.ts";

export interface Swift {
  /** Object store whose bucket does not exist yet. */
  readonly store: ObjectStore;
  /** Ends the server; resolves when it and all that it kept are gone. */
  close(): Promise<void>;
}

/** Starts a server, which ends with this process at the latest. */
export async function startSwift(): Promise<Swift> {
  const [accessKey, secretKey] = ["klieg:test", randomUUID()];
  const { endpoint, close } = await serveSwift({ accessKey, secretKey });
  const bucket = `klieg-${randomUUID()}`;
  return { store: { endpoint, bucket, accessKey, secretKey, region: "us-east-1" }, close };
}

/** Starts a server for one test. */
export async function swiftStore(t: Test): Promise<ObjectStore> {
  const { store, close } = await startSwift();
  t.teardown(close);
  return store;
}

/** Returns another S3 server, if `TEST_S3_ENDPOINT` and its like name one. */
export function findNamedStore(): ObjectStore | undefined {
  const endpoint = process.env["TEST_S3_ENDPOINT"];
  const accessKey = process.env["TEST_S3_ACCESS_KEY"];
  const secretKey = process.env["TEST_S3_SECRET_KEY"];
  const region = process.env["TEST_S3_REGION"] ?? "us-east-1";
  if (endpoint === undefined || accessKey === undefined || secretKey === undefined)
    return undefined;
  const bucket = process.env["TEST_S3_BUCKET"] ?? `klieg-${randomUUID()}`;
  return { endpoint, bucket, accessKey, secretKey, region };
}
