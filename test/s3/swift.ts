/** A real S3 server for tests: Debian's OpenStack Swift, which checks signatures. */
import { randomUUID } from "node:crypto";
import type { Test } from "tap";
import { serveSwift } from "../../cli/cluster/swift.ts";
import type { ObjectStore } from "../../config/settings.ts";

export interface Swift {
  /** Its bucket is not there yet. */
  readonly store: ObjectStore;
  /** Resolves when the server and all that it kept are gone. */
  close(): Promise<void>;
}

/** It ends with this process at the latest. */
export async function startSwift(): Promise<Swift> {
  const [accessKey, secretKey] = ["klieg:test", randomUUID()];
  const { endpoint, close } = await serveSwift({ accessKey, secretKey });
  const bucket = `klieg-${randomUUID()}`;
  return { store: { endpoint, bucket, accessKey, secretKey, region: "us-east-1" }, close };
}

/** For one test. */
export async function swiftStore(t: Test): Promise<ObjectStore> {
  const { store, close } = await startSwift();
  t.teardown(close);
  return store;
}

/** Another S3 server, which `KLIEG_TEST_S3_ENDPOINT` and its like name. */
export function findNamedStore(): ObjectStore | undefined {
  const endpoint = process.env["KLIEG_TEST_S3_ENDPOINT"];
  const accessKey = process.env["KLIEG_TEST_S3_ACCESS_KEY"];
  const secretKey = process.env["KLIEG_TEST_S3_SECRET_KEY"];
  const region = process.env["KLIEG_TEST_S3_REGION"] ?? "us-east-1";
  if (endpoint === undefined || accessKey === undefined || secretKey === undefined)
    return undefined;
  const bucket = process.env["KLIEG_TEST_S3_BUCKET"] ?? `klieg-${randomUUID()}`;
  return { endpoint, bucket, accessKey, secretKey, region };
}
