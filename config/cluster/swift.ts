/** An S3 server where MinIO is not installed: Debian's OpenStack Swift, which checks signatures. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { omitUndefined } from "../defined.ts";

/** The system's own Python, which has the packages that `config/setup` installs. */
const python = "/usr/bin/python3";
const program = join(import.meta.dirname, "swift-server.py");

export interface SwiftOptions {
  /** The access key, in the form `account:user`. */
  readonly accessKey: string;
  readonly secretKey: string;
  /** Where the server keeps its objects; without a place they are lost when it ends. */
  readonly place?: { readonly folder: string; readonly port: number };
}

export interface Swift {
  readonly endpoint: string;
  readonly ended: Promise<void>;
  /** Stops the server; resolves when it is gone. */
  close(): Promise<void>;
}

/** The server ends with this process at the latest. Throws its output if it does not start. */
export async function serveSwift({ accessKey, secretKey, place }: SwiftOptions): Promise<Swift> {
  const args = place === undefined ? [] : [place.folder, `${place.port}`];
  const child = spawn(python, [program, ...args], {
    env: omitUndefined({ TMPDIR: process.env["TMPDIR"] }),
    stdio: ["pipe", "pipe", "pipe"],
    // Control-C is handled by the process that started the server.
    detached: true,
  });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said = `${said}${text}`.slice(-10_000);
  });
  // The pipe closes when the server ends, which is no fault.
  child.stdin.on("error", () => undefined);
  child.stdin.write(`${accessKey} ${secretKey}\n`);
  const ended = once(child, "close").then(() => undefined);
  const close = () => {
    child.stdin.end();
    return ended;
  };
  const port = await Promise.race([
    once(child.stdout.setEncoding("utf8"), "data").then(([line]) => Number(line)),
    ended,
  ]);
  if (port === undefined) throw new Error(`Swift did not start: ${said}`);
  return { endpoint: `http://127.0.0.1:${port}`, ended, close };
}
