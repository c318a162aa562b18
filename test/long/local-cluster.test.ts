/** `npm run cluster` starts a whole cluster of real processes on this machine. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import t from "tap";
import { enginePort } from "../../cli/cluster/places.ts";
import type { Job } from "../../contract/job.ts";
import { freePorts, startCluster } from "./local-cluster.ts";

/** Sends a request, and repeats it while the answer is 503, as a client does. */
async function ask<T>(folder: string, port: number, path: string, body?: object): Promise<T> {
  const token = readFileSync(join(folder, "cluster", "admin-token"), "utf8").trim();
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const request = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  for (;;) {
    const url = `http://127.0.0.1:${port}/v1${path}`;
    const reply = await fetch(url, { headers, ...request }).catch((fault: Error) => {
      throw new Error(`no answer to ${path}: ${fault.cause}\n${readLogs(folder)}`);
    });
    if (reply.ok) return (await reply.json()) as T;
    const problem = await reply.text();
    if (reply.status !== 503) throw new Error(`${path} was answered ${reply.status}: ${problem}`);
  }
}

/** Returns the last output of the cluster's processes. */
function readLogs(folder: string): string {
  const files = readdirSync(join(folder, "cluster"), { recursive: true, encoding: "utf8" });
  const logs = files.filter((file) => file.endsWith(".log"));
  const end = (file: string) => readFileSync(join(folder, "cluster", file), "utf8").slice(-2_000);
  return logs.map((file) => `${file}:\n${end(file)}`).join("\n");
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

t.test("a cluster of one machine keeps what it was given, and leaves no process", async (t) => {
  const folder = t.testdir();
  const port = await freePorts();
  const first = await startCluster(t, folder, port);
  t.equal(first.pids.length, 7, first.said() || first.welcome);
  const body = { model: "sim-instant", prompt: "a kite" };
  const { id } = await ask<Job>(folder, enginePort(port, 0), "/generate/image", body);
  t.match(await ask<Job>(folder, enginePort(port, 1), `/jobs/${id}/wait`), { status: "succeeded" });

  const second = await startCluster(t, folder, await freePorts());
  t.match(second.said(), /^Another cluster uses .+; stop it or set KLIEG_DATA_DIR/);
  const elsewhere = t.testdirName;
  const third = await startCluster(t, join(elsewhere, "other"), port);
  t.match(third.said(), new RegExp(`^Cannot listen on port ${port}; .* set KLIEG_PORT`));

  t.equal(await first.end("SIGTERM"), 0);
  t.strictSame(first.pids.filter(isThere), [], "no process is left");
  const files = readdirSync(join(folder, "cluster"), { recursive: true, encoding: "utf8" });
  const open = files.filter((file) => {
    const path = join(folder, "cluster", file);
    return (
      /admin-token|nats\.conf|key|credentials|\.log$/.test(file) && statSync(path).mode & 0o077
    );
  });
  t.strictSame(open, [], "secrets and logs are closed to others");

  const again = await startCluster(t, folder, port);
  t.equal(again.pids.length, 7, again.said());
  t.match(await ask<Job>(folder, enginePort(port, 1), `/jobs/${id}`), { id, status: "succeeded" });
  await again.end("SIGKILL");
  while (again.pids.some(isThere)) await delay(20);
  t.pass("its children end with it, however it ends");
});
