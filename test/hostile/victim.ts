/** A running service that hostile bytes are sent to, and the checks that it must pass. */
import { existsSync, readdirSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Test } from "tap";
import { ask, createOwners } from "../crash/accounts.ts";
import { type Environment, type Klieg, startKlieg } from "../crash/klieg-process.ts";

export class Victim {
  readonly klieg: Klieg;
  readonly token: string;
  private readonly dataDir: string;

  constructor(klieg: Klieg, token: string, dataDir: string) {
    this.klieg = klieg;
    this.token = token;
    this.dataDir = dataDir;
  }

  /** Sends a request; resolves to the status, or to 0 if the connection closed unanswered. */
  async send(
    method: string,
    path: string,
    body: Uint8Array | string,
    mediaType: string,
  ): Promise<number> {
    try {
      const reply = await fetch(`http://127.0.0.1:${this.klieg.port}${path}`, {
        method,
        headers: { authorization: `Bearer ${this.token}`, "content-type": mediaType },
        body: typeof body === "string" ? body : new Uint8Array(body),
        redirect: "manual",
      });
      await reply.arrayBuffer();
      return reply.status;
    } catch (error) {
      if (this.klieg.child.exitCode !== null) throw error;
      return 0;
    }
  }

  /** Sends the bytes and disconnects. Resolves when the connection is closed. */
  abort(bytes: Uint8Array | string): Promise<void> {
    return new Promise((resolve) => {
      const socket = connect(this.klieg.port, "127.0.0.1");
      socket.on("error", () => {});
      socket.on("close", () => resolve());
      socket.write(bytes, () => socket.resetAndDestroy());
    });
  }

  head(method: string, path: string, bodyBytes: number, mediaType: string): string {
    return (
      `${method} ${path} HTTP/1.1\r\nHost: klieg\r\nAuthorization: Bearer ${this.token}\r\n` +
      `Content-Type: ${mediaType}\r\nContent-Length: ${bodyBytes}\r\n\r\n`
    );
  }

  /**
   * Checks that the process still answers, keeps nothing of what it refused and reported no fault
   * of its own. Ends it.
   */
  async lives(t: Test): Promise<void> {
    const reply = await fetch(`http://127.0.0.1:${this.klieg.port}/healthz`);
    t.equal(reply.status, 200);
    t.equal(this.klieg.child.exitCode, null, "the process that was started still runs");
    const incoming = join(this.dataDir, "objects", "~incoming");
    while (existsSync(incoming) && readdirSync(incoming).length > 0) await nextTurn();
    t.equal((await this.klieg.kill("SIGTERM")).stderr, "", "no line of the log is an error");
  }

  async composition(): Promise<string> {
    const { json } = await ask<{ id: string }>(this.klieg.port, this.token, "/compositions", {});
    return json.id;
  }
}

export async function openVictim(t: Test, more: Environment = {}): Promise<Victim> {
  const dataDir = t.testdir();
  const klieg = await startKlieg(t, dataDir, { KLIEG_LOG_LEVEL: "error", ...more });
  const [owner] = await createOwners(klieg.port, 1);
  return new Victim(klieg, owner?.token ?? "", dataDir);
}

/** Whether a refusal's status is allowed: below 500, or 503 when the service is out of room. */
export function isSound(status: number): boolean {
  return status < 500 || status === 503;
}
