/**
 * A store of which something is missing: the start ends with one sentence, `klieg store check` says
 * what is lost, and nothing that was acknowledged is lost silently.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  closeSync,
  cpSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import t from "tap";
import { domain } from "../../actors/domain.ts";
import { readClientSettings } from "../../config/settings.ts";
import type { Job } from "../../contract/job.ts";
import { checkStore } from "../../engine/adapters/store-check.ts";
import { runCommand } from "../cli/run-command.ts";
import { ask } from "./accounts.ts";
import { firstToken, isOneSentence, startAndFail, startKlieg } from "./klieg-process.ts";

const main = join(import.meta.dirname, "../../cli/main.js");
const oneShard = { KLIEG_SHARDS: "1" };
const root = t.testdir();
const [young, old] = [join(root, "young"), join(root, "old")];

async function check(dataDir: string, ...args: string[]) {
  const { code, out, said } = await runCommand(["store", "check", ...args], {
    settings: () => readClientSettings({ KLIEG_DATA_DIR: dataDir }),
    checkStore: (dataDir, repairs) => checkStore({ dataDir, domain, nowMs: 0, repairs }),
  });
  return { code, out: out.join("\n"), err: said.join("") };
}

/** Runs the command in a process of its own and returns its output. */
async function command(dataDir: string) {
  const child = spawn(process.execPath, [main, "store", "check"], {
    env: { KLIEG_DATA_DIR: dataDir, PATH: process.env["PATH"] },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const [[code], err] = await Promise.all([once(child, "exit"), text(child.stderr)]);
  return { code, err };
}

/** Copies a store and damages a file of its one shard. */
function harmStore(t: { testdir(): string }, store: string, harm: (shard: string) => void): string {
  const dataDir = join(t.testdir(), "data");
  cpSync(store, dataDir, { recursive: true });
  harm(join(dataDir, "shard-0"));
  return dataDir;
}

function firstSeq(file: string): number {
  return readFileSync(file).readDoubleLE(16);
}

/** Returns the segment that the list names last. */
function newestSegment(shard: string): string {
  const list = JSON.parse(readFileSync(join(shard, "journal/segments.json"), "utf8"));
  return join(shard, "journal", list.at(-1).name);
}

let youngJob = "";

t.test(
  "a store that lives on from its journal, and one whose first files were used again",
  async (t) => {
    const first = await startKlieg(t, young, oneShard);
    const { json } = await ask<Job>(first.port, firstToken, "/generate/image", {
      model: "sim-instant",
      prompt: "a kite",
    });
    youngJob = json.id;
    // A listing waits until a pass has written the tables.
    await ask(first.port, firstToken, "/jobs");
    await ask(first.port, firstToken, "/generate/image", {
      model: "sim-instant",
      prompt: "behind",
    });
    await first.kill("SIGKILL");

    const second = await startKlieg(t, old, oneShard);
    const names = () =>
      readdirSync(join(old, "shard-0/journal")).filter((name) => /segment$/.test(name));
    const isUsedAgain = () =>
      names().every((name) => {
        const seq = firstSeq(join(old, "shard-0/journal", name));
        return seq !== 1;
      });
    const prompt = "x".repeat(7_500);
    for (let n = 0; !isUsedAgain(); n++) {
      const submit = (at: number) =>
        ask(second.port, firstToken, "/generate/image", {
          model: "sim-instant",
          prompt: `${n} ${at} ${prompt}`,
        });
      await Promise.all(Array.from({ length: 32 }, (_, at) => submit(at)));
      await ask(second.port, firstToken, "/jobs?limit=1");
    }
    await second.kill("SIGKILL");
    t.match(await check(young), { code: 0, out: "", err: /is intact/ });
    t.match(await check(old), { code: 0, out: "", err: /is intact/ });
  },
);

const harms: readonly (readonly [name: string, harm: (shard: string) => void, what: RegExp])[] = [
  ["the newest segment is deleted", (shard) => rmSync(newestSegment(shard)), /segment is missing/],
  [
    "the newest segment is zeroed",
    (shard) => writeFileSync(newestSegment(shard), new Uint8Array(4 * 1024 * 1024)),
    /segment is missing, wiped/,
  ],
  ["the shard is deleted", (shard) => rmSync(shard, { recursive: true }), /data.mdb is missing/],
  [
    "the tables are deleted",
    (shard) => rmSync(join(shard, "tables"), { recursive: true }),
    /data.mdb is missing/,
  ],
  [
    "the journal is deleted",
    (shard) => rmSync(join(shard, "journal"), { recursive: true }),
    /segments.json is missing/,
  ],
  ...[0, 4096, 20_000].map(
    (bytes) =>
      [
        `the tables are cut short to ${bytes} bytes`,
        (shard: string) => truncateSync(join(shard, "tables/data.mdb"), bytes),
        /data.mdb (was cut short|is no longer a table file)/,
      ] as const,
  ),
];

for (const [name, harm, what] of harms)
  t.test(`${name}: the start ends with a sentence, and so does the check`, async (t) => {
    const dataDir = harmStore(t, old, harm);
    const ended = await startAndFail(t, dataDir, oneShard);
    isOneSentence(t, ended, /The store in .*shard-0 is damaged: .*"klieg store check"/);
    t.match(ended.stderr, what);
    const { code, out, err } = await check(dataDir);
    t.equal(code, 1);
    t.match(out, what);
    t.match(err, /is damaged in 1 place/);
    t.equal((await check(dataDir, "--repair")).code, 1, "the journal does not reach back");
  });

t.test("tables whose records are all in the journal are rebuilt", async (t) => {
  const dataDir = harmStore(t, young, (shard) =>
    truncateSync(join(shard, "tables/data.mdb"), 20_000),
  );
  t.match(await check(dataDir), { code: 1, out: /--repair rebuilds them/ });
  t.match(await check(dataDir, "--repair"), {
    code: 0,
    out: /rebuilt from the journal, .* nothing is lost/,
  });
  t.match(await check(dataDir), { code: 0, out: "" });
  const klieg = await startKlieg(t, dataDir, oneShard);
  t.match(await ask(klieg.port, firstToken, `/jobs/${youngJob}`), { status: 200 });
  await klieg.kill("SIGKILL");
});

t.test("damage that the tables have behind them is passed, and logged", async (t) => {
  const dataDir = harmStore(t, young, (shard) => {
    const file = openSync(newestSegment(shard), "r+");
    writeSync(file, Buffer.from([0xff]), 0, 1, 4096 + 100);
    closeSync(file);
  });
  t.match(await check(dataDir), {
    code: 0,
    out: /segment is damaged before record 3.*Nothing is lost/,
  });
  const klieg = await startKlieg(t, dataDir, { ...oneShard, KLIEG_LOG_LEVEL: "warn" });
  t.match(await ask(klieg.port, firstToken, `/jobs/${youngJob}`), { status: 200 });
  t.match((await klieg.kill("SIGTERM")).stderr, /segment is damaged before record 3/);
});

t.test("a store that is in use, or none, is not checked", async (t) => {
  t.match(await command(join(root, "none")), { code: 1, err: /does not contain a store/ });
});
