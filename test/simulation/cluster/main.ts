/**
 * `npm run sim -- --seed 7 [--seeds 100] [--steps 500] [--first]`: runs seeds one after the other.
 * It prints the last events of a seed that fails; with `--first` it ends there.
 */
import { parseArgs } from "node:util";
import { openClients } from "./open-clients.ts";
import { simulate } from "./simulation.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    seeds: { type: "string", default: "1" },
    steps: { type: "string", default: "500" },
    first: { type: "boolean", default: false },
  },
});
const [first, count, steps] = [values.seed, values.seeds, values.steps].map(Number) as [
  number,
  number,
  number,
];
const begun = process.hrtime.bigint();
let failures = 0;
for (let seed = first; seed < first + count; seed++) {
  const { wrong, hash, happenings } = await simulate(seed, steps, openClients);
  if (wrong === undefined) {
    if (count === 1) print(`seed ${seed}: nothing is broken (${hash})`);
    continue;
  }
  failures++;
  print(`${happenings.join("\n")}\nseed ${seed}: ${wrong}`);
  if (values.first) break;
}
const seconds = Number(process.hrtime.bigint() - begun) / 1e9;
print(`${count} seeds, ${failures} failed, ${seconds.toFixed(1)} s`);
process.exitCode = failures > 0 ? 1 : 0;

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
