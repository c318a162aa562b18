/** All shards are held at one instant, whichever node owns them; the test plays the nodes. */
import t from "tap";
import { createSeededEntropy } from "../../engine/adapters/seeded-entropy.ts";
import { PortError } from "../../engine/ports/port-error.ts";
import type { HeldShard } from "../../engine/shard-holds.ts";
import { atOneInstant } from "../../http/cluster/one-instant.ts";

interface Played {
  /** Answers of another node, which owns shards 1 and 2, to the hold and to its end. */
  readonly held?: unknown;
  readonly wasWhole?: unknown;
  readonly isWholeHere?: boolean;
}

const elsewhere = [
  { shard: 1, epoch: 2, seq: 20 },
  { shard: 2, epoch: 3, seq: 30 },
];

/** Sets up a node that owns the first shard of two and the directory. */
function stage({ held = elsewhere, wasWhole = true, isWholeHere = true }: Played) {
  const done: string[] = [];
  let name = "";
  const host = {
    async hold(given: string) {
      name = given;
      return [{ shard: 0, epoch: 1, seq: 10 }];
    },
    async reach(owners: readonly HeldShard[]) {
      done.push(`reach ${owners.map(({ shard, seq }) => `${shard} at ${seq}`).join(", ")}`);
    },
    resume(given: string) {
      done.push(`resume ${given === name}`);
      return isWholeHere;
    },
  };
  const forwarder = {
    async askNodes(_: string, path: string) {
      const isEnd = path.endsWith(":end");
      done.push(path.replace(/[0-9a-f]{24}/, "<name>"));
      return [{ node: "b", answer: isEnd ? wasWhole : held }];
    },
  };
  const entropy = createSeededEntropy(1);
  const service = { entropy, gateway: { shardCount: 2 }, cluster: { forwarder } };
  const look = async () => {
    done.push("look");
    return "seen";
  };
  return { done, looked: atOneInstant(service, host, look) };
}

t.test("others hold what they own, this node reaches it, looks, and lets all go on", async (t) => {
  const { done, looked } = stage({});
  t.equal(await looked, "seen");
  t.strictSame(done, [
    "/parts/holds/<name>",
    "reach 1 at 20, 2 at 30",
    "look",
    "resume true",
    "/parts/holds/<name>:end",
  ]);
});

t.test("a look is no instant when somebody went on before its end", async (t) => {
  for (const played of [{ wasWhole: false }, { wasWhole: undefined }, { isWholeHere: false }]) {
    const wasWhole = "wasWhole" in played ? { wasWhole: played.wasWhole ?? "no answer" } : {};
    const { looked } = stage({ ...played, ...wasWhole });
    await t.rejects(looked, { retryable: true, message: /took too long/ });
  }
});

t.test("nothing is looked at while a shard is owned by nobody, or by two", async (t) => {
  const twice = [...elsewhere, { shard: 0, epoch: 2, seq: 1 }];
  for (const held of ["none", elsewhere.slice(1), twice]) {
    const { done, looked } = stage({ held: held === "none" ? [] : held });
    const fault = await looked.then(
      () => undefined,
      (error: unknown) => error,
    );
    t.ok(fault instanceof PortError && fault.retryable);
    t.strictSame(done.slice(1), ["resume true", "/parts/holds/<name>:end"], "all go on");
  }
});
