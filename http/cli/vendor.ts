/** Takes scripts and styles that a composition loads from elsewhere into its folder, once. */
import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { parseArgs } from "node:util";
import { type Element, everyElement, parseMarkup } from "../../actors/timeline/markup.ts";
import { addressesIn, importsIn } from "../../actors/timeline/stylesheets.ts";
import { limits } from "../../config/limits.ts";
import { type Command, CommandError, onlyArgument } from "./command.ts";
import { folderFiles } from "./folder-files.ts";

export const vendor: Command = {
  name: "vendor",
  usage: "<folder>",
  summary: "Fetch the remote scripts and styles of a composition into its folder.",
  options: [],
  async run(args, session) {
    const { positionals } = parseArgs({ args: [...args], allowPositionals: true, options: {} });
    const folder = onlyArgument(positionals, "the folder");
    const { print } = session.terminal;
    const pages = [...(await folderFiles(folder))].filter(([path]) => /\.html?$/i.test(path));
    const store = new VendorFolder(folder, (line) => print(line));
    for (const [, file] of pages) {
      const text = await readFile(file, "utf8");
      const rewritten = await withVendored(text, store);
      if (rewritten !== text) await writeFile(file, rewritten);
    }
    print(store.count === 0 ? `${folder}: nothing is remote` : `${folder}: ${store.count} fetched`);
  },
};

const vendorFolder = "vendor";
/** Of styles that take in others. */
const depthMax = 4;
const patienceMs = 60_000;
/** Servers of fonts answer browsers with smaller files. */
const headers = { "User-Agent": "Mozilla/5.0 (X11; Linux x64) Chrome/130.0 Safari/537.36" };

interface Vendored {
  readonly name: string;
  readonly integrity: string;
}

/** What was fetched lies in one folder, each file under a name that says what it is. */
class VendorFolder {
  readonly #folder: string;
  readonly #tell: (line: string) => void;
  readonly #byUrl = new Map<string, Promise<Vendored>>();

  constructor(folder: string, tell: (line: string) => void) {
    this.#folder = folder;
    this.#tell = tell;
  }

  get count(): number {
    return this.#byUrl.size;
  }

  /** `expected`: the integrity that the page asks for. Throws `CommandError`. */
  take(url: string, expected: string | undefined, depth = 0): Promise<Vendored> {
    const known = this.#byUrl.get(url);
    if (known !== undefined) return known;
    const taking = this.#take(url, expected, depth);
    this.#byUrl.set(url, taking);
    return taking;
  }

  async #take(url: string, expected: string | undefined, depth: number): Promise<Vendored> {
    const { bytes, type } = await fetched(url);
    if (expected !== undefined && !isAsExpected(bytes, expected))
      throw new CommandError(`${url} is not what the page's integrity attribute says.`);
    const isStyle = type.includes("text/css") || /\.css$/i.test(new URL(url).pathname);
    const content = isStyle ? await this.#style(bytes.toString("utf8"), url, depth) : bytes;
    const name = nameOf(url, content, isStyle ? ".css" : "");
    const path = join(this.#folder, vendorFolder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
    this.#tell(`${vendorFolder}/${name}  ${url}`);
    return { name, integrity: `sha384-${digest("sha384", content)}` };
  }

  /** With what it names fetched too; vendored files lie beside each other. */
  async #style(text: string, from: string, depth: number): Promise<Buffer> {
    let result = text;
    for (const address of new Set([...importsIn(text), ...addressesIn(text)])) {
      if (/^(data:|#)/i.test(address) || depth >= depthMax) continue;
      const { name } = await this.take(new URL(address, from).href, undefined, depth + 1);
      for (const [open, close] of ["()", '""', "''"])
        result = result.replaceAll(`${open}${address}${close}`, `${open}${name}${close}`);
    }
    return Buffer.from(result);
  }
}

async function fetched(url: string): Promise<{ readonly bytes: Buffer; readonly type: string }> {
  const failed = (why: string, cause?: unknown): CommandError =>
    Object.assign(new CommandError(`${url} could not be fetched: ${why}.`), { cause });
  const signal = AbortSignal.timeout(patienceMs);
  const answer = await fetch(url, { headers, signal }).catch((cause: unknown) => {
    throw failed("there is no answer", cause);
  });
  if (!answer.ok) throw failed(`the answer is ${answer.status}`);
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = answer.body?.getReader();
  for (let step = await reader?.read(); step?.done === false; step = await reader?.read()) {
    length += step.value.length;
    if (length > limits.compositions.bytesMax) throw failed("it is larger than a composition");
    chunks.push(step.value);
  }
  return { bytes: Buffer.concat(chunks), type: answer.headers.get("content-type") ?? "" };
}

function digest(kind: string, bytes: Buffer): string {
  return createHash(kind).update(bytes).digest("base64");
}

/** One of several digests is enough, as in browsers. */
function isAsExpected(bytes: Buffer, integrity: string): boolean {
  return integrity
    .trim()
    .split(/\s+/)
    .some((word) => {
      const [, kind = "", wanted = ""] = /^(sha256|sha384|sha512)-([^?]+)/.exec(word) ?? [];
      return kind === "" || digest(kind, bytes) === wanted;
    });
}

function nameOf(url: string, content: Buffer, fallback: string): string {
  const path = new URL(url).pathname;
  const extension = /^\.[a-z0-9]{1,8}$/i.test(extname(path)) ? extname(path) : fallback || ".js";
  const stem =
    basename(path, extname(path))
      .replace(/[^\w.-]/g, "-")
      .slice(0, 60) || "file";
  const mark = createHash("sha256").update(content).digest("hex").slice(0, 8);
  return `${stem}-${mark}${extension.toLowerCase()}`;
}

/** The page with its remote scripts and style sheets leading into the folder. */
async function withVendored(text: string, store: VendorFolder): Promise<string> {
  const edits: { readonly from: number; readonly to: number; readonly tag: string }[] = [];
  for (const element of everyElement(parseMarkup(text).html)) {
    const address = remoteAddress(element);
    const from = Number(element.key);
    if (address === undefined || !Number.isInteger(from)) continue;
    const written = [address, address.replaceAll("&", "&amp;")].find(
      (one) => text.indexOf(one, from) >= 0,
    );
    if (written === undefined) continue;
    const at = text.indexOf(written, from);
    const to = text.indexOf(">", at + written.length);
    if (to < 0) continue;
    const { href } = new URL(address.trim(), "https://bundle.invalid");
    const { name, integrity } = await store.take(href, element.attributes["integrity"]);
    const before = text.slice(from, at).replace(integrityAttribute, "");
    const after = text.slice(at + written.length, to).replace(integrityAttribute, "");
    const tag = `${before}${vendorFolder}/${name}${after}`.replace(
      /^<[a-z]+/i,
      (opened) => `${opened} integrity="${integrity}"`,
    );
    edits.push({ from, to, tag });
  }
  let result = "";
  let done = 0;
  for (const { from, to, tag } of edits.sort((one, other) => one.from - other.from)) {
    result += text.slice(done, from) + tag;
    done = to;
  }
  return result + text.slice(done);
}

const integrityAttribute = /\s+integrity\s*=\s*("[^"]*"|'[^']*'|[^\s>]+)/gi;

/** Of a script or a style sheet. */
function remoteAddress({ tag, attributes }: Element): string | undefined {
  const isSheet = tag === "link" && /\bstylesheet\b/i.test(attributes["rel"] ?? "");
  const address = tag === "script" ? attributes["src"] : isSheet ? attributes["href"] : undefined;
  return address !== undefined && /^\s*(https?:)?\/\//i.test(address) ? address : undefined;
}
