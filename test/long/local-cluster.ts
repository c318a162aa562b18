/** Starts the cluster of `npm run cluster`, and ends it with the test. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Test } from "tap";
import { findTakenPort, portsFrom, portsTaken } from "../../cli/cluster/places.ts";

const entry = join(import.meta.dirname, "../../cli/cluster/main.js");

/** Finds as many free ports as a cluster takes, outside those that the kernel gives out. */
export async function freePorts(): Promise<number> {
  for (let first = 10_000 + (process.pid % 500) * portsTaken; ; first -= portsTaken)
    if ((await findTakenPort(portsFrom(first))) === undefined) return first;
}

export async function startCluster(t: Test, folder: string, port: number) {
  const { KLIEG_DATA_DIR: _, ...rest } = process.env;
  const env = {
    ...rest,
    KLIEG_DATA_DIR: join(folder, "cluster"),
    KLIEG_PORT: `${port}`,
    KLIEG_SIM: "1",
    KLIEG_LOG_LEVEL: "warn",
    KLIEG_RATE_LIMITS: "off",
  };
  const child = spawn(process.execPath, [entry], { env, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  const closed = once(child, "close");
  t.teardown(async () => {
    child.kill("SIGKILL");
    await closed;
  });
  const first = once(child.stdout.setEncoding("utf8"), "data");
  const [welcome = ""] = await Promise.race([first, closed.then(() => [])]);
  const pids = [...`${welcome}`.matchAll(/process (\d+)/g)].map(([, pid]) => Number(pid));
  const end = async (signal: "SIGTERM" | "SIGKILL") => {
    child.kill(signal);
    await closed;
    return child.exitCode;
  };
  return { welcome: `${welcome}`, pids, end, closed, said: () => said };
}
