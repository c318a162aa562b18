/** The farm's process beside its service: what it is told, and that it does not outlive it. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import t from "tap";
import { childProcesses, isRunning } from "../render-farm/child-processes.ts";
import { firstToken, startKlieg } from "./klieg-process.ts";

/** Resolves to its process id. */
async function farmOf(): Promise<number> {
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
  const environment = readFileSync(`/proc/${await farmOf()}/environ`, "latin1");
  t.match(environment, /KLIEG_DATA_DIR=/);
  for (const secret of [firstToken, ...Object.values(secrets)])
    t.notOk(environment.includes(secret));
  t.equal((await klieg.kill("SIGTERM")).code, 0);
});

t.test("a farm ends when its service is killed", async (t) => {
  const klieg = await startKlieg(t, t.testdir(), withFarm);
  const farm = await farmOf();
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
    const farm = await farmOf();
    process.kill(farm, "SIGSTOP");
    await klieg.kill("SIGKILL");
    await untilGone(farm);
    t.pass("the kernel ended it");
  },
);
