/** Tests that each failing start ends with exit code 1 and one sentence that names the remedy. */
import { once } from "node:events";
import { readFileSync, statSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import t, { type Test } from "tap";
import shipped from "../../config/models.json" with { type: "json" };
import { freePort } from "../http/raw-http.ts";
import { ask } from "./accounts.ts";
import {
  type Environment,
  firstToken,
  isOneSentence,
  startAndFail,
  startKlieg,
} from "./klieg-process.ts";

t.test("a port that another program has", async (t) => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  const dataDir = t.testdir();
  const ended = await startAndFail(t, dataDir, {}, port);
  isOneSentence(t, ended, new RegExp(`Port ${port} .*in use; .*KLIEG_PORT`));
  const next = await startKlieg(t, dataDir);
  t.equal((await next.kill("SIGTERM")).code, 0, "the data directory is free again");
});

t.test("a host that is no address of this machine (D10)", async (t) => {
  for (const host of ["nowhere.invalid", "192.0.2.1"]) {
    const ended = await startAndFail(t, t.testdir(), { KLIEG_HOST: host });
    isOneSentence(t, ended, /KLIEG_HOST is "[^"]+", which is not an address of this machine/);
  }
});

t.test("a setting that Klieg does not have (D10)", async (t) => {
  const ended = await startAndFail(t, t.testdir(), { KLIEG_POTR: "1" });
  isOneSentence(t, ended, /KLIEG_POTR is not a setting/);
});

t.test("a port that another Klieg has", async (t) => {
  const first = await startKlieg(t, join(t.testdir(), "one"));
  const ended = await startAndFail(t, join(t.testdirName, "two"), {}, first.port);
  isOneSentence(t, ended, /KLIEG_PORT/);
  await first.kill("SIGKILL");
});

t.test("a data directory that cannot be written", async (t) => {
  for (const dataDir of ["/dev/null/klieg", "/proc/klieg", "/proc/klieg/data"]) {
    const ended = await startAndFail(t, dataDir);
    isOneSentence(t, ended, /(null|proc)\/klieg(\/data)? is not writable; .*KLIEG_DATA_DIR/);
  }
});

t.test("a data directory of another version, or one that is damaged", async (t) => {
  for (const store of ['{"formatVersion":99,"shardCount":2}', "{", '{"formatVersion":1}']) {
    const dataDir = t.testdir({ "store.json": store });
    isOneSentence(t, await startAndFail(t, dataDir), /KLIEG_DATA_DIR/);
  }
});

const wrongSettings: readonly Environment[] = [
  { KLIEG_PORT: "http" },
  { KLIEG_SHARDS: "3" },
  { KLIEG_RATE_LIMITS: "maybe" },
  { KLIEG_BOOTSTRAP_TOKEN: "short" },
  { KLIEG_BOOTSTRAP_TOKEN: "", KLIEG_BOOTSTRAP_TOKEN_FILE: "/nowhere/token" },
];

t.test("a wrong setting is named with what it may be", async (t) => {
  for (const more of wrongSettings) {
    const name = Object.keys(more).at(-1);
    isOneSentence(t, await startAndFail(t, t.testdir(), more), new RegExp(`${name}`));
  }
});

t.test("a model catalogue that cannot be used", async (t) => {
  const [model] = shipped.models;
  const folder = t.testdir({
    "broken.json": "{",
    "wrong.json": JSON.stringify({ ...shipped, models: [{ ...model, typical_seconds: 0 }] }),
    "foreign.json": JSON.stringify({ ...shipped, models: [{ ...model, provider: "fal" }] }),
    "twice.json": JSON.stringify({ ...shipped, models: [model, model] }),
  });
  for (const name of ["missing.json", "broken.json", "wrong.json", "foreign.json", "twice.json"]) {
    const file = join(folder, name);
    const ended = await startAndFail(t, join(folder, "data"), { KLIEG_MODELS: file });
    isOneSentence(t, ended, new RegExp(`${name}`));
    t.match(ended.stderr, /KLIEG_MODELS|mend|correct|set /, "and it names the remedy");
  }
});

t.test("a missing system package", async (t) => {
  const more = { KLIEG_FARM_WORKERS: "1", KLIEG_CHROMIUM: "/nowhere/chromium" };
  isOneSentence(t, await startAndFail(t, t.testdir(), more), /KLIEG_CHROMIUM/);
});

t.test("the first start writes the first credential for its user only", async (t) => {
  const dataDir = join(t.testdir(), "data");
  const klieg = await startKlieg(t, dataDir, { KLIEG_BOOTSTRAP_TOKEN: "" });
  const file = join(dataDir, "admin-token");
  t.equal(statSync(file).mode & 0o777, 0o600);
  const token = readFileSync(file, "utf8").trim();
  t.match(token, /^pat_[A-Za-z0-9]{8}_[A-Za-z0-9_-]{43}$/);
  const { json } = await ask<{ email: string }>(klieg.port, token, "/me");
  t.equal(json.email, "admin@localhost");
  await klieg.kill("SIGTERM");
  const again = await startKlieg(t, dataDir, { KLIEG_BOOTSTRAP_TOKEN: "" });
  t.equal(readFileSync(file, "utf8").trim(), token, "a later start keeps it");
  t.equal((await ask(again.port, token, "/me")).status, 200);
  await again.kill("SIGKILL");
});

/** Returns the first answers of the port, requested from before it is open. */
async function firstAnswers(t: Test, dataDir: string): Promise<readonly number[]> {
  const port = await freePort();
  const starting = startKlieg(t, dataDir, { KLIEG_PORT: `${port}` });
  const untilAnswered = async (): Promise<number> => {
    for (;;) {
      try {
        return (await fetch(`http://127.0.0.1:${port}/healthz`)).status;
      } catch {
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
  };
  const health = await untilAnswered();
  const { status: me } = await ask(port, firstToken, "/me");
  const { status: balance } = await ask(port, firstToken, "/me/credits");
  const kite = { model: "sim-instant", prompt: `a kite at ${port}` };
  const { status: submit } = await ask(port, firstToken, "/generate/image", kite);
  const { status: ready } = await fetch(`http://127.0.0.1:${port}/readyz`);
  await (await starting).kill("SIGKILL");
  return [health, me, balance, submit, ready];
}

t.test(
  "the port opens when the service can answer, and the first token is good then (D13)",
  async (t) => {
    const dataDir = join(t.testdir(), "data");
    for (const store of ["an empty store", "a store"])
      t.strictSame(await firstAnswers(t, dataDir), [200, 200, 200, 202, 200], store);
  },
);
