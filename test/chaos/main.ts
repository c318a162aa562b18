/**
 * `npm run chaos`: a cluster of real processes under a load, one fault or several in each round.
 * The seed alone decides on the faults. Exit code 1 when anything was lost, doubled or wrong, or
 * when the cluster was not back within 15 s; then the folder with data and logs stays.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { holdBuild } from "../../config/held-build.ts";
import { readVersion } from "./cluster.ts";
import { OptionsError, readOptions } from "./options.ts";
import { runRounds } from "./rounds.ts";
import { formatTable } from "./table.ts";

let isStopped = false;
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.on(signal, () => {
    // A second signal ends this process at once, and the kernel then kills its children.
    if (isStopped) process.exit(1);
    isStopped = true;
  });

process.umask(0o077);
holdBuild();
try {
  process.exitCode = await run();
} catch (error) {
  if (!(error instanceof OptionsError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

async function run(): Promise<number> {
  const options = readOptions(process.argv.slice(2));
  const { rounds, seed, durability } = options;
  const folder = mkdtempSync(join(tmpdir(), "klieg-chaos-"));
  say(`${readVersion(options.nats)}, ${durability}, seed ${seed}, ${rounds} rounds; ${folder}`);
  const { figures, violations } = await runRounds(folder, options, say, () => isStopped);
  const seconds = Math.round(process.uptime());
  say(formatTable(figures));
  say(`${figures.length} rounds in ${seconds} s, ${violations.length} violations`);
  if (violations.length > 0) {
    say(`Data and logs are in ${folder}.`);
    return 1;
  }
  rmSync(folder, { recursive: true });
  return figures.length === rounds ? 0 : 1;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
