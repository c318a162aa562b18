/** A shard's tables as one object. */
import { join } from "node:path";
import t from "tap";
import { openTables, openTableView } from "../../engine/adapters/lmdb.ts";
import { memoryTables } from "../../engine/adapters/memory/memory-stores.ts";
import { memoryObjects } from "../../engine/adapters/objects/memory-objects.ts";
import { createKey } from "../../engine/key.ts";
import type { Objects } from "../../engine/ports/objects.ts";
import type { TableWrite } from "../../engine/ports/tables.ts";
import { ownerKey, positionKey } from "../../engine/shard/flush.ts";
import { noPosition } from "../../engine/shard/replica.ts";
import { allRows, readSnapshot, writeSnapshot } from "../../engine/shard/snapshot.ts";

const ownerRow: TableWrite = [ownerKey, JSON.stringify({ node: "a", nonce: "n" })];
const origin = { store: "store", shard: 3, nonce: "n1" };

t.test("a snapshot holds every row of the instant in which its view was opened", async (t) => {
  const path = join(t.testdir(), "tables");
  const tables = openTables(path);
  const rows: TableWrite[] = [positionRow(1, 7), ownerRow];
  for (let number = 0; number < 5_000; number++)
    rows.push([
      createKey(number % 256, 16, `${number}`),
      JSON.stringify(`kites, \u00e9 ${number}`),
    ]);
  rows.push([createKey(255, 254, "\u00ff\u00fe"), "x".repeat(900_000)]);
  await tables.write(rows);
  const view = openTableView(path);
  await tables.write([positionRow(1, 8), [createKey(9, 16, "later"), "1"]]);
  tables.refresh();
  const objects = memoryObjects();
  const snapshot = await writeSnapshot(view, objects, origin);
  t.match(snapshot, { epoch: 1, seq: 7, nonce: "n", objectKey: "snapshots/store/3/1-7-n1" });
  await view.close();

  const copy = memoryTables();
  for await (const some of readSnapshot(objects, snapshot)) await copy.write(some);
  const known = memoryTables();
  await known.write(rows);
  const all = Number.POSITIVE_INFINITY;
  t.strictSame(copy.range(allRows, all), known.range(allRows, all));
  await tables.close();
});

t.test("the newest snapshot is kept and the one before it", async (t) => {
  const objects = memoryObjects();
  for (const [epoch, seq, nonce] of [
    [1, 900, "a"],
    [2, 50, "b"],
    [2, 120, "c"],
    [2, 120, "d"],
  ] as const) {
    const view = memoryTables();
    await view.write([positionRow(epoch, seq), ownerRow]);
    await writeSnapshot(view, objects, { ...origin, nonce });
  }
  t.strictSame(await listKeys(objects), ["snapshots/store/3/2-120-c", "snapshots/store/3/2-120-d"]);
});

t.test("of tables that hold nothing there is no snapshot", async (t) => {
  const refusal = { name: "PortError", retryable: true };
  await t.rejects(writeSnapshot(memoryTables(), memoryObjects(), origin), refusal);
});

t.test("an object that is not what was stored is refused before a row is read", async (t) => {
  const objects = memoryObjects();
  const view = memoryTables();
  await view.write([positionRow(1, 1), ownerRow]);
  const snapshot = await writeSnapshot(view, objects, origin);
  await objects.put(snapshot.objectKey, [Buffer.alloc(snapshot.sizeBytes)]);
  const refusal = { name: "PortError", message: /is not what was stored there/ };
  await t.rejects(readSnapshot(objects, snapshot).next(), refusal);
});

function positionRow(epoch: number, seq: number): TableWrite {
  return [positionKey, JSON.stringify({ ...noPosition, epoch, seq })];
}

async function listKeys(objects: Objects): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of objects.list("snapshots/store/3")) keys.push(key);
  return keys.sort();
}
