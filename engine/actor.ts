/**
 * What an actor is. `decide` is pure: everything it knows arrives in the head, the message and
 * `get`.
 *
 * An actor's address is the key of its head: partition, table code, id. The engine finds the actor
 * of a message by the table code, so it needs no knowledge of what the actors are about.
 */
import type { Address, ReplyTo, RequestId } from "./address.ts";
import type { Key } from "./key.ts";
import type { Tally } from "./metrics/tally.ts";
import type { Span } from "./ports/traces.ts";
import type { EncodedRow } from "./row-codec.ts";

export interface Actor<Head, Message, Effect, Reply = ReplyTo<Message>> {
  readonly kind: string;
  /** `head` is undefined if the actor does not exist. No waiting, no randomness, no clocks. */
  decide(head: Head | undefined, message: Message, ctx: Context<Reply>): Decision<Head, Effect>;
  /**
   * Shard time in milliseconds at which the actor gets `{ kind: "due" }`; the only source of
   * timers.
   */
  dueAt(head: Head): number | undefined;
  /**
   * Returns the effects that were under way when the shard went down, for an actor that waits for
   * one: they are handed over again at start, so an effect needs no row. The performer recognises
   * those that it already has.
   */
  resume?(head: Head, ctx: Context): readonly Effect[];
  /**
   * For frequently addressed actors: their heads may stay in memory, within the bound of the cache,
   * though they wait for nothing.
   */
  readonly staysCached?: true;
  /** Returns operators' data on a head that has just become durable, without request content. */
  report?(head: Head): Report | undefined;
}

export interface Report {
  /** Log level; `warn` for failures. */
  readonly level: "info" | "warn";
  readonly message: string;
  /** Returns the fields of the log line; called only when it is written. */
  readonly fields: (get: Context["get"]) => object;
  /** Updates the counters; called once. */
  readonly count: (tally: Tally, get: Context["get"]) => void;
  /** Returns the span of a call that a client traces; called only where spans are exported. */
  readonly span: (get: Context["get"]) => Span | undefined;
}

/** What `decide` may read besides its head and its message. */
export interface Context<Reply = never> {
  /** Address of the actor itself. */
  readonly self: Key;
  /** Shard time, which increases with every step. */
  readonly atMs: number;
  /** The request that waits for a reply; pass it on in a tell to let another actor reply. */
  readonly request: RequestId<Reply> | undefined;
  /**
   * Reads this batch, then fresh rows, then the table. The head of another actor of the partition
   * is decoded at each read unless this batch wrote it, so such reads should be rare.
   */
  get<Row>(key: Key<Row>): Row | undefined;
}

export interface Decision<Head, Effect> {
  /** The next head; undefined ends the actor. The same object as before causes no write. */
  readonly head: Head | undefined;
  readonly rows: readonly RowWrite[];
  readonly replies: readonly Reply[];
  /**
   * Tells reach actors of this shard in the same step; those to other shards, and effects, go
   * through the outbox.
   */
  readonly effects: readonly (Tell | Effect)[];
}

/** A write of one row; an undefined `value` deletes the row. */
export interface RowWrite {
  readonly key: Key;
  readonly value: unknown;
}

/** An object under construction: spreads cost V8 several times as much as assignments. */
export type Draft<Whole> = { -readonly [Member in keyof Whole]: Whole[Member] };

export interface Reply {
  readonly to: RequestId;
  readonly reply: unknown;
}

export interface Tell {
  readonly kind: "tell";
  readonly to: Key;
  readonly message: unknown;
  /** The address has just been created, so there is no head to look up. */
  readonly isBirth?: true;
}

/** The part of an effect leaving the shard that the engine reads. */
export interface OutsideEffect {
  readonly kind: string;
}

export type AnyActor = Actor<unknown, unknown, OutsideEffect, never>;

/** The message that an actor gets when the `dueAt` of its head has passed. */
export interface Due {
  readonly kind: "due";
}

/** Builds a decision from its parts; omitted parts are empty. */
export function decision<Head, Effect = never>(
  head: NoInfer<Head> | undefined,
  parts: {
    readonly rows?: readonly RowWrite[];
    readonly replies?: readonly Reply[];
    readonly effects?: readonly (Tell | NoInfer<Effect>)[];
  } = {},
): Decision<Head, Effect> {
  const { rows = [], replies = [], effects = [] } = parts;
  return { head, rows, replies, effects };
}

/** Builds the reply to the waiting request, if there is one. */
export function answer<R>(
  { request }: { readonly request: RequestId<R> | undefined },
  reply: NoInfer<R>,
): readonly Reply[] {
  return request === undefined ? [] : [{ to: request, reply }];
}

export function tell<Message>(to: Address<Message>, message: NoInfer<Message>): Tell {
  return { kind: "tell", to, message };
}

/** Builds a tell to an actor of this shard that the message creates. */
export function birth<Message>(to: Address<Message>, message: NoInfer<Message>): Tell {
  return { kind: "tell", to, message, isBirth: true };
}

export function put<Row>(key: Key<Row>, value: Row | EncodedRow): RowWrite {
  return { key, value };
}
