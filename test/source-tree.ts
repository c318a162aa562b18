/** The sources as the tests of the architecture see them. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import ts from "typescript";

/** Root of the sources: tests run compiled, below it; `dist` has a package.json of its own. */
export const root = rootAbove(import.meta.dirname);
/** Folders from the ground up: each imports only itself and folders that stand before it. */
export const folders = [
  "config",
  "contract",
  "engine",
  "timeline",
  "actors",
  "providers",
  "effects",
  "film",
  "render-farm",
  "http",
  "clients",
  "console",
  "cli",
  "bench",
  "test",
] as const;

export interface Source {
  readonly path: string;
  readonly folder: string;
  readonly text: string;
  readonly tree: ts.SourceFile;
}

export const sources = folders.flatMap((folder) => list(join(root, folder)).map(read));
export const product = sources.filter(({ folder }) => folder !== "test");

export function exists(path: string): boolean {
  return existsSync(join(root, path));
}

/** Returns the text of a file, by its path from the root. */
export function readRoot(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

function rootAbove(folder: string): string {
  if (existsSync(join(folder, "tsconfig.json"))) return folder;
  const above = dirname(folder);
  if (above === folder) throw new Error("no tsconfig.json above the compiled tests");
  return rootAbove(above);
}

function list(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return names
    .filter((name) => /\.tsx?$/.test(name) && !name.startsWith("typescript/dist/"))
    .map((name) => join(folder, name));
}

function read(file: string): Source {
  const text = readFileSync(file, "utf8");
  const path = relative(root, file);
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  return { path, folder: path.split("/")[0] ?? "", text, tree };
}

/** Lists the module names that a file imports, as they are written. */
export function listSpecifiers(tree: ts.SourceFile): string[] {
  return tree.statements.flatMap((statement) => {
    const isFrom = ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement);
    const from = isFrom ? statement.moduleSpecifier : undefined;
    return from !== undefined && ts.isStringLiteral(from) ? [from.text] : [];
  });
}

/** Lists the files of the tree that a file imports, by their paths from the root. */
export function listImports({ path, tree }: Pick<Source, "path" | "tree">): string[] {
  const relatives = listSpecifiers(tree).filter((specifier) => specifier.startsWith("."));
  return relatives.map((specifier) => join(dirname(path), specifier));
}

/** Whether a process or a thread begins in this file. */
export function isRoot(path: string): boolean {
  return /^main\.tsx?$/.test(basename(path));
}
