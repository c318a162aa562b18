/** Inflicts the faults of a round on the cluster, and undoes them. */
import { setTimeout as delay } from "node:timers/promises";
import type { Cluster } from "./cluster.ts";
import type { Fault, FaultRound } from "./faults.ts";

/**
 * Resolves after the last fault, to a list of what went wrong: members that did not end when they
 * were told to. A restarted process may not be serving yet.
 */
export async function strike(cluster: Cluster, round: FaultRound): Promise<string[]> {
  const [first] = round.faults;
  // Determined at the start; by the time of the second fault the node may use another server.
  const used =
    first?.kind === "engine" ? cluster.network.getUsedServer(`engine-${first.member}`) : 0;
  const wrong = await Promise.all(round.faults.map((fault) => inflict(cluster, fault, used)));
  return wrong.flat();
}

async function inflict(cluster: Cluster, fault: Fault, used: number): Promise<string[]> {
  const { harm, kind, direction, afterMs, forMs } = fault;
  const index = fault.member === "used" ? used : fault.member;
  const member = cluster.member(kind, index);
  await delay(afterMs);
  switch (harm) {
    case "kill":
      await member.end("SIGKILL");
      await delay(forMs);
      member.start();
      return [];
    case "restart": {
      const hasEnded = await member.end("SIGTERM");
      await delay(forMs);
      member.start();
      return hasEnded ? [] : [`${member.name} did not end within a minute of SIGTERM`];
    }
    case "pause":
      member.pause();
      await delay(forMs);
      member.resume();
      return [];
    case "cut": {
      const heal = cluster.network.cut(kind, index, direction);
      await delay(forMs);
      heal();
      return [];
    }
  }
}
