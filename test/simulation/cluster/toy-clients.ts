/**
 * Clients of counters: what each was told of its own counter, and what the counters have to be in
 * the end. A missing answer leaves open whether its command was carried out.
 */
import type { Address } from "../../../engine/address.ts";
import type { Gateway } from "../../../engine/gateway.ts";
import { ShardDown } from "../../../engine/reading/shard-end.ts";
import {
  type Counter,
  type CounterMessage,
  counterKey,
  createListedKey,
} from "../../engine/toys.ts";
import type { Clients } from "./clients.ts";
import { counters } from "./counters.ts";
import { oldMax, type SimCluster } from "./sim-cluster.ts";
import type { Work } from "./surroundings.ts";

type CounterKey = Address<CounterMessage, Counter>;

/** What a client knows of a counter from the answers alone. */
interface Known {
  /** Commands that were acknowledged, and those that were not answered. */
  sure: number;
  open: number;
  readonly answers: Set<number>;
  /** Counts that a client was told or has read, with the time; each is higher than the last. */
  readonly told: { readonly atMs: number; readonly count: number }[];
}

export class ToyClients implements Clients {
  readonly domain = counters;
  private readonly keys: readonly CounterKey[];
  private readonly known = new Map<CounterKey, Known>();
  private cluster: SimCluster | undefined;
  private additions = 0;

  constructor() {
    const partitions = [3, 77, 150, 201];
    this.keys = [...partitions.map((at) => counterKey(at, "c")), createListedKey("c")];
  }

  openWork(): Work {
    return { perform: async () => ({ kind: "concluded" }), onLeave() {}, drain() {} };
  }

  join(cluster: SimCluster): void {
    this.cluster = cluster;
    cluster.forgiveClients = () => this.forgive();
  }

  /** Allows earlier answers to be lost, or to be given again. */
  private forgive(): void {
    for (const known of this.known.values()) {
      known.sure = 0;
      known.open = Number.POSITIVE_INFINITY;
      known.answers.clear();
      known.told.length = 0;
    }
  }

  act(): void {
    const { dice } = this.of;
    const { gateway } = dice.pick(this.of.running);
    if (gateway === undefined) return;
    const key = dice.pick(this.keys);
    if (dice.percent(60)) this.add(gateway, key);
    else if (dice.percent(50)) void this.look(gateway, key);
    else this.spread(gateway, key);
  }

  async wrongAtEnd(): Promise<string | undefined> {
    for (const key of this.keys) {
      const { sure, open } = this.getKnown(key);
      const [owner] = this.of.owners(this.getShard(key));
      const count = owner?.gateway?.read(key)?.count ?? 0;
      if (count < sure) return `${sure} additions were acknowledged, the counter says ${count}`;
      if (count > sure + open)
        return `${sure} additions were acknowledged and ${open} are open, the counter says ${count}`;
    }
    return undefined;
  }

  private get of(): SimCluster {
    if (this.cluster === undefined) throw new Error("the clients have joined no cluster");
    return this.cluster;
  }

  private getShard(key: CounterKey): number {
    const { shardCount } = this.of;
    return key.charCodeAt(1) >= 128 ? shardCount : (key.charCodeAt(0) * shardCount) >> 8;
  }

  private getKnown(key: CounterKey): Known {
    const known = this.known.get(key) ?? { sure: 0, open: 0, answers: new Set(), told: [] };
    this.known.set(key, known);
    return known;
  }

  private addition() {
    return { kind: "add", by: 1, id: ++this.additions } as const;
  }

  private add(gateway: Gateway, key: CounterKey): void {
    const known = this.getKnown(key);
    known.open++;
    void gateway.ask(key, this.addition(), "work").then((reply) => {
      const count = getCount(reply);
      this.of.note(`a client adds to ${this.getShard(key)}: ${count ?? "unknown"}`);
      if (isRefused(reply)) known.open--;
      if (count === undefined) return;
      known.open--;
      known.sure++;
      if (known.answers.has(count)) this.of.fail(`two additions were answered with ${count}`);
      known.answers.add(count);
      this.learn(known, count);
    });
  }

  /** Adds to one counter, which sends tells to others, of other shards too. */
  private spread(gateway: Gateway, key: CounterKey): void {
    const others = this.keys.filter((other) => other !== key && this.of.dice.percent(50));
    const added = [key, ...others].map((one) => this.getKnown(one));
    for (const known of added) known.open++;
    const message = this.addition();
    void gateway.ask(key, { kind: "spread", to: others, message }, "work").then((reply) => {
      const count = getCount(reply);
      this.of.note(`a client spreads from ${this.getShard(key)}: ${count ?? "unknown"}`);
      if (isRefused(reply)) for (const known of added) known.open--;
      if (count === undefined) return;
      for (const known of added) {
        known.open--;
        known.sure++;
      }
    });
  }

  private learn({ told }: Known, count: number): void {
    if (count > (told.at(-1)?.count ?? 0)) told.push({ atMs: this.of.timeline.nowMs, count });
  }

  private async look(gateway: Gateway, key: CounterKey): Promise<void> {
    const known = this.getKnown(key);
    const isOfDirectory = this.getShard(key) === this.of.shardCount;
    const oldMs = isOfDirectory ? oldMax : 0;
    const sinceMs = this.of.timeline.nowMs - oldMs;
    const least = Math.max(0, ...known.told.filter((one) => one.atMs <= sinceMs).map(countOfOne));
    try {
      const count = (await gateway.find(key))?.count ?? 0;
      if (count < least && (!isOfDirectory || this.of.isDirectoryWhole))
        this.of.fail(`a client reads ${count} after it was told ${least}`);
      if (!isOfDirectory) this.learn(known, count);
    } catch (error) {
      if (!(error instanceof ShardDown)) throw error;
    }
  }
}

const countOfOne = ({ count }: { readonly count: number }) => count;

function getCount(reply: unknown): number | undefined {
  return (reply as { count?: number }).count;
}

/** Whether the command was refused before anything was decided. */
function isRefused(reply: unknown): boolean {
  return (reply as { kind?: string }).kind === "busy";
}
