/**
 * A small domain and a bench for engine tests: counters that count, tell, fail, sleep, remember and
 * call, on one or more shards over memory stores, tied together by a real outbox. Time is moved by
 * the test.
 */

import { omitUndefined } from "../../config/defined.ts";
import {
  type Actor,
  type AnyActor,
  type Context,
  type Decision,
  type Due,
  put,
  tell,
} from "../../engine/actor.ts";
import { ManualClock } from "../../engine/adapters/manual-clock.ts";
import { memoryJournal, memoryTables } from "../../engine/adapters/memory/memory-stores.ts";
import { type Address, createAddress } from "../../engine/address.ts";
import type { Domain } from "../../engine/domain.ts";
import { createKey, getPartition, getShard, type Key } from "../../engine/key.ts";
import { Outbox, type Performance } from "../../engine/outbox.ts";
import type { Journal } from "../../engine/ports/journal.ts";
import type { Tables } from "../../engine/ports/tables.ts";
import { eachWrite, getText } from "../../engine/record.ts";
import type { Delivery } from "../../engine/shard/batch.ts";
import type { Lane } from "../../engine/shard/inbox.ts";
import { openShard } from "../../engine/shard/ownership.ts";
import type { Shard } from "../../engine/shard/shard.ts";
import type { ShardEvent } from "../../engine/wire.ts";

export interface Counter {
  readonly count: number;
  readonly dueMs?: number;
  /** Time before which the counter throws when it is woken. */
  readonly soundFromMs?: number;
  /** Outside calls that are not answered yet. */
  readonly calls?: readonly string[];
  readonly padding?: string;
}

export type CounterMessage =
  /** `id` distinguishes this addition from all others. */
  | { readonly kind: "add"; readonly by: number; readonly id?: number }
  | { readonly kind: "look" }
  | { readonly kind: "break" }
  /** Adds to itself, then tells each of `to`. */
  | {
      readonly kind: "spread";
      readonly to: readonly Address<CounterMessage>[];
      readonly message: CounterMessage;
    }
  | { readonly kind: "call"; readonly names: readonly string[] }
  /** Calls, and neither writes nor answers. */
  | { readonly kind: "hail"; readonly name: string }
  | { readonly kind: "answered"; readonly by: number }
  | { readonly kind: "sleep"; readonly untilMs: number; readonly soundFromMs?: number }
  | { readonly kind: "note"; readonly name: string; readonly text: string }
  /** Makes the head so large. */
  | { readonly kind: "pad"; readonly length: number }
  /** Accepted once in the window; `digest` is 16 characters. */
  | { readonly kind: "once"; readonly digest: string }
  | { readonly kind: "end" }
  | Due;

export interface Call {
  readonly kind: "call";
  readonly name: string;
}

const never = 2 ** 47;
export const windowMs = 300_000;
const codes = { counter: 16, note: 32, once: 48, listed: 130 } as const;
type CounterDecision = Decision<Counter, Call>;

export function counterKey(partition: number, name: string): Address<CounterMessage, Counter> {
  return createAddress(createKey(partition, codes.counter, name));
}

/** Creates the address of a counter in the directory. */
export function createListedKey(name: string): Address<CounterMessage, Counter> {
  return createAddress(createKey(0, codes.listed, name));
}

export function noteKey(self: Key, name: string): Key<string> {
  return createKey(getPartition(self), codes.note, `${self.slice(2)}/${name}`);
}

const counterActor: Actor<Counter, CounterMessage, Call> = {
  kind: "counter",
  decide(head, message, ctx) {
    const counter = head ?? { count: 0 };
    switch (message.kind) {
      case "add":
        return say({ ...counter, count: counter.count + message.by }, ctx);
      case "look":
        return { ...say(counter, ctx), head };
      case "break":
        throw new Error("a toy broke");
      case "spread": {
        const effects = message.to.map((to) => tell(to, message.message));
        return { ...say({ ...counter, count: counter.count + 1 }, ctx), effects };
      }
      case "call": {
        const effects = message.names.map((name) => ({ kind: "call", name }) as const);
        return { ...say({ ...counter, calls: message.names, dueMs: never }, ctx), effects };
      }
      case "hail": {
        const call = { kind: "call", name: message.name } as const;
        return { head, rows: [], replies: [], effects: [call] };
      }
      case "answered": {
        const { calls: _, dueMs: __, ...answered } = counter;
        return say({ ...answered, count: counter.count + message.by }, ctx);
      }
      case "sleep":
        return say(
          { ...counter, dueMs: message.untilMs, soundFromMs: message.soundFromMs ?? 0 },
          ctx,
        );
      case "note": {
        const rows = [put(noteKey(ctx.self, message.name), message.text)];
        return { ...say({ ...counter, count: counter.count + 1 }, ctx), rows };
      }
      case "pad":
        return say({ ...counter, padding: "x".repeat(message.length) }, ctx);
      case "once":
        return once(counter, message.digest, ctx);
      case "end":
        return { ...say(counter, ctx), head: undefined };
      case "due": {
        const { dueMs: _, soundFromMs = 0, ...awake } = counter;
        if (ctx.atMs < soundFromMs) throw new Error("a toy broke");
        return say({ ...awake, count: counter.count + 1_000 }, ctx);
      }
    }
  },
  dueAt: ({ dueMs }) => dueMs,
  resume: ({ calls = [] }) => calls.map((name) => ({ kind: "call", name })),
};

function say(head: Counter, { request }: Context): CounterDecision {
  const reply = { kind: "counted", count: head.count };
  return {
    head,
    rows: [],
    replies: request === undefined ? [] : [{ to: request, reply }],
    effects: [],
  };
}

function once(counter: Counter, digest: string, ctx: Context): CounterDecision {
  const partition = getPartition(ctx.self);
  const key: Key<string> = createKey(partition, codes.once, digest);
  if (ctx.get(key) !== undefined) {
    const replies =
      ctx.request === undefined ? [] : [{ to: ctx.request, reply: { kind: "again" } }];
    return { head: counter, rows: [], replies, effects: [] };
  }
  const next = { ...counter, count: counter.count + 1 };
  return { ...say(next, ctx), rows: [put(key, digest)] };
}

export const toys: Domain = {
  actorByCode: new Map<number, AnyActor>([
    [codes.counter, counterActor],
    [codes.listed, counterActor],
  ]),
  sweeps: [],
  windows: [{ code: codes.once, windowMs }],
};

/** The stores that a shard leaves behind when it dies. */
export interface Disk {
  readonly journal: Journal;
  readonly tables: Tables;
}

export function memoryDisks(count: number): Disk[] {
  return Array.from({ length: count }, () => ({
    journal: memoryJournal(),
    tables: memoryTables(),
  }));
}

export interface BenchOptions {
  readonly disks: readonly Disk[];
  /** Whether the last disk is the directory's. */
  readonly hasDirectory?: boolean;
  readonly startMs?: number;
  readonly perform?: (delivery: Delivery) => Promise<Performance>;
}

/** Lets every promise that can settle do so. */
export function idle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/**
 * The shards of one process. A crash is a new bench over the same disks: the old one never runs
 * again.
 */
export class Bench {
  readonly clock: ManualClock;
  readonly disks: readonly Disk[];
  readonly shardCount: number;
  readonly shards: (Shard | undefined)[] = [];
  readonly events: { readonly shard: number; readonly event: ShardEvent }[] = [];
  readonly performed: Delivery[] = [];
  readonly broken: Key[] = [];
  /** What the shards reported of their flushes. */
  readonly flushes: unknown[] = [];
  readonly outbox: Outbox;
  /** For each shard, resolves to the error that ended its loop, or to undefined after a stop. */
  readonly ends: Promise<unknown>[] = [];
  private readonly waiting = new Map<number, (reply: unknown) => void>();
  private lastRequest = 0;

  constructor({ disks, hasDirectory = false, startMs = 1_000_000, perform }: BenchOptions) {
    this.clock = new ManualClock(startMs);
    this.disks = disks;
    this.shardCount = hasDirectory ? disks.length - 1 : disks.length;
    this.outbox = new Outbox(this.shardCount, {
      send: (shard, message) => this.shards[shard]?.receive(message, "settle"),
      perform: (delivery) => {
        this.performed.push(delivery);
        return perform?.(delivery) ?? Promise.resolve({ kind: "kept" });
      },
      onFault: () => {},
      after: (delayMs, run) => void this.clock.after(delayMs, run),
    });
  }

  async open(shard: number): Promise<void> {
    const place = { shard, shardCount: this.shardCount };
    const { journal, tables } = this.disks[shard] ?? {
      journal: memoryJournal(),
      tables: memoryTables(),
    };
    const opened = await openShard(
      place,
      toys,
      { clock: this.clock, journal, tables, startMs: this.clock.nowMs() },
      {
        owner: { node: "node", nonce: "nonce", store: "store", members: ["node"], isQuorum: false },
      },
      {
        event: (event) => this.hear(shard, event),
        deliver: (deliveries, acknowledged) => {
          this.outbox.acknowledge(acknowledged);
          this.outbox.deliver(shard, deliveries);
        },
        brokenStep: (actor) => this.broken.push(actor),
        report: () => {},
        flushes: (error) => this.flushes.push(error),
      },
    );
    this.shards[shard] = opened;
    this.ends[shard] = opened.run().catch((error: unknown) => error);
    this.outbox.onOpen(shard);
    await idle();
  }

  /** Asks an actor; resolves to its answer, or to `undefined` while there is none. */
  ask(to: Key, message: CounterMessage, lane: Lane = "work"): Promise<unknown> {
    const request = ++this.lastRequest;
    const reply = new Promise((resolve) => this.waiting.set(request, resolve));
    this.shards[getShard(to, this.shardCount)]?.receive({ to, message, request }, lane);
    return reply;
  }

  /** Does the same as `ask` for many at once; resolves after all that follows from them. */
  async askAll(asks: readonly (readonly [Key, CounterMessage])[]): Promise<unknown[]> {
    const replies = asks.map(([to, message]) => this.ask(to, message));
    const all = await Promise.all(replies);
    await idle();
    return all;
  }

  async count(to: Key): Promise<unknown> {
    const reply = await this.ask(to, { kind: "look" });
    return (reply as { count?: number }).count;
  }

  /** Lets time pass in steps that a shard can follow. */
  async pass(byMs: number): Promise<void> {
    for (let leftMs = byMs; leftMs > 0; leftMs -= 250) {
      this.clock.advance(Math.min(250, leftMs));
      await idle();
    }
  }

  /** Lists the records that a shard released, each as its writes. */
  releases(shard: number): [Key, string | undefined][][] {
    return this.events.flatMap(({ shard: at, event }) =>
      at === shard && event.kind === "release" && event.record.length > 0
        ? [readTexts(event.record)]
        : [],
    );
  }

  private hear(shard: number, event: ShardEvent): void {
    this.events.push({ shard, event });
    if (event.kind !== "release") return;
    for (const { to, reply } of event.replies) {
      this.waiting.get(to)?.(reply);
      this.waiting.delete(to);
    }
  }
}

export async function openBench(options: BenchOptions): Promise<Bench> {
  const bench = new Bench(options);
  for (let shard = 0; shard < options.disks.length; shard++) await bench.open(shard);
  return bench;
}

/** Restarts the process after a crash: the same disks, everything else new. */
export function restart(bench: Bench, perform?: BenchOptions["perform"]): Promise<Bench> {
  const startMs = bench.clock.nowMs();
  return openBench({ disks: bench.disks, startMs, ...omitUndefined({ perform }) });
}

/** Reads the writes of a record as keys and JSON texts. */
export function readTexts(record: Uint8Array): [Key, string | undefined][] {
  const texts: [Key, string | undefined][] = [];
  eachWrite(record, (key, start, end) => {
    texts.push([key, getText({ record, start, end })]);
  });
  return texts;
}
