import { spawnSync } from "node:child_process";
import { cpSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { openTables, openTableView } from "../../engine/adapters/lmdb.ts";
import { checkTablesFile } from "../../engine/adapters/lmdb-file.ts";
import { StoreDamage } from "../../engine/ports/store-damage.ts";

const pageBytes = 4_096;
const lmdb = JSON.stringify(new URL("../../engine/adapters/lmdb.js", import.meta.url).href);
/** Uses up free pages; a page that is missing ends the process. */
const fill = `const { openTables } = await import(${lmdb});
  const tables = openTables(process.argv[1]);
  await tables.write(Array.from({ length: 6_000 }, (_, n) => ["new" + n, "x".repeat(1_000)]));
  await tables.close();`;

/**
 * Makes tables whose list of free pages has several levels and a value with pages of its own, and
 * then writes a row some times, with the pages that are used again by then.
 */
async function makeTables(path: string, writes: number): Promise<void> {
  const tables = openTables(path);
  const rows = Array.from({ length: 4_000 }, (_, n) => `row${n}`);
  await tables.write([["kept", "1"]]);
  await tables.write(rows.map((key) => [key, "x".repeat(1_000)]));
  const view = openTableView(path);
  for (let pass = 0; pass < 400; pass++) await tables.write([["kept", String(pass)]]);
  await tables.write(rows.map((key) => [key, undefined]));
  await view.close();
  for (let pass = 0; pass < writes; pass++) await tables.write([["kept", String(pass)]]);
  await tables.close();
}

/** Returns the damage that is found, without the sizes. */
function examine(path: string): string {
  try {
    checkTablesFile(path);
    return "none";
  } catch (error) {
    if (error instanceof StoreDamage) return error.message.replace(/.* bytes, /, "");
    throw error;
  }
}

t.test("tables that were cut short are damaged unless only free pages are gone", async (t) => {
  const folder = t.testdir();
  for (const [writes, last, half] of [
    [0, "its list of free pages is lost", "the rows behind are lost"],
    [2, "none", "its list of free pages is lost"],
    [4, "none", "none"],
  ] as const) {
    const whole = join(folder, `whole-${writes}`);
    await makeTables(whole, writes);
    t.equal(examine(whole), "none");
    const pages = statSync(join(whole, "data.mdb")).size / pageBytes;
    for (const [left, damage] of [
      [pages - 1, last],
      [pages / 2, half],
    ] as const) {
      const path = join(folder, `${writes}-${left}`);
      cpSync(whole, path, { recursive: true });
      truncateSync(join(path, "data.mdb"), left * pageBytes);
      t.equal(examine(path), damage, `${left} of ${pages} pages after ${writes} writes`);
      if (damage !== "none") continue;
      const args = ["--input-type=module", "--eval", fill, path];
      t.equal(spawnSync(process.execPath, args).status, 0, "its free pages are used again");
    }
  }
});
