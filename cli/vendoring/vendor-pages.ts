/** Fetches the remote scripts and styles of pages, and makes the pages refer to the copies. */
import { readFile, writeFile } from "node:fs/promises";
import { dirname, posix } from "node:path";
import { type Element, everyElement, parseMarkup } from "../../timeline/markup.ts";
import { folderFiles } from "../folder-files.ts";
import { ImportMap, withImportMap } from "./import-map.ts";
import { VendorFolder, vendorFolder } from "./vendor-folder.ts";

/** Rewrites the pages and scripts of the folder; `print` is called with each file fetched. */
export async function vendorPages(folder: string, print: (line: string) => void): Promise<void> {
  const texts = await readTexts(folder);
  const pages = [...texts.values()].flatMap(({ isPage, text }) => (isPage ? [text] : []));
  const map = new ImportMap(pages);
  const store = new VendorFolder(folder, print, (name) => map.resolve(name));
  for (const name of map.remoteNames) await store.takeBare(name);
  for (const [path, { text, isPage, file }] of texts) {
    const way = posix.relative(dirname(path), vendorFolder);
    const place = way.startsWith(".") ? `${way}/` : `./${way}/`;
    const rewritten = isPage
      ? await withVendored(text, store)
      : await store.withImports(text, undefined, place);
    texts.set(path, { text: rewritten, isPage, file });
  }
  await store.finish();
  for (const { text, isPage, file } of texts.values()) {
    const rewritten = isPage ? await withImportMap(text, store) : text;
    if (rewritten !== (await readFile(file, "utf8"))) await writeFile(file, rewritten);
  }
  print(store.count === 0 ? `${folder}: nothing is remote` : `${folder}: ${store.count} fetched`);
}

interface Text {
  readonly file: string;
  readonly text: string;
  readonly isPage: boolean;
}

/** Reads the pages and scripts of a composition, by path. */
async function readTexts(folder: string): Promise<Map<string, Text>> {
  const texts = new Map<string, Text>();
  for (const [path, file] of await folderFiles(folder)) {
    const isPage = /\.html?$/i.test(path);
    if (!isPage && (!/\.m?js$/i.test(path) || path.startsWith(`${vendorFolder}/`))) continue;
    texts.set(path, { file, isPage, text: await readFile(file, "utf8") });
  }
  return texts;
}

/** Returns the page with its remote scripts and style sheets leading into the folder. */
async function withVendored(text: string, store: VendorFolder): Promise<string> {
  const edits: Edit[] = [];
  for (const element of everyElement(parseMarkup(text).html)) {
    const edit =
      (await withoutRemote(element, text, store)) ?? (await inline(element, text, store));
    if (edit !== undefined) edits.push(edit);
  }
  let result = "";
  let done = 0;
  for (const { from, to, written } of edits.sort((one, other) => one.from - other.from)) {
    result += text.slice(done, from) + written;
    done = to;
  }
  return result + text.slice(done);
}

interface Edit {
  readonly from: number;
  readonly to: number;
  readonly written: string;
}

/** Edit for a tag that refers to a remote file. */
async function withoutRemote(
  element: Element,
  text: string,
  store: VendorFolder,
): Promise<Edit | undefined> {
  const address = remoteAddress(element);
  const from = Number(element.key);
  if (address === undefined || !Number.isInteger(from)) return undefined;
  const references = [address, address.replaceAll("&", "&amp;")];
  const reference = references.find((one) => text.indexOf(one, from) >= 0);
  if (reference === undefined) return undefined;
  const at = text.indexOf(reference, from);
  const to = text.indexOf(">", at + reference.length);
  if (to < 0) return undefined;
  const { href } = new URL(address.trim(), "https://bundle.invalid");
  const { integrity: expected } = element.attributes;
  const name = await store.take(href, { expected, isModule: isModule(element) });
  const integrity = await store.readIntegrity(name);
  const before = text.slice(from, at).replace(integrityAttribute, "");
  const after = text.slice(at + reference.length, to).replace(integrityAttribute, "");
  const written = `${before}${vendorFolder}/${name}${after}`.replace(
    /^<[a-z]+/i,
    (opened) => `${opened} integrity="${integrity}"`,
  );
  return { from, to, written };
}

/** Edit for a module script whose text is in the page. */
async function inline(
  element: Element,
  text: string,
  store: VendorFolder,
): Promise<Edit | undefined> {
  const { text: module, key } = element;
  if (!isModule(element) || module.trim() === "") return undefined;
  const from = text.indexOf(module, Number(key));
  if (from < 0) return undefined;
  const written = await store.withImports(module, undefined, `./${vendorFolder}/`);
  return { from, to: from + module.length, written };
}

function isModule({ tag, attributes }: Element): boolean {
  return tag === "script" && attributes["type"]?.toLowerCase() === "module";
}

const integrityAttribute = /\s+integrity\s*=\s*("[^"]*"|'[^']*'|[^\s>]+)/gi;

/** Returns the remote address of a script or a style sheet. */
function remoteAddress({ tag, attributes }: Element): string | undefined {
  const isSheet = tag === "link" && /\bstylesheet\b/i.test(attributes["rel"] ?? "");
  const address = tag === "script" ? attributes["src"] : isSheet ? attributes["href"] : undefined;
  return address !== undefined && /^\s*(https?:)?\/\//i.test(address) ? address : undefined;
}
