/**
 * Holds `coverage.md`, the rows of the specification and their tests, against the tests: each row
 * names a test that runs. A title is read from the syntax of its file, so that a mere string, a
 * comment, a test without a body and one that is always skipped do not count.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import ts from "typescript";

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
  .map(readRow)
  .filter(({ row }) => row !== "Row" && !/^-+$/.test(row));

function readRow(line: string): Row {
  // A bar inside a cell is written with a backslash.
  const cells = line.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
  const [, row = "", file = "", title = ""] = cells;
  return { row, file, title };
}

/** Reads the titles of the tests in a file; templates keep their placeholders as written. */
function readTitles(file: string): Set<string> {
  const text = readFileSync(join(tests, file), "utf8");
  const titles = new Set<string>();
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
  return titles;

  function visit(node: ts.Node): void {
    if (ts.isCallExpression(node) && isTest(node)) {
      const [title, ...rest] = node.arguments;
      if (rest.some(isSkipped) || !rest.some(isBody)) return;
      if (title !== undefined) titles.add(readTitle(title));
    }
    ts.forEachChild(node, visit);
  }
}

function isTest({ expression }: ts.CallExpression): boolean {
  return ts.isPropertyAccessExpression(expression) && expression.name.text === "test";
}

function readTitle(title: ts.Expression): string {
  return ts.isStringLiteralLike(title) ? title.text : title.getText().slice(1, -1);
}

/** Whether options switch a test off without a condition. */
function isSkipped(argument: ts.Expression): boolean {
  return (
    ts.isObjectLiteralExpression(argument) &&
    argument.properties.some(
      (property) =>
        ts.isPropertyAssignment(property) &&
        ["skip", "todo"].includes(property.name.getText()) &&
        isTrue(property.initializer),
    )
  );
}

function isTrue(value: ts.Expression): boolean {
  return value.kind === ts.SyntaxKind.TrueKeyword || ts.isStringLiteralLike(value);
}

function isBody(argument: ts.Expression): boolean {
  return !ts.isObjectLiteralExpression(argument);
}

t.test("each row names a test that runs", async (t) => {
  const titles = new Map([...new Set(rows.map(({ file }) => file))].map((f) => [f, readTitles(f)]));
  const wrong = rows.filter(({ file, title }) => !titles.get(file)?.has(title));
  t.strictSame(wrong, []);
  t.ok(rows.length > 300, `${rows.length} rows`);
});

t.test("no row stands twice", async (t) => {
  const keys = rows.map((row) => JSON.stringify(row));
  t.strictSame(
    keys.filter((key, place) => keys.indexOf(key) < place),
    [],
  );
});
