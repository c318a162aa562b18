/**
 * `klieg backup`: makes the running service of this machine write a backup of its store. The
 * command leaves the folder's name in the data directory, where only this user can write.
 */
import { randomBytes } from "node:crypto";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { count } from "../../actors/count.ts";
import { type BackupOutcome, outcomeFile, requestFile } from "../../http/backup-files.ts";
import { type Command, CommandError, onlyArgument } from "../command.ts";

const lookMs = 100;

export const backup: Command = {
  name: "backup",
  usage: "<folder>",
  summary: "Back up the running service of this machine into an empty folder.",
  options: [],
  async run(args, { settings, isServed, terminal }) {
    const { positionals } = parseArgs({ args: [...args], options: {}, allowPositionals: true });
    const folder = resolve(onlyArgument(positionals, "an empty folder for the backup"));
    const { dataDir } = settings();
    const id = randomBytes(8).toString("hex");
    const request = join(dataDir, requestFile);
    if (!isServed(dataDir)) throw createNotServedError(dataDir);
    await rm(join(dataDir, outcomeFile), { force: true });
    await writeFile(`${request}.new`, JSON.stringify({ id, folder }), { mode: 0o600, flush: true });
    await rename(`${request}.new`, request);
    const outcome = await awaitOutcome(id, dataDir, isServed);
    if ("fault" in outcome) throw new CommandError(`No backup was written: ${outcome.fault}.`);
    const { rowBytes, objects } = outcome.summary;
    const rows = `${(rowBytes / 1e6).toFixed(1)} MB of rows`;
    if (objects !== undefined) {
      const size = `${count(objects.count, "object")} (${(objects.bytes / 1e6).toFixed(1)} MB)`;
      terminal.print(`${folder} is a backup: ${rows}, ${size}.`);
    } else {
      terminal.print(`${folder} is a backup: ${rows}.`);
      terminal.say("The objects are in the bucket: back it up now, after the rows.\n");
    }
  },
};

async function awaitOutcome(
  id: string,
  dataDir: string,
  isServed: (dataDir: string) => boolean,
): Promise<BackupOutcome> {
  for (let looks = 1; ; looks++) {
    await pause(lookMs);
    const file = join(dataDir, outcomeFile);
    const text = await readFile(file, "utf8").catch(() => undefined);
    const outcome = text === undefined ? undefined : (JSON.parse(text) as BackupOutcome);
    if (outcome?.id === id) {
      await rm(file, { force: true });
      return outcome;
    }
    // Checked only at every twentieth poll, since it takes the service's lock for a moment.
    if (looks % 20 !== 0 || isServed(dataDir)) continue;
    await rm(join(dataDir, requestFile), { force: true });
    throw new CommandError(
      "The service has ended, and no backup was written; run the command again once it is back.",
    );
  }
}

function createNotServedError(dataDir: string): CommandError {
  return new CommandError(
    `No service is using ${dataDir}; start it, or set KLIEG_DATA_DIR to the service's data directory.`,
  );
}
