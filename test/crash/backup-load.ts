/** Runs `klieg backup` and its like beside a service under load. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { Job } from "../../contract/job.ts";
import { type Acknowledged, ask, type Owner } from "./accounts.ts";

const commandLine = join(import.meta.dirname, "..", "..", "cli", "main.js");
/** Setting of a service with several shards, which a backup reads at one instant. */
export const shards = { KLIEG_SHARDS: "4" };

/** Runs a command of `klieg` for the store in `dataDir`. */
export function klieg(dataDir: string, ...args: readonly string[]) {
  const env = { PATH: process.env["PATH"], KLIEG_DATA_DIR: dataDir };
  const child = spawn(process.execPath, [commandLine, ...args], { env });
  const ended = Promise.all([once(child, "close"), text(child.stdout), text(child.stderr)]).then(
    ([[code], stdout, stderr]) => ({ code: code as number | null, stdout, stderr }),
  );
  return { child, ended };
}

/** Submits jobs for the owners until it is told to end. */
export function load(port: number, owners: readonly Owner[]) {
  const acknowledged: Acknowledged[] = [];
  let isOver = false;
  const lanes = owners.map(async (owner, lane) => {
    for (let n = 0; !isOver; n++) {
      const body = { model: "sim-instant", prompt: `kite ${lane} ${n}`, num_images: 1 + (n % 4) };
      const { status, json } = await ask<Job>(port, owner.token, "/generate/image", body);
      if (status === 202) acknowledged.push({ owner, id: json.id });
    }
  });
  return {
    acknowledged,
    async end() {
      isOver = true;
      await Promise.all(lanes);
    },
  };
}
