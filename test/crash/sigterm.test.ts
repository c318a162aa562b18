import t from "tap";
import type { Job } from "../../contract/job.ts";
import { RawConnection } from "../http/raw-http.ts";
import {
  type Acknowledged,
  allBalance,
  allEnd,
  ask,
  createOwners,
  type Owner,
} from "./accounts.ts";
import { startAndInterrupt, startKlieg } from "./klieg-process.ts";

const slow = { model: "sim-instant", prompt: "sim:slow=600000" };

t.test(
  "SIGTERM ends the service within 5 s with requests and streams open, losing nothing",
  async (t) => {
    const dataDir = t.testdir();
    const klieg = await startKlieg(t, dataDir, { KLIEG_SHARDS: "2" });
    const { port } = klieg;
    const owners = await createOwners(port, 20);
    const owner = owners[0] as Owner;
    const { json: job } = await ask<Job>(port, owner.token, "/generate/image", slow);
    const acknowledged: Acknowledged[] = [{ owner, id: job.id }];

    const path = `/jobs/${job.id}`;
    const { json } = await ask<{ ticket: string }>(port, owner.token, `${path}/sse-ticket`, {});
    const stream = new RawConnection(port);
    stream.write(`GET /v1${path}/sse?ticket=${json.ticket} HTTP/1.1\r\nHost: x\r\n\r\n`);
    await stream.awaitText("event: status");
    const waiting = ask<Job>(port, owner.token, `${path}/wait?timeout_seconds=900`);

    const others: string[] = [];
    const submits = Array.from({ length: 140 }, async (_, n) => {
      const from = owners[n % 20] as Owner;
      const body = { model: "sim-instant", prompt: `kite ${n} sim:slow=200` };
      try {
        const { status, json } = await ask<Job>(port, from.token, "/generate/image", body);
        if (status === 202) acknowledged.push({ owner: from, id: json.id });
        else others.push(`${status}`);
      } catch {
        others.push("gone");
      }
      if (n !== 40) return;
      klieg.child.kill("SIGTERM");
    });
    const { code, signal, stderr } = await klieg.ended;
    await Promise.all(submits);
    t.equal(code, 0, `exit code 0, signal ${signal}`);
    t.equal(stderr, "");

    await stream.whenClosed;
    t.ok(stream.rest.includes("event: reconnect\ndata: {}\n\n"), "streams are asked to reconnect");
    const waited = await waiting.then(({ status }) => status);
    t.equal(waited, 408, "waits end as if their window had closed");
    const odd = others.filter((answer) => answer !== "gone" && answer !== "503");
    t.strictSame(odd, [], "what was not accepted was refused with 503 or not answered");

    const next = await startKlieg(t, dataDir, { KLIEG_SHARDS: "2" });
    await ask(next.port, owner.token, `${path}/cancel`, {});
    await allEnd(t, next.port, acknowledged);
    await allBalance(t, next.port, owners);
    t.equal((await next.kill("SIGTERM")).code, 0);
  },
);

t.test("SIGTERM waits for no unfinished request and no idle connection", async (t) => {
  const klieg = await startKlieg(t, t.testdir());
  const half = new RawConnection(klieg.port);
  half.write("POST /v1/generate/image HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{");
  const idle = new RawConnection(klieg.port);
  idle.write("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
  t.equal((await idle.reply()).status, 200);
  const { code } = await klieg.kill("SIGTERM");
  t.equal(code, 0);
  await Promise.all([half.whenClosed, idle.whenClosed]);
});

t.test("a service that stopped leaves no lock behind and starts again", async (t) => {
  const dataDir = t.testdir();
  const first = await startKlieg(t, dataDir);
  t.equal((await first.kill("SIGTERM")).code, 0);
  const second = await startKlieg(t, dataDir);
  t.equal((await second.kill("SIGTERM")).code, 0);
});

t.test("SIGTERM ends a service that is still starting", async (t) => {
  const dataDir = t.testdir();
  for (const life of ["an empty store", "a store"]) {
    const { code, signal } = await startAndInterrupt(t, dataDir);
    // The signal may arrive before the process has installed its handlers.
    t.ok(code === 0 || signal === "SIGTERM", `with ${life}`);
  }
  const klieg = await startKlieg(t, dataDir);
  t.equal((await klieg.kill("SIGTERM")).code, 0, "the next start is not in its way");
});
