/** Runs one seed: a number of steps with faults, then the checks without faults. */
import { limits } from "../../../config/limits.ts";
import type { Clients } from "./clients.ts";
import { Dice } from "./dice.ts";
import { Faults } from "./faults.ts";
import { withIdle } from "./idle.ts";
import { SimCluster } from "./sim-cluster.ts";

export interface Outcome {
  readonly seed: number;
  /** The first promise that was found broken; undefined when none was. */
  readonly wrong: string | undefined;
  /** Digest of all events. */
  readonly hash: string;
  readonly happenings: readonly string[];
}

/** Time within which every shard has to have an owner when faults have ceased. */
const ownedMs = 15_000;
/** In which tells that were to be sent again have come, without faults; to and fro is the way. */
const tellsMs = 5_000;
const wayMs = 100;

export function simulate(
  seed: number,
  steps: number,
  openClients: (seed: number) => Clients,
): Promise<Outcome> {
  return withIdle(async () => {
    const clients = openClients(seed);
    const { domain } = clients;
    const shape = new Dice(seed ^ 0x5eed);
    const cluster = new SimCluster({
      seed,
      domain,
      nodes: shape.pick([3, 3, 3, 4, 5]),
      shardCount: 2,
      isQuorum: shape.percent(30),
      openWork: (parts) => clients.openWork(parts),
    });
    clients.join(cluster);
    const onFailure = (error: unknown) =>
      cluster.fail(error instanceof Error ? (error.stack ?? error.message) : String(error));
    process.on("unhandledRejection", onFailure);
    try {
      await run(cluster, clients, steps);
    } catch (error) {
      onFailure(error);
    } finally {
      process.off("unhandledRejection", onFailure);
    }
    for (const node of cluster.nodes) node.kill();
    const { hash, wrong, lastHappenings } = cluster;
    return { seed, wrong: wrong[0], hash, happenings: lastHappenings };
  });
}

async function run(cluster: SimCluster, clients: Clients, steps: number): Promise<void> {
  const { dice, timeline } = cluster;
  const faults = new Faults(cluster);
  for (const node of cluster.nodes) node.start();
  await timeline.pass(4_000);
  for (let step = 0; step < steps && cluster.wrong.length === 0; step++) {
    const kind = dice.weigh({ act: 60, fault: 22, pass: 18 });
    if (kind === "fault") faults.draw();
    else if (kind === "act" && cluster.running.length > 0) clients.act();
    await timeline.pass(kind === "pass" ? dice.pick([20, 100, 400, 1_500]) : dice.between(0, 20));
    cluster.check();
  }
  // No node starts before the command has ended.
  while (cluster.resharding !== undefined && cluster.wrong.length === 0) await timeline.pass(100);
  if (cluster.wrong.length === 0 && dice.percent(25)) await leaveTells(cluster, clients, faults);
  if (cluster.wrong.length > 0) return;
  faults.end();
  await waitForOwners(cluster);
  if (cluster.wrong.length > 0) return;
  await waitForTells(cluster);
  await waitForOwners(cluster);
  if (cluster.wrong.length > 0) return;
  cluster.check();
  const wrong = await clients.wrongAtEnd();
  if (wrong !== undefined) cluster.fail(wrong);
}

/** Leaves the last tells to a shard that leaves its node; no later tell brings them along. */
async function leaveTells(cluster: SimCluster, clients: Clients, faults: Faults): Promise<void> {
  faults.schemes.begin("logAway");
  while (faults.schemes.isUnderWay && cluster.wrong.length === 0) {
    const isAway = cluster.logs.some((log) => log.isAway);
    if (isAway && cluster.running.length > 0) clients.act();
    await cluster.timeline.pass(100);
    cluster.check();
  }
}

/** Starts nodes that were stopping when faults ceased, and have ended since. */
function startEnded(cluster: SimCluster): void {
  for (const node of cluster.nodes) if (!node.isRunning) node.start();
}

/**
 * A tell whose answer was lost is sent again when none has come for `limits.cluster.answerMs`. With
 * a quorum, an owner whose standbys need snapshots first releases only then what it was told.
 */
async function waitForTells(cluster: SimCluster): Promise<void> {
  const { network, timeline } = cluster;
  const untilMs = timeline.nowMs + 3 * limits.cluster.answerMs;
  for (let calmMs = 0; calmMs < tellsMs && timeline.nowMs < untilMs; calmMs += 250) {
    await timeline.pass(250);
    startEnded(cluster);
    const isBusy = network.awaitsTells(wayMs) || !cluster.isReleased;
    if (isBusy || unowned(cluster).length > 0) calmMs = 0;
  }
}

function unowned(cluster: SimCluster): number[] {
  const shards = Array.from({ length: cluster.shardCount + 1 }, (_, shard) => shard);
  return shards.filter((shard) => cluster.owners(shard).length === 0);
}

async function waitForOwners(cluster: SimCluster): Promise<void> {
  const untilMs = cluster.timeline.nowMs + ownedMs;
  let hasOperator = false;
  const findMissing = () => unowned(cluster);
  while (cluster.timeline.nowMs < untilMs + (hasOperator ? ownedMs : 0)) {
    await cluster.timeline.pass(250);
    if (!hasOperator && cluster.timeline.nowMs >= untilMs) {
      hasOperator = removeOtherHistories(cluster, findMissing());
      if (!hasOperator) break;
    }
    startEnded(cluster);
    cluster.check();
    if (findMissing().length === 0) return;
  }
  cluster.fail(
    `shards ${findMissing().join(", ")} have no owner after ${ownedMs} ms without faults`,
  );
}

/**
 * Does what nodes ask their operator for when two have records of one epoch that differ: the one
 * whose records are not those that were released joins without its own. Returns whether there was
 * one.
 */
function removeOtherHistories(cluster: SimCluster, shards: readonly number[]): boolean {
  const { history, nodes } = cluster;
  const getDisks = (shard: number) => nodes.flatMap(({ disks }) => disks[shard] ?? []);
  const others = nodes.filter((_, at) =>
    shards.some((shard) => {
      const disks = getDisks(shard);
      const own = disks[at];
      return own !== undefined && history.differs(shard, own, disks);
    }),
  );
  for (const node of others) {
    cluster.note(`the operator removes the data directory of ${node.name}`);
    node.kill();
    node.loseDisks();
    node.start();
  }
  return others.length > 0;
}
