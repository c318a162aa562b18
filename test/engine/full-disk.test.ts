/** Tests LMDB's own error on a full disk, simulated by a limit on the size of files. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import t from "tap";

const adapter = join(import.meta.dirname, "../../engine/adapters/lmdb.js");

/** Writes too much, then little; an unhandled error would end the process. */
const attempts = `
  import { openTables } from ${JSON.stringify(adapter)};
  const tables = openTables("tables");
  const rows = (count) => Array.from({ length: count }, (_, at) => ["row " + at, "x".repeat(900)]);
  await tables.write(rows(20));
  for (const some of [rows(5000), rows(5000), [["row 0", "x".repeat(3e6)]]])
    await tables.write(some).catch(({ name, retryable }) => console.log(name, retryable));
  await new Promise(setImmediate);
  await tables.write([["row 0", "small"]]);
  tables.refresh();
  console.log(tables.range({ start: "row", end: "rox" }, 10000).length, tables.get("row 0"));
  process.exit(0);
`;

t.test("tables that have no room refuse a write whole, and take the next that fits", async (t) => {
  t.testdir({});
  const limited = 'trap "" XFSZ; ulimit -f 2048; exec "$0" --input-type=module -e "$1"';
  const run = spawnSync("sh", ["-c", limited, process.execPath, attempts], {
    cwd: t.testdirName,
    encoding: "utf8",
  });
  t.equal(run.stdout, "PortError true\nPortError true\nPortError true\n20 small\n", run.stderr);
  t.equal(run.status, 0);
});
