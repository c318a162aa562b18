/** Tests the farm process beside its service: its settings, and that it ends with the service. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import t from "tap";
import { childProcesses, isRunning } from "../render-farm/child-processes.ts";
import { firstToken, startKlieg } from "./klieg-process.ts";

/** Resolves to the process id of the farm. */
async function readFarm(): Promise<number> {
  for (;;) {
    const farm = childProcesses().find(({ command }) => command.includes("render-farm/main.js"));
    if (farm !== undefined) return farm.pid;
    await delay(20);
  }
}

async function untilGone(pid: number): Promise<void> {
  while (isRunning(pid)) await delay(20);
}

const withFarm = { KLIEG_FARM_WORKERS: "1" };

t.test("the farm's environment holds no secret", async (t) => {
  const secrets = {
    KLIEG_TOKEN: "a-token-of-the-command-line",
    AWS_SECRET_ACCESS_KEY: "s3-secret",
  };
  const klieg = await startKlieg(t, t.testdir(), { ...withFarm, ...secrets });
  const environment = readFileSync(`/proc/${await readFarm()}/environ`, "latin1");
  t.match(environment, /KLIEG_DATA_DIR=/);
  for (const secret of [firstToken, ...Object.values(secrets)])
    t.notOk(environment.includes(secret));
  t.equal((await klieg.kill("SIGTERM")).code, 0);
});

t.test("a farm ends when its service is killed", async (t) => {
  const klieg = await startKlieg(t, t.testdir(), withFarm);
  const farm = await readFarm();
  await klieg.kill("SIGKILL");
  await untilGone(farm);
  t.pass("it is gone");
});

const hasMortal = spawnSync("setpriv", ["--pdeathsig", "KILL", "--", "true"]).status === 0;

t.test(
  "a farm that cannot hear of it ends as well",
  { skip: !hasMortal && "there is no setpriv that can" },
  async (t) => {
    const klieg = await startKlieg(t, t.testdir(), withFarm);
    const farm = await readFarm();
    process.kill(farm, "SIGSTOP");
    await klieg.kill("SIGKILL");
    await untilGone(farm);
    t.pass("the kernel ended it");
  },
);

/** Returns level and message of each log line that contains `word`. */
function linesWith(word: string, log: string): readonly (readonly [number, string])[] {
  return log.split("\n").flatMap((text) => {
    if (!text.startsWith("{")) return [];
    const { level, msg } = JSON.parse(text) as { level: number; msg: string };
    return msg.includes(word) ? [[level, msg] as const] : [];
  });
}

const [info, warn] = [30, 40];

t.test("the log says when a farm worker starts and ends (E1)", async (t) => {
  const klieg = await startKlieg(t, t.testdir(), { ...withFarm, KLIEG_LOG_LEVEL: "info" });
  const farm = await readFarm();
  process.kill(farm, "SIGKILL");
  await untilGone(farm);
  while ((await readFarm()) === farm) await delay(20);
  const { stderr } = await klieg.kill("SIGTERM");
  t.strictSame(linesWith("farm worker", stderr), [
    [info, "farm worker started"],
    [warn, "farm worker exited, restarting"],
    [info, "farm worker started"],
    [info, "farm worker stopped"],
  ]);
  t.match(stderr, `"pid":${farm},`, "and which");
});

t.test("the log says that no farm worker is started (E1)", async (t) => {
  const klieg = await startKlieg(t, t.testdir(), { KLIEG_LOG_LEVEL: "warn" });
  const { stderr } = await klieg.kill("SIGTERM");
  const sentence = "no farm workers (KLIEG_FARM_WORKERS=0), farm tasks will wait";
  t.strictSame(linesWith("farm worker", stderr), [[warn, sentence]]);
});

t.test("what the farm says of itself is a line of the log like any other (E1)", async (t) => {
  const flock = t.fixture("symlink", "/usr/bin/flock");
  const folder = t.testdir({ data: {}, bin: { flock } });
  // Without the programs that make the fence, pages run without one, which the farm must report.
  const risky = { KLIEG_ISOLATION: "off", KLIEG_LOG_LEVEL: "warn", PATH: join(folder, "bin") };
  const klieg = await startKlieg(t, join(folder, "data"), { ...withFarm, ...risky });
  await new Promise<void>((resolve) => {
    klieg.child.stderr?.on("data", (text: string) => {
      if (text.includes("farm")) resolve();
    });
  });
  const { stderr } = await klieg.kill("SIGTERM");
  const lines = stderr.trim().split("\n");
  t.match(
    lines.map((line) => JSON.parse(line)),
    lines.map(() => ({ level: Number, msg: String })),
  );
  t.match(stderr, '"level":40,');
  t.match(stderr, '"thread":"farm"');
});
