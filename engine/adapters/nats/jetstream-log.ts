/**
 * A shard's log as a stream of JetStream. What keeps two owners apart is the expected last sequence
 * of the whole stream: the one of a subject admitted several winners on three servers of 2.9.10.
 * JetStream looks for duplicates before it looks at the expected sequence, so an id names one
 * owner's attempt and no other, and an acknowledgement counts only with the sequence that was
 * expected. A single server of 2.15.1 looks at the sequence first: then the stored record's id
 * tells whose it is.
 *
 * JetStream syncs its disks now and then only: a power cut may take the end of a log, or all of it.
 * A replica of 2.9 whose server was killed may have lost its end, say that it is current, and lead
 * the stream. A purge beyond the last entry leaves a stream that refuses every record (2.9.10) or
 * has no leader any more (2.15.1), so a log that lost records is deleted and made anew.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { Log, LogEnd, LogEntry, LogSize } from "../../ports/log.ts";
import { PortError } from "../../ports/port-error.ts";
import {
  consumerOpts,
  type JetStreamSubscription,
  type NatsConnection,
  NatsError,
  nanos,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from "./nats.ts";

const bounds = {
  requestMs: 2_000,
  /** At most a minute of tries when no server answers; about half of it during an election. */
  attempts: 30,
  againMs: 500,
  /** Silence after which a follower checks whether the servers have lost its subscription. */
  idleHeartbeatMs: 1_000,
  followAgainMs: 250,
} as const;

const codes = { streamNotFound: 10_059, noMessage: 10_037, wrongLastSequence: 10_071 } as const;

/** Opens the log of the shard, and creates it when there is none. Throws `PortError`. */
export function openJetStreamLog(connection: NatsConnection, shard: string): Promise<Log> {
  const place = { stream: `LOG_${shard}`, subject: `LOG.${shard}`, keepMs: 24 * 3_600_000 };
  return openStream(connection, place);
}

export interface StreamPlace {
  readonly stream: string;
  readonly subject: string;
  /** Age at which entries are dropped; nodes away for longer start from a snapshot. */
  readonly keepMs?: number;
}

/** Opens a stream, and creates it when there is none. Throws `PortError`. */
export async function openStream(connection: NatsConnection, place: StreamPlace): Promise<Log> {
  const log = new JetStreamLog(connection, place);
  await patiently(() => log.make());
  return log;
}

/**
 * Repeats a request while servers start or elect the leader of a stream; `onWait` is called after
 * the first failure. Throws `PortError`.
 */
export async function patiently<T>(ask: () => Promise<T>, onWait?: () => void): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await ask();
    } catch (error) {
      const isLast = attempt === bounds.attempts;
      if (isLast || !(error instanceof PortError && error.retryable)) throw error;
      if (attempt === 1) onWait?.();
      await pause(bounds.againMs);
    }
  }
}

class JetStreamLog implements Log {
  private readonly connection: NatsConnection;
  private readonly place: StreamPlace;
  private readonly stream: string;
  private readonly subject: string;

  constructor(connection: NatsConnection, place: StreamPlace) {
    this.connection = connection;
    this.place = place;
    this.stream = place.stream;
    this.subject = place.subject;
  }

  /** Creates the stream; does nothing when it exists. */
  async make(): Promise<void> {
    // A single server keeps one copy; a cluster keeps three.
    const replicas = this.connection.info?.cluster === undefined ? 1 : 3;
    await askStream("make the log", async () => {
      const manager = await this.manager();
      await manager.streams.add(streamConfig(this.place, replicas));
    });
  }

  async publish(record: Uint8Array, id: string, after: number): Promise<boolean> {
    const client = this.connection.jetstream({ timeout: bounds.requestMs });
    try {
      const options = { msgID: id, expect: { lastSequence: after } };
      const { seq, duplicate } = await client.publish(this.subject, record, options);
      if (seq === after + 1) return true;
      if (duplicate) return false;
      // The record is in the wrong place: the server ignored the expected sequence.
      throw new PortError(`the log took a record at ${seq} that belongs at ${after + 1}`, false);
    } catch (error) {
      if (getCode(error) !== codes.wrongLastSequence) throw createFault("append to the log", error);
    }
    return (await this.idAt(after + 1)) === id;
  }

  async end(): Promise<LogEnd> {
    const last = await this.get({ last_by_subj: this.subject });
    if (last !== undefined) return last;
    const { state } = await askStream("look at the log", async () =>
      (await this.manager()).streams.info(this.stream),
    );
    return { logSeq: state.last_seq, record: undefined };
  }

  async agreedEnd(): Promise<LogEnd> {
    // A purge is answered when most servers have stored it, and this one finds no entry.
    await askStream("ask all servers of the log", async () => {
      const manager = await this.manager();
      await manager.streams.purge(this.stream, { filter: `${this.subject}.none` });
    });
    return this.end();
  }

  at(logSeq: number): Promise<LogEntry | undefined> {
    return this.get({ seq: logSeq });
  }

  follow(logSeq: number, onEntry: (entry: LogEntry) => void): () => void {
    let subscription: JetStreamSubscription | undefined;
    let isOver = false;
    let next = logSeq;
    const run = async () => {
      while (!isOver) {
        try {
          subscription = await this.subscribe(next);
          if (isOver) subscription.unsubscribe();
          for await (const { seq, data } of subscription) {
            if (isOver) return;
            if (seq < next) continue;
            next = seq + 1;
            onEntry({ logSeq: seq, record: Uint8Array.from(data) });
          }
        } catch (error) {
          // Servers that are unreachable, or have lost the stream, are tried again.
          if (!(error instanceof Error)) throw error;
        }
        await pause(bounds.followAgainMs);
      }
    };
    void run();
    return () => {
      isOver = true;
      subscription?.unsubscribe();
    };
  }

  async size(): Promise<LogSize> {
    const { state } = await askStream("look at the log", async () =>
      (await this.manager()).streams.info(this.stream),
    );
    const { messages, first_seq, last_seq, bytes } = state;
    return { firstSeq: messages === 0 ? last_seq + 1 : first_seq, bytes };
  }

  async trim(logSeq: number): Promise<void> {
    // A purge up to sequence 1, the first entry, would remove all entries.
    if (logSeq === 0) return;
    await askStream("trim the log", async () => {
      const manager = await this.manager();
      await manager.streams.purge(this.stream, { seq: logSeq + 1 });
    });
  }

  async restart(): Promise<void> {
    await askStream("begin the log anew", async () => {
      const manager = await this.manager();
      try {
        await manager.streams.delete(this.stream);
      } catch (error) {
        if (getCode(error) !== codes.streamNotFound) throw error;
      }
    });
    await patiently(() => this.make());
  }

  private subscribe(from: number): Promise<JetStreamSubscription> {
    const options = consumerOpts();
    options.orderedConsumer();
    options.startSequence(from);
    options.idleHeartbeat(bounds.idleHeartbeatMs);
    const client = this.connection.jetstream({ timeout: bounds.requestMs });
    return client.subscribe(this.subject, options);
  }

  private async get(
    query: { seq: number } | { last_by_subj: string },
  ): Promise<LogEntry | undefined> {
    try {
      const manager = await this.manager();
      const { seq, data } = await manager.streams.getMessage(this.stream, query);
      return { logSeq: seq, record: Uint8Array.from(data) };
    } catch (error) {
      if (getCode(error) === codes.noMessage) return undefined;
      if (getCode(error) !== codes.streamNotFound) throw createFault("read the log", error);
      // The servers have lost the stream, so it is created again, empty.
      await this.make();
      return undefined;
    }
  }

  /** Returns the id with which the record was published; undefined where there is no record. */
  private async idAt(seq: number): Promise<string | undefined> {
    try {
      const manager = await this.manager();
      const { header } = await manager.streams.getMessage(this.stream, { seq });
      return header.get("Nats-Msg-Id");
    } catch (error) {
      if (getCode(error) === codes.noMessage) return undefined;
      throw createFault("read the log", error);
    }
  }

  private manager() {
    return this.connection.jetstreamManager({ timeout: bounds.requestMs, checkAPI: false });
  }
}

function streamConfig(
  { stream: name, subject, keepMs = 0 }: StreamPlace,
  replicas: number,
): Partial<StreamConfig> {
  return {
    name,
    subjects: [subject],
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    num_replicas: replicas,
    max_age: nanos(keepMs),
    duplicate_window: nanos(120_000),
  };
}

async function askStream<T>(what: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw createFault(what, error);
  }
}

/** Servers that are unreachable, or electing a leader, will answer later. */
function createFault(what: string, error: unknown): PortError {
  if (error instanceof PortError) return error;
  const why = error instanceof Error ? error.message : String(error);
  return new PortError(`could not ${what} (${why})`, true, error);
}

/** Returns JetStream's own error code. */
function getCode(error: unknown): number | undefined {
  return error instanceof NatsError ? error.api_error?.err_code : undefined;
}
