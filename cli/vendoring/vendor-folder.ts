import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import { limits } from "../../config/limits.ts";
import { addressesIn, importsIn } from "../../timeline/stylesheets.ts";
import { CommandError } from "../command.ts";
import { withImports } from "./module-imports.ts";

export const vendorFolder = "vendor";
/** Font servers send smaller files to browsers, so requests pose as one. */
const headers = { "User-Agent": "Mozilla/5.0 (X11; Linux x64) Chrome/130.0 Safari/537.36" };

interface Wanted {
  /** The digest in the page's `integrity` attribute. */
  readonly expected?: string | undefined;
  readonly isModule?: boolean;
  /** How deep a style sheet is nested in imports of other style sheets. */
  readonly depth?: number;
}

/**
 * A folder of fetched files, each under a descriptive name, beside the files that it refers to. A
 * file's name is known as soon as it is fetched, so that modules may import each other in circles.
 */
export class VendorFolder {
  private readonly folder: string;
  private readonly tell: (line: string) => void;
  private readonly resolve: (specifier: string) => string | undefined;
  private readonly namesByUrl = new Map<string, Promise<string>>();
  private readonly integrityByName = new Map<string, Promise<string>>();
  private readonly filesByName = new Map<string, string>();

  /** `resolve` returns the address of an import by a bare name. */
  constructor(
    folder: string,
    tell: (line: string) => void,
    resolve: (specifier: string) => string | undefined,
  ) {
    this.folder = folder;
    this.tell = tell;
    this.resolve = resolve;
  }

  get count(): number {
    return this.namesByUrl.size;
  }

  /** File names in the folder by the bare names that lead to them. */
  get bare(): ReadonlyMap<string, string> {
    return this.filesByName;
  }

  /** Fetches a file once and returns its name in the folder. Throws `CommandError`. */
  take(url: string, wanted: Wanted = {}): Promise<string> {
    const known = this.namesByUrl.get(url);
    if (known !== undefined) return known;
    const taking = this.download(url, wanted);
    this.namesByUrl.set(url, taking);
    return taking;
  }

  /** Fetches the file of a bare name, or returns `undefined` if the name has no remote address. */
  async takeBare(specifier: string): Promise<string | undefined> {
    const url = this.resolve(specifier);
    if (url === undefined) return undefined;
    const name = await this.take(url, { isModule: true });
    this.filesByName.set(specifier, name);
    return name;
  }

  /** Returns the integrity of a fetched file, as it is written to the folder. */
  async readIntegrity(name: string): Promise<string> {
    return (await this.integrityByName.get(name)) ?? "";
  }

  /** Resolves when all files are written. */
  async finish(): Promise<void> {
    for (const integrity of this.integrityByName.values()) await integrity;
  }

  /**
   * Returns a script after fetching its remote imports. `base` is the script's address, or
   * `undefined` for one of the composition's own; `place` is the folder's path as seen from it.
   */
  withImports(text: string, base: string | undefined, place: string): Promise<string> {
    return withImports(text, async (specifier) => {
      if (!/^(\.{0,2}\/|[a-z][a-z0-9+.-]*:)/i.test(specifier)) {
        await this.takeBare(specifier);
        return undefined;
      }
      const isRemote = /^(https?:)?\/\//i.test(specifier);
      if (!isRemote && base === undefined) return undefined;
      const { href, protocol } = new URL(specifier, base ?? "https://bundle.invalid");
      if (!/^https?:$/.test(protocol)) return undefined;
      return `${place}${await this.take(href, { isModule: true })}`;
    });
  }

  private async download(
    url: string,
    { expected, isModule = false, depth = 0 }: Wanted,
  ): Promise<string> {
    const { bytes, type } = await fetchUrl(url);
    if (expected !== undefined && !isAsExpected(bytes, expected))
      throw new CommandError(`${url} does not match the page's integrity attribute.`);
    const isStyle = type.includes("text/css") || /\.css$/i.test(new URL(url).pathname);
    const name = chooseName(url, bytes, isStyle ? ".css" : ".js");
    const text = (): string => bytes.toString("utf8");
    const content = isStyle
      ? this.style(text(), url, depth)
      : isModule
        ? this.withImports(text(), url, "./")
        : Promise.resolve(bytes);
    const written = content.then((whole) => this.write(name, whole));
    // The error is reported to the caller that awaits `finish`.
    written.catch(() => undefined);
    this.integrityByName.set(name, written);
    this.tell(`${vendorFolder}/${name}  ${url}`);
    return name;
  }

  private async write(name: string, content: string | Buffer): Promise<string> {
    const folder = join(this.folder, vendorFolder);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, name), content);
    return `sha384-${digest("sha384", content)}`;
  }

  /** Returns a style sheet after fetching everything that it refers to. */
  private async style(text: string, from: string, depth: number): Promise<string> {
    let result = text;
    for (const address of new Set([...importsIn(text), ...addressesIn(text)])) {
      if (/^(data:|#)/i.test(address) || depth >= limits.vendoring.depthMax) continue;
      const name = await this.take(new URL(address, from).href, { depth: depth + 1 });
      for (const [open, close] of ["()", '""', "''"])
        result = result.replaceAll(`${open}${address}${close}`, `${open}${name}${close}`);
    }
    return result;
  }
}

async function fetchUrl(url: string): Promise<{ readonly bytes: Buffer; readonly type: string }> {
  const onFailure = (why: string, cause?: unknown): CommandError =>
    Object.assign(new CommandError(`${url} could not be fetched: ${why}.`), { cause });
  const signal = AbortSignal.timeout(limits.vendoring.patienceMs);
  const answer = await fetch(url, { headers, signal }).catch((cause: unknown) => {
    throw onFailure("there is no answer", cause);
  });
  if (!answer.ok) throw onFailure(`the answer is ${answer.status}`);
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = answer.body?.getReader();
  for (let step = await reader?.read(); step?.done === false; step = await reader?.read()) {
    length += step.value.length;
    if (length > limits.compositions.bytesMax) throw onFailure("it is larger than a composition");
    chunks.push(step.value);
  }
  return { bytes: Buffer.concat(chunks), type: answer.headers.get("content-type") ?? "" };
}

function digest(kind: string, bytes: Buffer | string): string {
  return createHash(kind).update(bytes).digest("base64");
}

/** As in browsers, one matching digest of several is enough. */
function isAsExpected(bytes: Buffer, integrity: string): boolean {
  return integrity
    .trim()
    .split(/\s+/)
    .some((word) => {
      const [, kind = "", wanted = ""] = /^(sha256|sha384|sha512)-([^?]+)/.exec(word) ?? [];
      return kind === "" || digest(kind, bytes) === wanted;
    });
}

function chooseName(url: string, content: Buffer, fallback: string): string {
  const path = new URL(url).pathname;
  const extension = /^\.[a-z0-9]{1,8}$/i.test(extname(path)) ? extname(path) : fallback;
  const stem =
    basename(path, extname(path))
      .replace(/[^\w.-]/g, "-")
      .slice(0, 60) || "file";
  const mark = createHash("sha256").update(content).digest("hex").slice(0, 8);
  return `${stem}-${mark}${extension.toLowerCase()}`;
}
