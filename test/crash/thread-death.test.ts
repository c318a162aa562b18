/** Threads of a real engine die on command, and the service goes on from its disk. */
import { join } from "node:path";
import { BroadcastChannel } from "node:worker_threads";
import t, { type Test } from "tap";
import { timelineRound } from "../../actors/composition/timeline-round.ts";
import type { CreatedAccount, Credits } from "../../actors/contract/account.ts";
import type { Job } from "../../actors/contract/job.ts";
import { accountKey } from "../../actors/tables.ts";
import { readCatalogue } from "../../config/catalogue.ts";
import type { Static } from "../../config/schema.ts";
import { openTableReader } from "../../engine/adapters/lmdb.ts";
import { memoryObjects } from "../../engine/adapters/memory-objects.ts";
import { systemClock } from "../../engine/adapters/system-clock.ts";
import { systemEntropy } from "../../engine/adapters/system-entropy.ts";
import { Host } from "../../engine/host.ts";
import { shardOf } from "../../engine/key.ts";
import { Threads } from "../../engine/threads.ts";
import { Api } from "../../http/api.ts";
import { bootstrap } from "../../http/bootstrap.ts";
import { RequestLog } from "../../http/request-log.ts";
import { routeTable } from "../../http/route-table.ts";
import { TrustedProxies } from "../../http/trusted-proxies.ts";
import { wire } from "../../http/wiring.ts";
import { Caller } from "../spec/caller.ts";
import { deathChannel } from "./dying-shard.ts";
import { firstToken } from "./klieg-process.ts";

const shardCount = 2;

async function openHouse(t: Test) {
  const dataDir = t.testdir();
  const faults: unknown[] = [];
  const service = wire({
    version: "0.0.0-test",
    origin: "http://klieg.example",
    shardCount,
    clock: systemClock,
    entropy: systemEntropy(),
    objects: memoryObjects(),
    catalogue: readCatalogue(undefined, true),
    readCatalogue: () => readCatalogue(undefined, true),
    corsOrigins: [],
    computeRound: async (task) => timelineRound(task),
    hasRates: false,
    proxies: new TrustedProxies([]),
    renderers: "ok",
    requests: new RequestLog(systemClock, { line: () => {}, skipped: () => {} }),
    onFault: (_, error) => faults.push(error),
  });
  const common = { shardCount, dataDir, logLevel: "silent" };
  const deaths: string[] = [];
  let whenDead = () => {};
  const host = new Host(
    {
      shardCount,
      shardThreads: 2,
      entries: {
        shards: new URL("./dying-shard.js", import.meta.url),
        effects: new URL("./dying-effects.js", import.meta.url),
      },
      openThreads: (entry, count) => new Threads(entry, count),
      shardTask: { ...common, isNew: true },
      effectsTask: { ...common, farmWorkers: 0, farmEntry: "" },
      openReader: (shard) => {
        const folder = `shard-${shard === shardCount ? "directory" : shard}`;
        return openTableReader(join(dataDir, folder, "tables"));
      },
      clock: systemClock,
      onDamage: (sentence) => faults.push(sentence),
      onDeath(thread) {
        deaths.push(thread);
        whenDead();
      },
    },
    service.gateway,
  );
  await host.start();
  const files = { read: () => undefined, writePrivate: () => {} };
  await bootstrap(service.gateway, service, files, firstToken);
  const channel = new BroadcastChannel(deathChannel);
  t.teardown(async () => {
    channel.close();
    await host.stop();
  });
  const api = new Api(service, routeTable);
  const admin = new Caller(api, firstToken, "");
  let accounts = 0;
  return {
    service,
    deaths,
    faults,
    async account(): Promise<Caller> {
      const email = `user-${++accounts}@klieg.example`;
      const body = { email, plan: "enterprise", credits: 100, issue_token: true };
      const { json } = await admin.post<CreatedAccount>("/v1/admin/accounts", body);
      // The wallet's shard answers, the token is the directory's: a client on a socket is heard
      // after all that both have said by now.
      await new Promise((resolve) => setImmediate(resolve));
      return new Caller(api, json.token, json.id);
    },
    /** Resolves when the thread is gone. */
    async strike(what: number | "effects"): Promise<void> {
      const dead = new Promise<void>((resolve) => {
        whenDead = resolve;
      });
      channel.postMessage(what);
      await dead;
    },
  };
}

/** Asks until the answer is not 503 any more: the thread is back. */
async function again<T extends { readonly status: number }>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    const reply = await ask();
    if (reply.status !== 503) return reply;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

t.test(
  "a shard thread that dies starts again from disk and loses nothing acknowledged",
  async (t) => {
    const house = await openHouse(t);
    const ada = await house.account();
    const jobs: Job[] = [];
    for (let n = 0; n < 6; n++) jobs.push(await ada.job(`kite ${n} sim:slow=300`));
    const shard = shardOf(accountKey(ada.id), shardCount);
    await house.strike(shard);
    t.strictSame(house.deaths, [`shards ${shard}`]);
    t.equal((await ada.get("/v1/jobs")).status, 503, "while it is away callers hear 503");
    for (const { id } of jobs) {
      const { status, json } = await again(() => ada.get<Job>(`/v1/jobs/${id}/wait`));
      t.equal(status, 200);
      t.equal(json.status, "succeeded", "acknowledged jobs end");
    }
    const { json } = await ada.get<Static<typeof Credits>>("/v1/me/credits");
    t.match(json, { balance_credits: 94, held_credits: 0 });
  },
);

t.test("callers that wait for a shard that dies hear 503, and asking again is safe", async (t) => {
  const house = await openHouse(t);
  const ada = await house.account();
  const shard = shardOf(accountKey(ada.id), shardCount);
  const death = house.strike(shard);
  const answers = [];
  let n = 0;
  while (house.deaths.length === 0) {
    answers.push(ada.submit(`kite ${n++} sim:slow=60000`));
    await new Promise((resolve) => setImmediate(resolve));
  }
  await death;
  const replies = await Promise.all(answers);
  t.ok(replies.every(({ status }) => [202, 429, 503].includes(status)));
  const accepted = replies.filter(({ status }) => status === 202).map(({ json }) => json.id);
  for (const id of accepted)
    t.equal((await again(() => ada.get(`/v1/jobs/${id}`))).status, 200, "acknowledged, so there");
  const body = ["kite after the fall", {}, { "idempotency-key": "once" }] as const;
  for (const { id } of (await again(() => ada.get<{ items: Job[] }>("/v1/jobs"))).json.items)
    await ada.cancel(id);
  const first = await again(() => ada.submit(...body));
  t.equal(first.status, 202);
  t.equal((await ada.submit(...body)).status, 409);
});

t.test("the death of one shard does not touch another's accounts", async (t) => {
  const house = await openHouse(t);
  const callers: (Caller | undefined)[] = [undefined, undefined];
  while (callers.includes(undefined)) {
    const caller = await house.account();
    callers[shardOf(accountKey(caller.id), shardCount)] = caller;
  }
  const [ada, bob] = callers as [Caller, Caller];
  await house.strike(0);
  t.equal((await ada.get("/v1/me/credits")).status, 503);
  t.equal((await bob.submit("a kite")).status, 202);
  t.equal((await again(() => ada.submit("a kite"))).status, 202);
});

t.test("the directory comes back with every account and token", async (t) => {
  const house = await openHouse(t);
  const ada = await house.account();
  const bob = await house.account();
  t.equal((await ada.get("/v1/me")).status, 200);
  await house.strike(shardCount);
  t.equal((await again(() => bob.get("/v1/me"))).status, 200);
  t.equal((await ada.get("/v1/me")).status, 200);
  t.equal((await house.account()).token?.length, 56, "and takes new ones");
});

t.test("when the effects thread dies, what it had under way is done again", async (t) => {
  const house = await openHouse(t);
  const ada = await house.account();
  const jobs: Job[] = [];
  for (const prompt of ["sim:slow=500", "sim:queue=300", "sim:busy=1", "sim:fail sim:slow=200"])
    jobs.push(await ada.job(prompt));
  await house.strike("effects");
  const ends = [];
  for (const { id } of jobs) {
    const { json } = await again(() => ada.get<Job>(`/v1/jobs/${id}/wait`));
    ends.push(json.status);
  }
  t.strictSame(ends, ["succeeded", "succeeded", "succeeded", "failed"]);
  const { json } = await ada.get<Static<typeof Credits>>("/v1/me/credits");
  t.match(json, { balance_credits: 97, held_credits: 0 });
});
