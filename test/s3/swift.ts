/** A real S3 server for tests: Debian's OpenStack Swift, which checks signatures. */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import type { Test } from "tap";
import { defined } from "../../config/defined.ts";
import type { ObjectStore } from "../../config/settings.ts";

/** The system's own, which has the packages of `config/setup`. */
const python = "/usr/bin/python3";
const program = join(import.meta.dirname, "swift-server.py");

export interface Swift {
  /** Its bucket is not there yet. */
  readonly store: ObjectStore;
  /** Resolves when the server and all that it kept are gone. */
  close(): Promise<void>;
}

/** It ends with this process at the latest. Throws what it said when it does not start. */
export async function startSwift(): Promise<Swift> {
  const [accessKey, secretKey] = ["klieg:test", randomUUID()];
  const args = [program, accessKey, secretKey];
  const child = spawn(python, args, {
    env: defined({ TMPDIR: process.env["TMPDIR"] }),
    stdio: ["pipe", "pipe", "pipe"],
  });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said = `${said}${text}`.slice(-10_000);
  });
  // Its end closes the pipe.
  child.stdin.on("error", () => undefined);
  const ended = once(child, "close");
  const close = async () => {
    child.stdin.end();
    await ended;
  };
  const port = await Promise.race([
    once(child.stdout.setEncoding("utf8"), "data").then(([line]) => Number(line)),
    ended.then(() => undefined),
  ]);
  if (port === undefined) {
    await close();
    throw new Error(`Swift did not start: ${said}`);
  }
  const endpoint = `http://127.0.0.1:${port}`;
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
export function namedStore(): ObjectStore | undefined {
  const endpoint = process.env["KLIEG_TEST_S3_ENDPOINT"];
  const accessKey = process.env["KLIEG_TEST_S3_ACCESS_KEY"];
  const secretKey = process.env["KLIEG_TEST_S3_SECRET_KEY"];
  const region = process.env["KLIEG_TEST_S3_REGION"] ?? "us-east-1";
  if (endpoint === undefined || accessKey === undefined || secretKey === undefined)
    return undefined;
  const bucket = process.env["KLIEG_TEST_S3_BUCKET"] ?? `klieg-${randomUUID()}`;
  return { endpoint, bucket, accessKey, secretKey, region };
}
