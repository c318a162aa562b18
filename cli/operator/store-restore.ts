/** `klieg store restore`: creates a store from a backup, in an empty data directory. */
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { type Command, onlyArgument } from "../command.ts";

export const storeRestore: Command = {
  name: "store restore",
  usage: "<folder>",
  summary: "Restore a backup into the empty data directory KLIEG_DATA_DIR.",
  options: [],
  async run(args, { settings, restoreBackup, terminal }) {
    const { positionals } = parseArgs({ args: [...args], options: {}, allowPositionals: true });
    const folder = resolve(onlyArgument(positionals, "a backup's folder"));
    const { dataDir } = settings();
    const { atMs, areObjectsInBucket } = await restoreBackup(folder, dataDir);
    const at = new Date(atMs).toISOString();
    terminal.print(`${dataDir} is now the store as of ${at}; start the service with it.`);
    if (areObjectsInBucket)
      terminal.say("Its objects are in a bucket: set KLIEG_S3_* to one that contains them.\n");
  },
};
