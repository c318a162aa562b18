/**
 * From what is on disk to a shard that may open its gate: the journal's tail goes into the tables,
 * then the due index, the short windows and the undelivered effects are read back. Nothing
 * acknowledged is missing afterwards, and nothing else is there.
 */
import type { Domain, WindowRule } from "../domain.ts";
import { codeOf, engineTables, type Key, keyOf, partitionsOf, rangeOf } from "../key.ts";
import type { Journal } from "../ports/journal.ts";
import { StoreDamage } from "../ports/store-damage.ts";
import type { TableRow, Tables } from "../ports/tables.ts";
import { noHash, verify } from "../record.ts";
import { rowOf } from "../row-codec.ts";
import type { Delivery } from "./batch.ts";
import { actorOfDueKey, flushRows, type Position, positionKey } from "./flush.ts";
import { FreshRows } from "./fresh-rows.ts";
import { ShardRows } from "./shard-rows.ts";

export interface Recovered {
  readonly rows: ShardRows;
  readonly position: Position;
  readonly undelivered: readonly Delivery[];
}

export interface ShardPlace {
  readonly shard: number;
  readonly shardCount: number;
}

const rowsPerRead = 10_000;

export async function recover(
  place: ShardPlace,
  journal: Journal,
  tables: Tables,
  domain: Domain,
  startMs: number,
): Promise<Recovered> {
  const from = readPosition(tables);
  const rows = new ShardRows(tables, domain, Math.max(startMs, from.atMs));
  for (const { key, text } of owned(tables, place, engineTables.due))
    rows.due.restore(actorOfDueKey(key), Number(text));
  const tail = readTail(journal, from);
  await flushRows(rows, tail.rows.lastWrites(), tail.position, domain);
  await journal.trim(tail.position.seq);
  tables.refresh();
  // In the time that their entries were made in.
  const atMs = Math.max(startMs, tail.position.atMs);
  for (const rule of domain.windows) fillWindow(rows, rule, place, domain, atMs);
  const undelivered = [...readOutbox(tables, place), ...underWay(rows, tables, place, domain)];
  return { rows, position: tail.position, undelivered };
}

export function readPosition(tables: Pick<Tables, "get">): Position {
  const text = tables.get(positionKey);
  return text === undefined ? { seq: 0, epoch: 0, atMs: 0, hash: noHash } : JSON.parse(text);
}

function readTail(journal: Journal, from: Position): { rows: FreshRows; position: Position } {
  const rows = new FreshRows();
  let position = from;
  for (const { seq, record } of journal.from(from.seq + 1)) {
    position = follow(position, seq, record);
    rows.add(Uint8Array.from(record));
  }
  rows.freeze();
  return { rows, position };
}

/** Throws `StoreDamage` unless the record is the one that comes next (I1, I2). */
export function follow(position: Position, seq: number, record: Uint8Array): Position {
  const next = position.seq + 1;
  if (seq !== next)
    throw new StoreDamage(
      position.seq === 0
        ? `the journal begins with record ${seq}, and the tables that held what came before are gone`
        : `the journal lacks record ${next}${seq > next + 1 ? ` to ${seq - 1}` : ""}`,
    );
  const follows = verify(record, position.hash);
  if (follows?.seq !== seq || follows.epoch < position.epoch)
    throw new StoreDamage(
      `record ${seq} of the journal does not follow from the one before it, so it and what comes behind it cannot be trusted`,
    );
  const { epoch, atMs, hash } = follows;
  return { seq, epoch, atMs, hash };
}

function fillWindow(
  rows: ShardRows,
  rule: WindowRule,
  place: ShardPlace,
  domain: Domain,
  nowMs: number,
): void {
  const { first, last } = partitionsOf(place.shard, place.shardCount);
  for (let partition = first; partition <= last; partition++) {
    const range = rule.source(partition, nowMs - rule.windowMs);
    for (const { key, text } of all(rows.tables, range)) {
      const entry = rule.entry(key, rowOf(domain.rowCodecs, key, text));
      if (entry !== undefined) rows.setWindow(entry.key, entry.value, entry.atMs);
    }
  }
}

function readOutbox(tables: Tables, place: ShardPlace): Delivery[] {
  const deliveries: Delivery[] = [];
  for (const { key, text } of owned(tables, place, engineTables.outbox))
    deliveries.push({ key, ...JSON.parse(text) });
  const orderOf = ({ key = "" }: Delivery) => key.slice(2);
  return deliveries.sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
}

/** What actors that wait for something had under way outside. */
function* underWay(
  rows: ShardRows,
  tables: Tables,
  place: ShardPlace,
  domain: Domain,
): Generator<Delivery> {
  for (const { key } of owned(tables, place, engineTables.due)) {
    const self = actorOfDueKey(key);
    const head = rows.head(self, undefined);
    const actor = domain.actorByCode.get(codeOf(self));
    if (head === undefined || actor?.resume === undefined) continue;
    const get = <Row>(row: Key<Row>) => rows.row(row, 0) as Row | undefined;
    for (const effect of actor.resume(head, { self, atMs: 0, request: undefined, get }))
      yield { from: self, effect };
  }
}

function* owned(tables: Tables, place: ShardPlace, code: number): Generator<TableRow> {
  const { first, last } = partitionsOf(place.shard, place.shardCount);
  for (let partition = first; partition <= last; partition++)
    yield* all(tables, rangeOf(keyOf(partition, code, "")));
}

function* all(tables: Tables, range: { start: Key; end: Key }): Generator<TableRow> {
  let start = range.start;
  for (;;) {
    const page = tables.range({ start, end: range.end }, rowsPerRead);
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < rowsPerRead) return;
    start = `${last.key}\0`;
  }
}
