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
  /** `head` is undefined when the actor does not exist. Must not wait, draw or look at a clock. */
  decide(head: Head | undefined, message: Message, ctx: Context<Reply>): Decision<Head, Effect>;
  /**
   * Milliseconds of shard time at which the actor gets `{ kind: "due" }`; the one source of timers.
   */
  dueAt(head: Head): number | undefined;
  /**
   * Effects that were under way when the shard went down, for an actor that waits for one: handed
   * over once more at start, so an effect needs no row of its own. The performer knows what it has
   * already.
   */
  resume?(head: Head, ctx: Context): readonly Effect[];
  /**
   * Often asked: its heads may stay in memory, within the bound of the cache, though they wait for
   * nothing.
   */
  readonly staysCached?: true;
  /** What operators learn of a head that has just become durable: no word of what was asked. */
  report?(head: Head): Report | undefined;
}

export interface Report {
  /** `warn` for what failed. */
  readonly level: "info" | "warn";
  readonly message: string;
  /** Of a line of the log; called only when it is written. */
  readonly fields: (get: Context["get"]) => object;
  /** Called once. */
  readonly count: (tally: Tally, get: Context["get"]) => void;
  /** Called where spans are told: of what a client traces. */
  readonly span: (get: Context["get"]) => Span | undefined;
}

/** What `decide` may look at besides its head and its message. */
export interface Context<Reply = never> {
  /** The actor's own address. */
  readonly self: Key;
  /** Shard time; rises from step to step. */
  readonly atMs: number;
  /** Who waits for a reply to this message; pass it on in a tell to let another actor reply. */
  readonly request: RequestId<Reply> | undefined;
  /**
   * Reads this batch, then fresh rows, then the table. A head of another actor of the partition is
   * decoded at each read unless this batch wrote it, so it is read where that is rare.
   */
  get<Row>(key: Key<Row>): Row | undefined;
}

export interface Decision<Head, Effect> {
  /** The next head; undefined ends the actor. The same object as before writes nothing. */
  readonly head: Head | undefined;
  readonly rows: readonly RowWrite[];
  readonly replies: readonly Reply[];
  /**
   * Tells go to actors of this shard in the same step, to other shards and to the outside by the
   * outbox.
   */
  readonly effects: readonly (Tell | Effect)[];
}

/** `value` undefined deletes. */
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
  /** The address was minted just now: there is no head to look for. */
  readonly isBirth?: true;
}

/** What the engine sees of an effect that leaves the shard. */
export interface OutsideEffect {
  readonly kind: string;
}

export type AnyActor = Actor<unknown, unknown, OutsideEffect, never>;

/** Sent when `dueAt` of the actor's head has passed. */
export interface Due {
  readonly kind: "due";
}

/** A decision from its parts; omitted parts are empty. */
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

/** The reply to the waiting request, if there is one. */
export function answer<R>(
  { request }: { readonly request: RequestId<R> | undefined },
  reply: NoInfer<R>,
): readonly Reply[] {
  return request === undefined ? [] : [{ to: request, reply }];
}

export function tell<Message>(to: Address<Message>, message: NoInfer<Message>): Tell {
  return { kind: "tell", to, message };
}

/** A tell to an actor of this shard that the message brings into being. */
export function birth<Message>(to: Address<Message>, message: NoInfer<Message>): Tell {
  return { kind: "tell", to, message, isBirth: true };
}

export function put<Row>(key: Key<Row>, value: Row | EncodedRow): RowWrite {
  return { key, value };
}
