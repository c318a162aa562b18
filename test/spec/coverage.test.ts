/** Holds `coverage.md`, the rows of the specification and their tests, against the tests. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";

/** Tests run compiled; their sources stand beside `dist`. */
const tests = join(import.meta.dirname, "../../../test");

interface Row {
  readonly row: string;
  readonly file: string;
  readonly title: string;
}

const lines = readFileSync(join(tests, "spec/coverage.md"), "utf8").split("\n");
const rows = lines
  .filter((line) => line.startsWith("| "))
  .map(read)
  .filter(({ row }) => row !== "Row" && !/^-+$/.test(row));

function read(line: string): Row {
  // A bar inside a cell is written with a backslash.
  const cells = line.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
  const [, row = "", file = "", title = ""] = cells;
  return { row, file, title };
}

const texts = new Map<string, string>();

function textOf(file: string): string {
  const path = join(tests, file);
  const text = texts.get(file) ?? (existsSync(path) ? readFileSync(path, "utf8") : "");
  texts.set(file, text);
  return text;
}

t.test("each row names a test that is there", async (t) => {
  const wrong = rows.filter(({ file, title }) => {
    const text = textOf(file);
    return title === "" || !['"', "'", "`"].some((mark) => text.includes(mark + title + mark));
  });
  t.strictSame(wrong, []);
  t.ok(rows.length > 300, `${rows.length} rows`);
});
