import t from "tap";
import { Dice } from "../hostile/dice.ts";
import { drawRound, harms, kinds } from "./faults.ts";

function draw(seed: number, count: number) {
  const dice = new Dice(seed);
  return Array.from({ length: count }, () => drawRound(dice));
}

t.test("the same seed draws the same faults", async (t) => {
  t.strictSame(draw(7, 50), draw(7, 50));
  t.notSame(draw(7, 50), draw(8, 50));
});

t.test("every harm comes to every kind, alone and together", async (t) => {
  const rounds = draw(1, 500);
  const single = rounds.filter(({ faults }) => faults.length === 1);
  const seen = new Set(single.flatMap(({ faults }) => faults.map((it) => `${it.harm} ${it.kind}`)));
  t.equal(seen.size, harms.length * kinds.length);
  const shapes = new Set(rounds.map(({ faults }) => faults.map(({ kind }) => kind).join(" ")));
  for (const shape of ["engine nats", "engine engine", "nats nats nats", "farm farm"])
    t.ok(shapes.has(shape), shape);
});
