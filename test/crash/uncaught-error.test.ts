/** Tests the last resort: an uncaught error ends the service, which is then restarted (A5). */
import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import type { Job } from "../../contract/job.ts";
import { RawConnection } from "../http/raw-http.ts";
import { ask } from "./accounts.ts";
import { firstToken, startKlieg } from "./klieg-process.ts";

const root = join(import.meta.dirname, "../../..");

/** A module for the service's process that throws outside any request when it is signalled. */
const fault = "process.on('SIGUSR2',()=>{throw(Error('nobody-expects-me'))})";

const slow = { model: "sim-instant", prompt: "sim:slow=2000" };

t.test("an uncaught error is logged, answers what waits and ends the process (A5)", async (t) => {
  const dataDir = t.testdir();
  const klieg = await startKlieg(t, dataDir, {
    NODE_OPTIONS: `--import=data:text/javascript,${fault}`,
  });
  const { port } = klieg;
  const { json: job } = await ask<Job>(port, firstToken, "/generate/image", slow);
  const path = `/jobs/${job.id}`;
  const { json } = await ask<{ ticket: string }>(port, firstToken, `${path}/sse-ticket`, {});
  const stream = new RawConnection(port);
  stream.write(`GET /v1${path}/sse?ticket=${json.ticket} HTTP/1.1\r\nHost: x\r\n\r\n`);
  await stream.awaitText("event: status");
  const wait = new RawConnection(port);
  const credential = `Host: x\r\nAuthorization: Bearer ${firstToken}\r\n`;
  wait.write(`GET /v1${path}/wait HTTP/1.1\r\n${credential}\r\n`);
  await ask(port, firstToken, "/me");

  klieg.child.kill("SIGUSR2");
  const { code, stderr } = await klieg.ended;
  t.equal(code, 70);
  t.match(
    stderr,
    /^\{"level":60,[^\n]*nobody-expects-me[^\n]*uncaught error, service stopping"\}\n$/,
  );
  await stream.whenClosed;
  t.ok(stream.rest.includes("event: reconnect\ndata: {}\n\n"), "streams are told to come again");
  t.equal((await wait.reply()).status, 408, "waits end as if their window had closed");

  const next = await startKlieg(t, dataDir);
  const { json: ended } = await ask<Job>(next.port, firstToken, `${path}/wait`);
  t.equal(ended.status, "succeeded", "what was acknowledged goes on");
  t.equal((await next.kill("SIGTERM")).code, 0);
});

t.test("config/serve ends with the code of the service", (t) => {
  const folder = t.testdir({ config: { setup: "" }, bin: {} });
  cpSync(join(root, "config/serve"), join(folder, "config/serve"));
  const node = join(folder, "bin/node");
  writeFileSync(node, "#!/bin/sh\nexit 70\n");
  chmodSync(node, 0o755);
  const env = { PATH: `${join(folder, "bin")}:/usr/bin:/bin` };
  t.equal(spawnSync("sh", [join(folder, "config/serve")], { env }).status, 70);
  t.end();
});

t.test("the unit file and the container start the service again after a failure (A5)", (t) => {
  const read = (name: string) => readFileSync(join(root, "config/deploy", name), "utf8");
  const unit = read("klieg.service");
  t.match(unit, /^ExecStart=\/bin\/sh config\/serve$/m);
  t.match(unit, /^Restart=on-failure$/m);
  t.match(unit, /^StartLimitIntervalSec=0$/m, "however often");
  const container = read("Containerfile");
  t.match(container, /^CMD \["sh", "config\/serve"\]$/m);
  t.match(container, /^# podman run .*--restart=on-failure /m);
  t.end();
});
