/**
 * The architecture, checked like any other behaviour. One rule a test; no rule lives only in prose.
 * Each test lists what breaks its rule, so a failure reads as a list of places to mend.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import t from "tap";
import ts from "typescript";

/** Tests run compiled, somewhere below the sources; `dist` has a package.json of its own. */
const root = rootAbove(import.meta.dirname);
const folders = ["engine", "actors", "http", "render-farm", "bench", "config", "test"] as const;

/**
 * Folder to what it may import: folders, or the beginnings of paths. It may always import itself.
 */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  config: ["package.json"],
  engine: ["config/"],
  actors: ["engine/", "config/"],
  http: ["actors/", "engine/", "config/"],
  "render-farm": ["actors/", "engine/", "config/"],
  bench: [
    "actors/contract/",
    "http/client",
    "http/cli/folder-",
    "config/",
    // The same hostile bytes as the tests'.
    "test/hostile/",
    // The same browser and tools for the peers.
    "render-farm/browser.ts",
    "render-farm/chromium-path.ts",
    "render-farm/find-tool.ts",
  ],
  test: folders.map((folder) => `${folder}/`),
};

/** Packages that more than one file imports, and why. */
const packageExceptions: Readonly<Record<string, readonly string[]>> = {
  // The peer is the same library without the service: what the bench measures against.
  "uWebSockets.js": ["http/server.ts", "bench/peer.ts"],
};
const testPackages = [
  "tap",
  "fast-check",
  "typescript",
  "ajv",
  "ajv-formats",
  "gltf-validator",
  "eventsource",
  "openapi-typescript",
];

interface Ban {
  readonly word: string;
  readonly instead: string;
  readonly finds: (node: ts.Node) => boolean;
  /** Beginnings of the paths that may use the word. */
  readonly allowed: readonly string[];
}

const bans: readonly Ban[] = [
  {
    word: "Date.now(), new Date() or performance.now()",
    instead: "the clock port",
    finds: (node) =>
      isMember(node, "Date", "now") || isBareDate(node) || isMember(node, "performance", "now"),
    // How long a film took, for its user; and a real store's time. No other test knows the time.
    allowed: [
      "engine/adapters/system-clock.ts",
      "http/cli/render.ts",
      "bench/",
      "test/crash/store-damage.test.ts",
    ],
  },
  {
    word: "Math.random or randomUUID",
    instead: "the entropy port",
    finds: (node) => isMember(node, "Math", "random") || isNamed(node, "randomUUID"),
    // Names of temporary files, and the client's own process, which has no ports.
    allowed: ["engine/adapters/", "http/client.ts", "http/cli/", "bench/", "test/"],
  },
  {
    word: "process.env",
    instead: "config/settings.ts, which a main.ts hands it to",
    finds: (node) => isMember(node, "process", "env"),
    allowed: ["config/", "test/"],
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

/** Names that hold a banned part, and why they may. */
const nameExceptions: Readonly<Record<string, string>> = {
  Service: "what every route stands on; the thing is called a service",
  service: "its file",
  "in-process-service": "the same without a socket, for the specification's tests",
  "data-directory": "the operator's word: KLIEG_DATA_DIR",
  DataDirectory: "the same",
  DataDirectoryError: "the same",
  openDataDirectory: "the same",
};

interface Source {
  readonly path: string;
  readonly folder: string;
  readonly text: string;
  readonly tree: ts.SourceFile;
}

const sources = folders.flatMap((folder) => list(join(root, folder)).map(read));
const product = sources.filter(({ folder }) => folder !== "test");

t.test("the sources are found", async (t) => {
  t.ok(sources.length > 100, `${sources.length} files below ${root}`);
});

t.test("folders import only what the dependency rule allows", async (t) => {
  const wrong = sources
    .filter(({ path }) => !isRoot(path))
    .flatMap((source) =>
      ours(source)
        .filter((to) => to.split("/")[0] !== source.folder)
        .filter((to) => !(mayImport[source.folder] ?? []).some((allowed) => to.startsWith(allowed)))
        .map((to) => `${source.path} imports ${to}`),
    );
  t.strictSame(wrong, []);
});

t.test("http and render-farm meet only in the task port", async (t) => {
  const wrong = product.flatMap(({ path, folder, tree }) =>
    folder === "http" || folder === "render-farm"
      ? ours({ path, tree })
          .filter((to) => to.startsWith(folder === "http" ? "render-farm/" : "http/"))
          .filter(() => !isRoot(path))
          .map((to) => `${path} imports ${to}`)
      : [],
  );
  t.strictSame(wrong, []);
});

t.test("only a main.ts imports adapters", async (t) => {
  const wrong = product
    .filter(({ path }) => !isRoot(path) && !path.startsWith("engine/adapters/"))
    .flatMap((source) =>
      ours(source)
        .filter((to) => to.startsWith("engine/adapters/"))
        .map((to) => `${source.path} imports ${to}`),
    );
  t.strictSame(wrong, []);
});

t.test("nobody imports a main.ts", async (t) => {
  const wrong = sources.flatMap((source) =>
    ours(source)
      .filter(isRoot)
      .map((to) => `${source.path} imports ${to}`),
  );
  t.strictSame(wrong, []);
});

t.test("each npm package has one importing file", async (t) => {
  const importers = new Map<string, Set<string>>();
  for (const source of product)
    for (const name of packages(source))
      importers.set(name, (importers.get(name) ?? new Set()).add(source.path));
  const wrong = [...importers].filter(([name, paths]) => {
    const allowed = packageExceptions[name];
    return paths.size > 1 && ![...paths].every((path) => allowed?.includes(path));
  });
  t.strictSame(
    wrong.map(([name, paths]) => `${name}: ${[...paths].join(", ")}`),
    [],
  );
});

t.test("tests import the test packages, and nothing else from npm", async (t) => {
  const wrong = sources.flatMap((source) =>
    packages(source)
      .filter((name) => (source.folder === "test") !== testPackages.includes(name))
      .filter((name) => source.folder === "test" || testPackages.includes(name))
      .map((name) => `${source.path} imports ${name}`),
  );
  t.strictSame(wrong, []);
});

t.test("no file exceeds 400 lines", async (t) => {
  const lengths = sources.map(({ path, text }) => ({ path, lines: text.split("\n").length - 1 }));
  const wrong = lengths.filter(({ lines }) => lines > 400);
  t.strictSame(
    wrong.map(({ path, lines }) => `${path}: ${lines} lines`),
    [],
  );
});

/** What the formatter cannot break: a URL, or a line that is one string. */
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
      .map((node) => ({ at: place(source, node), lines: linesOf(source, node) }))
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

t.test("names say what a thing is: no Manager, Helper, Util ...", async (t) => {
  const names = sources.flatMap((source) => [
    { at: source.path, name: basename(source.path).replace(/(\.test)?\.ts$/, "") },
    ...exported(source).map((name) => ({ at: source.path, name })),
  ]);
  const wrong = names.filter(({ name }) => {
    const parts = name.split(/[-_.]|(?<=[a-z0-9])(?=[A-Z])/);
    return parts.some((part) => bannedParts.test(part)) && nameExceptions[name] === undefined;
  });
  t.strictSame(
    wrong.map(({ at, name }) => `${at}: ${name}`),
    [],
  );
});

t.test("files are in kebab-case", async (t) => {
  const kebab = /^[a-z0-9]+(-[a-z0-9]+)*(\.test)?\.ts$/;
  const wrong = sources.filter(({ path }) => !kebab.test(basename(path)));
  t.strictSame(
    wrong.map(({ path }) => path),
    [],
  );
});

function rootAbove(folder: string): string {
  if (existsSync(join(folder, "tsconfig.json"))) return folder;
  const above = dirname(folder);
  if (above === folder) throw new Error("no tsconfig.json above the compiled tests");
  return rootAbove(above);
}

function list(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return names.filter((name) => name.endsWith(".ts")).map((name) => join(folder, name));
}

function read(file: string): Source {
  const text = readFileSync(file, "utf8");
  const path = relative(root, file);
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  return { path, folder: path.split("/")[0] ?? "", text, tree };
}

function isRoot(path: string): boolean {
  return basename(path) === "main.ts";
}

function specifiers(tree: ts.SourceFile): string[] {
  return tree.statements.flatMap((statement) => {
    const isFrom = ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement);
    const from = isFrom ? statement.moduleSpecifier : undefined;
    return from !== undefined && ts.isStringLiteral(from) ? [from.text] : [];
  });
}

/** The files of ours that a file imports, from the root. */
function ours({ path, tree }: Pick<Source, "path" | "tree">): string[] {
  const relatives = specifiers(tree).filter((specifier) => specifier.startsWith("."));
  return relatives.map((specifier) => join(dirname(path), specifier));
}

function packages({ tree }: Source): string[] {
  return specifiers(tree)
    .filter((specifier) => !specifier.startsWith(".") && !specifier.startsWith("node:"))
    .map((name) =>
      name
        .split("/")
        .slice(0, name.startsWith("@") ? 2 : 1)
        .join("/"),
    );
}

function nodes({ tree }: Source): ts.Node[] {
  const found: ts.Node[] = [tree];
  for (let at = 0; at < found.length; at++)
    found[at]?.forEachChild((child) => {
      found.push(child);
    });
  return found;
}

function exported(source: Source): string[] {
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

function linesOf(source: Source, node: ts.Node): number {
  return lineAt(source, node.end) - lineAt(source, node.getStart()) + 1;
}

function place(source: Source, node: ts.Node): string {
  return `${source.path}:${lineAt(source, node.getStart())}`;
}
