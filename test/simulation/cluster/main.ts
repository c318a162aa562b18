/** `npm run sim -- --seed 7 [--seeds 100] [--steps 500]`: runs seeds and says what was found. */
import { parseArgs } from "node:util";
import { simulate } from "./simulation.ts";
import { ToyClients } from "./toy-clients.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    seeds: { type: "string", default: "1" },
    steps: { type: "string", default: "500" },
  },
});
const [first, count, steps] = [values.seed, values.seeds, values.steps].map(Number);
let failures = 0;
const begun = process.hrtime.bigint();
for (let seed = first ?? 1; seed < (first ?? 1) + (count ?? 1); seed++) {
  const { wrong, hash, happenings } = await simulate(seed, steps ?? 500, () => new ToyClients());
  if (wrong === undefined) {
    if (count === 1) console.log(`seed ${seed}: nothing is broken (${hash})`);
    continue;
  }
  failures++;
  console.log(`${happenings.join("\n")}\nseed ${seed}: ${wrong}`);
}
const seconds = Number(process.hrtime.bigint() - begun) / 1e9;
console.log(`${count} seeds, ${failures} failed, ${seconds.toFixed(1)} s`);
process.exitCode = failures > 0 ? 1 : 0;
