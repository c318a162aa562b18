/**
 * `klieg token reset`: leaves a new token in the data directory, where only this user can write. It
 * replaces the first credential within a second, or when the service starts.
 */
import { randomBytes } from "node:crypto";
import { access, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { type Command, CommandError } from "../command.ts";

const waitMs = 5_000;
const lookMs = 100;

export const tokenReset: Command = {
  name: "token reset",
  usage: "",
  summary: "Replace the first credential, on the machine of the service.",
  options: [],
  async run(args, { settings, terminal }) {
    parseArgs({ args: [...args], options: {} });
    const { dataDir } = settings();
    if (!(await isThere(join(dataDir, "store.json"))))
      throw new CommandError(
        `${dataDir} does not contain a store; set KLIEG_DATA_DIR to the service's data directory.`,
      );
    const wish = join(dataDir, "token-reset");
    const token = `pat_${randomBytes(4).toString("hex")}_${randomBytes(32).toString("base64url")}`;
    await writeFile(`${wish}.new`, `${token}\n`, { mode: 0o600, flush: true });
    await rename(`${wish}.new`, wish);
    for (let waitedMs = 0; waitedMs < waitMs; waitedMs += lookMs) {
      await pause(lookMs);
      if (await isThere(wish)) continue;
      terminal.say(`The new first credential is in ${join(dataDir, "admin-token")}.\n`);
      return;
    }
    terminal.say(
      "The service is not running; it adopts the new first credential when it starts.\n",
    );
  },
};

async function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
