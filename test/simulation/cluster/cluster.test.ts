/**
 * A cluster under faults of every kind, in one thread: nothing that was acknowledged is lost or
 * comes twice, no two owners answer reads, and without faults every shard soon has an owner again.
 */
import t from "tap";
import { openClients } from "./open-clients.ts";
import { simulate } from "./simulation.ts";

const seeds = Number(process.env["TEST_SEEDS"] ?? 300);
const steps = 500;

t.test("a seed is replayed to the letter", async (t) => {
  for (const seed of [3, 4]) {
    const one = await simulate(seed, steps, openClients);
    const other = await simulate(seed, steps, openClients);
    t.equal(one.hash, other.hash);
  }
});

t.test(`${seeds} seeds break no promise`, async (t) => {
  for (let seed = 1; seed <= seeds; seed++) {
    const { wrong, happenings } = await simulate(seed, steps, openClients);
    if (wrong !== undefined) t.fail(`seed ${seed}: ${wrong}\n${happenings.join("\n")}`);
  }
  t.pass(`${seeds} seeds ran`);
});
