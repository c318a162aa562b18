/**
 * What an actor is. `decide` is pure: everything it knows arrives in the head, the message and
 * `get`.
 *
 * An actor's address is the key of its head: partition, table code, id. The engine finds the actor
 * of a message by the table code, so it needs no knowledge of what the actors are about.
 */
import type { Address, ReplyTo, RequestId } from "./address.ts";
import type { Key } from "./key.ts";
import type { EncodedRow, RowCodecs } from "./row-codec.ts";

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
  /** Data of a head for `indexEntries`; kept until the next flush instead of the head. */
  indexed?(head: Head): unknown;
  /**
   * Rows by which range reads find the actor; they follow from what is `indexed`, so need no
   * record. `hasEarlier`: the tables hold rows of an earlier head, one that waited for something.
   */
  indexEntries?(indexed: unknown, hasEarlier: boolean): readonly RowWrite[];
  /**
   * Often asked: its heads may stay in memory, within the bound of the cache, though they wait for
   * nothing.
   */
  readonly staysCached?: true;
  /** What an operator's log may read of a head that has just become durable. */
  report?(head: Head): Report | undefined;
}

export interface Report {
  /** `warn` for what failed. */
  readonly level: "info" | "warn";
  readonly message: string;
  /** Called only for a line that is written. */
  readonly fields: (get: Context["get"]) => object;
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
   * Reads this batch, then fresh rows, then the table. Must not be used for heads of other actors.
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

/** The domain as the engine sees it. */
export interface Domain {
  readonly actorByCode: ReadonlyMap<number, AnyActor>;
  /** How tables encode their rows, those that do not as JSON does. */
  readonly rowCodecs?: RowCodecs;
  /** Short windows by table code; see `window.ts`. */
  readonly windows: readonly WindowRule[];
  readonly sweeps: readonly SweepRule[];
}

/**
 * Actors that are woken once in a while to end or to renew. They are found by their place in a
 * range, so none of them needs a timer for it.
 */
export interface SweepRule {
  /** The rows of a partition whose time has come. */
  readonly source: (partition: number, nowMs: number) => KeyRange;
  /** The actor that a row stands for; without it the rows are the actors' own heads. */
  readonly actorOf?: (row: Key) => Key;
  readonly message: unknown;
}

/** A table that is kept in memory only, for `windowMs`, and rebuilt from other rows at start. */
export interface WindowRule {
  readonly code: number;
  readonly windowMs: number;
  /** Key bounds of the rows to read for one partition, given the oldest instant that matters. */
  readonly source: (partition: number, sinceMs: number) => KeyRange;
  /** The window's entry that such a row stands for. */
  readonly entry: (key: Key, row: unknown) => WindowEntry | undefined;
}

/** Both are 16 bytes as binary strings; `key` is the full key with partition and code. */
export interface WindowEntry {
  readonly key: Key<string>;
  readonly value: string;
  readonly atMs: number;
}

/** `[start, end)` in byte order. */
export interface KeyRange {
  readonly start: Key;
  readonly end: Key;
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

/** How rows read, and which of them follow from heads. */
export type RowRules = Pick<Domain, "actorByCode" | "rowCodecs">;
