/** Tests which submits to a provider are allowed at a given time. */
import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import t from "tap";
import { ProviderGate } from "../../effects/provider-gate.ts";
import { ManualClock } from "../../engine/adapters/manual-clock.ts";
import type { Key } from "../../engine/key.ts";
import type { Health } from "../../providers/provider.ts";

function stage(maxInFlight?: number) {
  const clock = new ManualClock(1_000_000);
  const heard: string[] = [];
  const healths: Health[] = [];
  const probes: number[] = [];
  let answer: Health = "up";
  const gate = new ProviderGate({
    clock,
    maxInFlight,
    async probe() {
      probes.push(clock.monotonicMs());
      return answer;
    },
    onHealth: (health) => healths.push(health),
  });
  const request = (name: string, model = "kite", modelMax?: number) =>
    gate.request({
      key: name as Key,
      model,
      modelMax,
      admit: () => heard.push(`${name} in`),
      wait: (detail) => heard.push(`${name} ${detail}`),
      move: () => heard.push(`${name} elsewhere`),
    });
  const pass = async (byMs: number) => {
    for (let leftMs = byMs; leftMs > 0; leftMs -= 1_000) {
      clock.advance(Math.min(1_000, leftMs));
      await turnOfTheLoop();
    }
  };
  return {
    gate,
    heard,
    healths,
    probes,
    request,
    pass,
    answers(health: Health) {
      answer = health;
    },
  };
}

t.test("of max_in_flight a node has the share that it has of the shards", async (t) => {
  const { gate, heard, request } = stage(5);
  gate.resize(0.5);
  for (const name of ["a", "b", "c", "d"]) request(name, "kite", 4);
  t.match(gate.state(), { inFlight: 2, waiting: 2 });
  heard.length = 0;
  gate.resize(0.75);
  t.strictSame(heard, ["c in"], "another node is gone");
  for (const name of ["a", "b", "c", "d"]) gate.leave(name as Key);
  gate.resize(0.1);
  request("e");
  request("f");
  t.match(gate.state(), { inFlight: 1, waiting: 1 }, "one at least");
});

t.test(
  "max_in_flight jobs are there, the others wait upstream_at_capacity in their order",
  async (t) => {
    const { gate, heard, request } = stage(2);
    for (const name of ["a", "b", "c", "d"]) request(name);
    t.strictSame(heard.splice(0), [
      "a in",
      "b in",
      "c upstream_at_capacity",
      "d upstream_at_capacity",
    ]);
    gate.leave("a" as Key);
    t.strictSame(heard.splice(0), ["c in"]);
    t.match(gate.state(), { inFlight: 2, waiting: 1 });
    gate.leave("d" as Key);
    gate.leave("b" as Key);
    t.strictSame(heard, [], "who does not wait any more is not admitted");
  },
);

t.test("a model at its own max_in_flight holds up no other model", async (t) => {
  const { gate, heard, request } = stage(3);
  request("a", "kite", 1);
  request("b", "kite", 1);
  request("c", "boat");
  t.strictSame(heard.splice(0), ["a in", "b upstream_at_capacity", "c in"]);
  gate.leave("a" as Key);
  t.strictSame(heard, ["b in"]);
});

t.test("down after 5 consecutive faults, probed every 5 s, up after one success", async (t) => {
  const { gate, heard, healths, probes, request, pass, answers } = stage();
  await pass(1_000);
  for (let fault = 0; fault < 4; fault++) gate.onFailure();
  request("a");
  gate.onSuccess();
  for (let fault = 0; fault < 5; fault++) gate.onFailure();
  t.strictSame(healths, ["degraded", "up", "degraded", "down"]);
  request("b");
  t.strictSame(heard.splice(0), ["a in", "b provider_down"]);
  answers("down");
  probes.length = 0;
  await pass(12_000);
  t.strictSame(
    probes.map((at, n) => at - (probes[n - 1] ?? at)),
    [0, 5_000],
  );
  t.strictSame(heard, []);
  answers("up");
  await pass(5_000);
  t.strictSame(heard, ["b in"]);
  t.equal(healths.at(-1), "up");
});

t.test("paused keeps jobs queued with provider_down", async (t) => {
  const { gate, heard, request } = stage();
  gate.pause(true);
  request("a");
  t.strictSame(heard.splice(0), ["a provider_down"]);
  gate.pause(false);
  t.strictSame(heard, ["a in"]);
});

t.test("who waits at a provider whose entry changed moves to the new one", async (t) => {
  const { gate, heard, request } = stage(1);
  for (const name of ["a", "b"]) request(name);
  gate.close();
  request("c");
  gate.leave("a" as Key);
  t.strictSame(heard.slice(2), ["b elsewhere", "c elsewhere"]);
});
