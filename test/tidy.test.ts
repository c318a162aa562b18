/**
 * The architecture, checked like any other behaviour. One rule a test; no rule lives only in prose.
 * Each test lists what breaks its rule, so a failure reads as a list of places to mend.
 */
import { basename, dirname } from "node:path";
import t from "tap";
import ts from "typescript";
import { exists, folders, isRoot, product, readRoot, type Source, sources } from "./source-tree.ts";

interface Ban {
  readonly word: string;
  readonly instead: string;
  readonly finds: (node: ts.Node) => boolean;
  /** Prefixes of the paths that may use the word. */
  readonly allowed: readonly string[];
}

const bans: readonly Ban[] = [
  {
    word: "Date.now(), new Date() or performance.now()",
    instead: "the clock port",
    finds: (node) =>
      isMember(node, "Date", "now") || isBareDate(node) || isMember(node, "performance", "now"),
    // The clock is read for how long a film took, for how long ago something was in the console,
    // and for a real store's time. No other test knows the time.
    allowed: [
      "console/clock.ts",
      // Only the preview plays a film in real time.
      "film/preview/preview.ts",
      "engine/adapters/system-clock.ts",
      "cli/compositions/render-delivery.ts",
      "bench/",
      "config/release/main.ts",
    ],
  },
  {
    word: "Math.random or randomUUID",
    instead: "the entropy port",
    finds: (node) => isMember(node, "Math", "random") || isNamed(node, "randomUUID"),
    // Names of temporary files are random, and clients have no ports.
    allowed: ["engine/adapters/", "clients/typescript/src/retry.ts", "cli/", "bench/", "test/"],
  },
  {
    word: "process.env",
    instead: "config/settings.ts, which a main.ts hands it to",
    finds: (node) => isMember(node, "process", "env"),
    // The local cluster starts programs, each with an environment made from its own.
    allowed: ["config/", "cli/cluster/", "test/"],
  },
  {
    word: "console",
    instead: "the log, or the command line's output",
    finds: (node) => ts.isPropertyAccessExpression(node) && isNamed(node.expression, "console"),
    allowed: [],
  },
  {
    word: "an empty catch",
    instead: "handling the error",
    finds: (node) => ts.isCatchClause(node) && node.block.statements.length === 0,
    allowed: [],
  },
  {
    word: "#name",
    instead: "private, which costs nothing",
    finds: (node) => ts.isPrivateIdentifier(node),
    allowed: [],
  },
  {
    word: "any",
    instead: "unknown and a check",
    finds: (node) => node.kind === ts.SyntaxKind.AnyKeyword,
    allowed: [],
  },
  {
    word: "as unknown as",
    instead: "a schema or a type guard",
    finds: (node) =>
      ts.isAsExpression(node) &&
      ts.isAsExpression(node.expression) &&
      node.expression.type.kind === ts.SyntaxKind.UnknownKeyword,
    allowed: [],
  },
  {
    word: "a default export",
    instead: "a name",
    finds: (node) => ts.isExportAssignment(node) || node.kind === ts.SyntaxKind.DefaultKeyword,
    allowed: [],
  },
  {
    word: "export *",
    instead: "an import from where the thing is",
    finds: (node) => ts.isExportDeclaration(node) && node.exportClause === undefined,
    allowed: [],
  },
];

const bannedParts =
  /^(managers?|services?|helpers?|utils?|handlers?|factory|factories|base|impl|data|info)$/i;

/** Names of nodes that help the one that leads a film: here `helper` is the exact word. */
const helperNodes = /^(?:is)?helper(?:task|ports|node|input)$|^(?:farm|render)-?helpers$/i;

/** Names that contain a banned part, and why they may. */
const nameExceptions: Readonly<Record<string, string>> = {
  Service: "what every route stands on; the thing is called a service",
  service: "its file",
  "in-process-service": "the same without a socket, for the specification's tests",
  "data-directory": "the operator's word: KLIEG_DATA_DIR",
  DataDirectory: "the same",
  DataDirectoryError: "the same",
  openDataDirectory: "the same",
};

/** Files that a program writes; the program is read in their place. */
const writtenByProgram = ["clients/typescript/src/generated/models.ts"];

t.test("no file exceeds 400 lines", async (t) => {
  const written = sources.filter(({ path }) => !writtenByProgram.includes(path));
  const lengths = written.map(({ path, text }) => ({ path, lines: text.split("\n").length - 1 }));
  const wrong = lengths.filter(({ lines }) => lines > 400);
  t.strictSame(
    wrong.map(({ path, lines }) => `${path}: ${lines} lines`),
    [],
  );
});

/** Folders of models and tests, which hold many files of a kind. */
const manyOfAKind = /^test\/|^render-farm\/models\//;

t.test("no folder has more than 25 files beside each other", async (t) => {
  const counts = new Map<string, number>();
  for (const { path } of sources) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  const wrong = [...counts].filter(
    ([folder, files]) => files > 25 && !manyOfAKind.test(`${folder}/`),
  );
  t.strictSame(wrong, []);
});

t.test("each folder says what it owns, what it may import and where to begin", async (t) => {
  for (const folder of folders) {
    const head = readRoot(`${folder}/README.md`);
    t.match(head, /^# .+\n\n[^#]+\n\n- May import: [^#]+\n- Begin with: [^#]+$/, folder);
    const named = [...(head.split("- Begin with: ")[1]?.matchAll(/`([\w./-]+)`/g) ?? [])];
    const missing = named.filter(([, path = ""]) => path.includes(".") || path.includes("/"));
    t.strictSame(
      missing.filter(([, path = ""]) => !exists(`${folder}/${path}`)),
      [],
      folder,
    );
  }
});

/** Lines that the formatter cannot break: a URL, or a line that is one string. */
const unbreakable = /https?:\/\/|^\s*(return |detail: |[?:] )?(["'`]).*\2( \+|[,;])?$/;

t.test("no line exceeds 100 columns, but for a URL or a whole string", async (t) => {
  const wrong = sources.flatMap(({ path, text }) =>
    text.split("\n").flatMap((line, at) => {
      const isLong = line.length > 100 && !unbreakable.test(line);
      return isLong ? [`${path}:${at + 1}: ${line.length} columns`] : [];
    }),
  );
  t.strictSame(wrong, []);
});

t.test("no function exceeds 60 lines", async (t) => {
  const wrong = product.flatMap((source) =>
    nodes(source)
      .filter(ts.isFunctionLike)
      .map((node) => ({ at: place(source, node), lines: listLines(source, node) }))
      .filter(({ lines }) => lines > 60)
      .map(({ at, lines }) => `${at}: ${lines} lines`),
  );
  t.strictSame(wrong, []);
});

for (const { word, instead, finds, allowed } of bans)
  t.test(`${word} is used only where it may be; elsewhere use ${instead}`, async (t) => {
    const wrong = sources
      .filter(({ path }) => !allowed.some((beginning) => path.startsWith(beginning)))
      .filter(({ path }) => word !== "process.env" || !isRoot(path))
      .flatMap((source) =>
        nodes(source)
          .filter(finds)
          .map((node) => place(source, node)),
      );
    t.strictSame(wrong, []);
  });

/** Words that the glossary of ARCHITECTURE.md replaced. */
const retired =
  /\b(?:vparts?|TurnView|spell(s|ed)?|wasWaiting|materialis\w*|reel|crew|isUnlit|hears?)\b/i;

/** Words banned in comments, which have to name the thing that acts. */
const riddle = /^\s*(?:\*|\/\/|\/\*).*\b(?:whoever|nobody|somebody)\b/i;

t.test("the words of the glossary are kept: one word for one thing", async (t) => {
  const wrong = product.flatMap(({ path, text }) =>
    text.split("\n").flatMap((line, at) => {
      const word = retired.exec(line)?.[0] ?? riddle.exec(line)?.[0];
      return word === undefined ? [] : [`${path}:${at + 1}: ${word}`];
    }),
  );
  t.strictSame(wrong, []);
});

t.test("names say what a thing is: no Manager, Helper, Util ...", async (t) => {
  const names = sources.flatMap((source) => [
    { at: source.path, name: basename(source.path).replace(/(\.test)?\.tsx?$/, "") },
    ...listExported(source).map((name) => ({ at: source.path, name })),
  ]);
  const wrong = names.filter(({ name }) => {
    const parts = name.split(/[-_.]|(?<=[a-z0-9])(?=[A-Z])/);
    const isBanned = parts.some((part) => bannedParts.test(part));
    const mayBe = nameExceptions[name] !== undefined || helperNodes.test(name.replace("-n", "n"));
    return isBanned && !mayBe;
  });
  t.strictSame(
    wrong.map(({ at, name }) => `${at}: ${name}`),
    [],
  );
});

t.test("files are in kebab-case", async (t) => {
  const kebab = /^[a-z0-9]+(-[a-z0-9]+)*(\.test)?\.tsx?$/;
  const wrong = sources.filter(({ path }) => !kebab.test(basename(path)));
  t.strictSame(
    wrong.map(({ path }) => path),
    [],
  );
});

function nodes({ tree }: Source): ts.Node[] {
  const found: ts.Node[] = [tree];
  for (let at = 0; at < found.length; at++)
    found[at]?.forEachChild((child) => {
      found.push(child);
    });
  return found;
}

function listExported(source: Source): string[] {
  return source.tree.statements.flatMap((statement) => {
    const isExport =
      ts.canHaveModifiers(statement) &&
      ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
    if (isExport !== true) return [];
    if (ts.isVariableStatement(statement))
      return statement.declarationList.declarations.map(({ name }) => name.getText());
    const { name } = statement as ts.DeclarationStatement;
    return name === undefined ? [] : [name.getText()];
  });
}

function isNamed(node: ts.Node, name: string): boolean {
  return ts.isIdentifier(node) && node.text === name;
}

function isMember(node: ts.Node, object: string, member: string): boolean {
  return (
    ts.isPropertyAccessExpression(node) &&
    isNamed(node.expression, object) &&
    node.name.text === member
  );
}

function isBareDate(node: ts.Node): boolean {
  const isDate = ts.isNewExpression(node) && isNamed(node.expression, "Date");
  return isDate && (node.arguments ?? []).length === 0;
}

function lineAt({ tree }: Source, position: number): number {
  return tree.getLineAndCharacterOfPosition(position).line + 1;
}

function listLines(source: Source, node: ts.Node): number {
  return lineAt(source, node.end) - lineAt(source, node.getStart()) + 1;
}

function place(source: Source, node: ts.Node): string {
  return `${source.path}:${lineAt(source, node.getStart())}`;
}
