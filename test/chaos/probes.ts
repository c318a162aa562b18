/**
 * Writes on every shard, and on the directory, through every node, all the while: since when one
 * succeeds, and how long none did. A write on a shard renames an asset, which is read back through
 * another node and judged by the history.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { Asset } from "../../contract/asset.ts";
import type { Account } from "./accounts.ts";
import { ask, isAway, parseReply } from "./client.ts";
import { type Cluster, type EngineNode, firstToken } from "./cluster.ts";
import type { History, Result } from "./history.ts";

const pauseMs = 300;
const timeoutMs = 2_000;
/** Writes after which tokens of unknown outcome are removed, each by a write of its own. */
const leftMax = 20;

interface Write {
  readonly began: number;
  readonly ended: number;
}

interface Shard {
  readonly name: string;
  writes: Write[];
}

export class Probes {
  readonly faults: string[] = [];
  private readonly history: History;
  private readonly shards: Shard[] = [];
  private readonly lanes: Promise<void>[] = [];
  private names = 0;
  private isOver = false;

  constructor(history: History, cluster: Cluster, accounts: readonly Account[]) {
    this.history = history;
    for (const [store, nodes] of cluster.stores.entries()) {
      const own = accounts.filter((account) => account.store === store);
      for (const shard of new Set(own.map((account) => account.shard))) {
        const account = own.find((each) => each.shard === shard) as Account;
        this.probe(`shard ${store}.${shard}`, nodes, (node) => this.rename(account, node));
      }
      let made = 0;
      let left: string[] = [];
      this.probe(`directory ${store}`, nodes, async (node) => {
        if (made++ >= leftMax) {
          left = await this.listTokens(node);
          made = 0;
        }
        const id = left.pop();
        return id === undefined ? this.makeToken(node) : this.removeToken(node, id);
      });
    }
  }

  /** Forgets all writes but the last of each shard. */
  begin(): void {
    for (const shard of this.shards) shard.writes = shard.writes.slice(-1);
  }

  /** Longest time in seconds without a write since `begin`, on the shard with the longest gap. */
  longestGap(since: number): number {
    const gaps = this.shards.flatMap(({ writes }) => {
      const times = writes.map(({ ended }) => Math.max(ended, since)).sort((a, b) => a - b);
      return [...times, process.uptime()].map((time, index) => time - (times[index - 1] ?? since));
    });
    return Math.max(...gaps);
  }

  /** When every shard had completed a write begun after `since`; undefined until then. */
  findWriteTime(since: number): number | undefined {
    const firsts = this.shards.map(({ writes }) => {
      const ends = writes.filter(({ began }) => began >= since).map(({ ended }) => ended);
      return ends.length === 0 ? undefined : Math.min(...ends);
    });
    return firsts.some((first) => first === undefined)
      ? undefined
      : Math.max(...(firsts as number[]));
  }

  /** Names of the shards on which no write begun since then has succeeded. */
  unwritten(since: number): string[] {
    const isWithout = ({ writes }: Shard) => !writes.some(({ began }) => began >= since);
    return this.shards.filter(isWithout).map(({ name }) => name);
  }

  async end(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.lanes);
  }

  private probe(
    name: string,
    nodes: readonly EngineNode[],
    write: (node: EngineNode) => Promise<boolean>,
  ): void {
    const shard: Shard = { name, writes: [] };
    this.shards.push(shard);
    for (const node of nodes) this.lanes.push(this.repeat(shard, () => write(node)));
  }

  private async repeat(shard: Shard, write: () => Promise<boolean>): Promise<void> {
    while (!this.isOver) {
      const began = process.uptime();
      if (await write()) shard.writes.push({ began, ended: process.uptime() });
      await delay(pauseMs);
    }
  }

  private async rename({ name, token, assetId: id, nodes }: Account, node: EngineNode) {
    const to = ++this.names;
    const path = `/assets/${id}`;
    const body = { display_name: `${to}` };
    const result = await this.history.record(name, { kind: "rename", id, to }, async () => {
      const reply = await ask(node, { path, method: "PATCH", body, token, timeoutMs });
      if (reply.status === 200) return { outcome: "ok" } as const;
      if (!isAway(reply)) this.faults.push(`${path} was answered ${reply.status}: ${reply.text}`);
      return { outcome: reply.status === 0 ? "fail" : "unknown" } as const;
    });
    const reader = nodes[(nodes.indexOf(node) + 1) % nodes.length] as EngineNode;
    await this.history.record(name, { kind: "read", id }, async (): Promise<Result> => {
      const reply = await ask(reader, { path, token, timeoutMs });
      if (reply.status === 404) return { outcome: "ok", seen: undefined };
      if (reply.status !== 200) return { outcome: "unknown" };
      const { status, display_name: shown } = parseReply<Asset>(reply);
      return { outcome: "ok", seen: { status, name: Number(shown) } };
    });
    return result.outcome === "ok";
  }

  private async makeToken(node: EngineNode): Promise<boolean> {
    const body = { name: "probe" };
    const made = await ask(node, { path: "/tokens", body, token: firstToken, timeoutMs });
    if (made.status !== 201) {
      if (!isAway(made)) this.faults.push(`/tokens was answered ${made.status}: ${made.text}`);
      return false;
    }
    await this.removeToken(node, parseReply<{ id: string }>(made).id);
    return true;
  }

  private async removeToken(node: EngineNode, id: string): Promise<boolean> {
    const asked = {
      path: `/tokens/${id}`,
      method: "DELETE",
      token: firstToken,
      timeoutMs,
    } as const;
    return (await ask(node, asked)).status === 204;
  }

  private async listTokens(node: EngineNode): Promise<string[]> {
    const listed = await ask(node, { path: "/tokens", token: firstToken, timeoutMs });
    if (listed.status !== 200) return [];
    const { items } = parseReply<{ items: { id: string; name: string }[] }>(listed);
    return items.filter(({ name }) => name === "probe").map(({ id }) => id);
  }
}
