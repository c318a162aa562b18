/**
 * The engine of one service in this thread: shards on memory stores, the directory's shard after
 * the last, outbox, farm broker and simulated provider, tied together by plain calls instead of
 * threads. All that waits here waits for promises or for the clock of the test, so `settle` can
 * tell when nothing moves.
 */
import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import { domain } from "../../actors/domain.ts";
import { jobKey, type StatusDetail } from "../../actors/protocol/job.ts";
import type { FromEffectsThread } from "../../effects/effects-messages.ts";
import { FarmBroker } from "../../effects/farm-broker.ts";
import { createPerformer, type TracedCall } from "../../effects/performers.ts";
import { type HubPorts, ProviderHub } from "../../effects/provider-hub.ts";
import { readSamples } from "../../effects/shard-thread/shard-samples.ts";
import type { ManualClock } from "../../engine/adapters/manual-clock.ts";
import { memoryJournal, memoryTables } from "../../engine/adapters/memory/memory-stores.ts";
import type { Gateway } from "../../engine/gateway.ts";
import { type Id, IdMint } from "../../engine/id.ts";
import type { Key } from "../../engine/key.ts";
import { type Sample, Tally } from "../../engine/metrics/tally.ts";
import { Outbox } from "../../engine/outbox.ts";
import type { Clock } from "../../engine/ports/clock.ts";
import type { Entropy } from "../../engine/ports/entropy.ts";
import type { Objects } from "../../engine/ports/objects.ts";
import { PortError } from "../../engine/ports/port-error.ts";
import type { Tables } from "../../engine/ports/tables.ts";
import type { Span } from "../../engine/ports/traces.ts";
import { openShard } from "../../engine/shard/ownership.ts";
import type { Shard } from "../../engine/shard/shard.ts";
import { concludeAtOnce } from "../../providers/simulated/at-once.ts";
import { failingTables } from "../engine/failing-tables.ts";

export interface InProcessEngine {
  readonly hub: ProviderHub;
  readonly broker: FarmBroker;
  /** Traced submits in the log of provider calls. */
  readonly traced: readonly TracedCall[];
  /** Asks each shard for what it has counted since the last time. */
  askSamples(): readonly Promise<readonly Sample[]>[];
  /** What the log may read of jobs that ended. */
  readonly reported: readonly object[];
  /** The directory's own tables, for what no route can change yet. */
  readonly directoryTables: Tables;
  /** Tables of a service with one shard: the rows of accounts with all that is theirs. */
  readonly accountTables: Tables;
  /** Resolves when nothing moves any more unless the clock does. */
  settle(): Promise<void>;
  /** Reports a farm node's progress without the broker's own pause between two reports. */
  progress(job: Id, token: string, progress: number): void;
  /** Reports why a job waits at its provider. */
  detail(job: Id, detail: StatusDetail | null): void;
  /** Sets whether the tables have no room for what the journals have. */
  fillDisk(isFull: boolean): void;
  /** Lets the shard make durable what it decides, but report nothing of it any more. */
  silence(shard: number): void;
  /** Ends a shard, which answers nothing any more, like a thread that died. */
  lose(shard: number): void;
  /** Opens a shard that is gone anew, on the same stores. */
  reopen(shard: number): Promise<void>;
}

export interface EngineParts {
  readonly gateway: Gateway;
  readonly shardCount: number;
  readonly clock: ManualClock;
  readonly processClock: Clock;
  readonly entropy: Entropy;
  readonly objects: Objects;
  readonly onFault: (error: unknown) => void;
  readonly openProvider: HubPorts["open"];
  readonly onSpan: (span: Span) => void;
  /** Called with what the effects thread would send to the main thread. */
  readonly onEffects: (message: FromEffectsThread) => void;
}

export async function openEngine(parts: EngineParts): Promise<InProcessEngine> {
  const { gateway, shardCount, clock, entropy, objects, onFault } = parts;
  const lives = new Map<number, { shard: Shard | undefined; isSilent: boolean }>();
  let moves = 0;
  const outbox = new Outbox(shardCount, {
    send(shard, message) {
      moves++;
      lives.get(shard)?.shard?.receive(message, "settle");
    },
    perform: (delivery) => perform(delivery),
    onFault: (_, error) => onFault(error),
    after: (delayMs, run) => clock.after(delayMs, run),
  });
  let tokens = 0;
  const ids = new IdMint(clock, entropy);
  const ports = {
    clock,
    ids,
    mintToken: () => `attempt-${++tokens}`,
    entropy,
    send: outbox.send.bind(outbox),
    onFault: (_: Key, error: unknown) => onFault(error),
  };
  const broker = new FarmBroker({ ...ports, objects });
  const hub = new ProviderHub({
    ...ports,
    objects,
    broker,
    open: parts.openProvider,
    tell: parts.onEffects,
    onFailure: onFault,
  });
  const tallies = Array.from({ length: shardCount + 1 }, () => new Tally());
  const traced: TracedCall[] = [];
  const reported: object[] = [];
  const onTraced = (call: TracedCall) => traced.push(call);
  const perform = createPerformer({ broker, providerJobs: hub.jobs, objects, onTraced });
  const disks = Array.from({ length: shardCount + 1 }, () => ({
    clock,
    journal: memoryJournal(),
    tables: failingTables(memoryTables()),
  }));
  const open = async (number: number, { clock, journal, tables }: (typeof disks)[number]) => {
    const attach = () =>
      gateway.attach(
        number,
        (message) => {
          moves++;
          // As between threads, a message never arrives within the call that sends it.
          queueMicrotask(() => life.shard?.handle(message));
        },
        tables,
      );
    const life: { shard: Shard | undefined; isSilent: boolean } = {
      shard: undefined,
      isSilent: false,
    };
    lives.set(number, life);
    const stores = { clock, journal, tables, startMs: parts.processClock.nowMs() };
    const owner = {
      node: "node",
      nonce: `life ${number}`,
      store: "store",
      isQuorum: false,
      members: ["node"],
    };
    life.shard = await openShard(
      { shard: number, shardCount },
      { ...domain, ...concludeAtOnce(ids, tallies[number] as Tally) },
      stores,
      { owner },
      {
        event(event) {
          moves++;
          if (life.isSilent) return;
          if (event.kind === "opened") attach();
          const isForHost =
            event.kind === "held" || event.kind === "waiting" || event.kind === "left";
          if (!isForHost) gateway.event(number, event);
        },
        deliver(deliveries, acknowledged) {
          moves++;
          if (life.isSilent) return;
          outbox.acknowledge(acknowledged);
          outbox.deliver(number, deliveries);
        },
        brokenStep: (_, error) => onFault(error),
        report({ fields, count, span }, get) {
          reported.push(fields(get));
          const told = span(get);
          if (told !== undefined) parts.onSpan(told);
          count(tallies[number] ?? new Tally(), get);
        },
        flushes: () => {},
      },
    );
    outbox.onOpen(number);
    void life.shard.run();
  };
  const silence = (number: number) => {
    const life = lives.get(number);
    if (life !== undefined) life.isSilent = true;
  };
  for (const [number, disk] of disks.entries()) await open(number, disk);
  return {
    hub,
    broker,
    traced,
    reported,
    askSamples: () => tallies.map((tally, number) => readSamples(tally, lives.get(number), clock)),
    directoryTables: disks[shardCount]?.tables ?? memoryTables(),
    accountTables: disks[0]?.tables ?? memoryTables(),
    async settle() {
      for (let quiet = 0; quiet < 4; quiet++) {
        const before = moves;
        await turnOfTheLoop();
        if (moves !== before) quiet = -1;
      }
    },
    progress: (job, token, progress) => {
      outbox.send(jobKey(job), { kind: "progress", token, progress });
    },
    detail: (job, detail) => outbox.send(jobKey(job), { kind: "detail", detail }),
    fillDisk(isFull) {
      const full = isFull ? new PortError("no space is left on the disk", true) : undefined;
      for (const { tables } of disks) tables.failAll(full);
    },
    silence,
    lose(number) {
      silence(number);
      lives.get(number)?.shard?.stop();
      lives.delete(number);
      outbox.onClose(number);
      gateway.detach(number);
    },
    async reopen(number) {
      const disk = disks[number];
      if (disk !== undefined) await open(number, disk);
    },
  };
}
