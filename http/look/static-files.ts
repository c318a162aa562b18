/**
 * Files of the build that browsers load: read once, kept in memory, and known by a name that
 * carries the digest of their bytes, so that browsers may keep them for good. Under its plain name
 * a file is asked for again each time, by its entity tag.
 */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { extname } from "node:path";
import { type Answer, constantHeader, type Header, type HttpRequest } from "../exchange/answer.ts";
import { requireFound } from "../exchange/refusal-error.ts";
import { answerNotModified, isKnown } from "../request/etag.ts";

interface StaticFile {
  readonly text: string;
  readonly type: Header;
  readonly etag: Header;
  readonly isForGood: boolean;
}

interface Loaded {
  readonly filesByName: Map<string, StaticFile>;
  readonly pathsByName: Map<string, string>;
}

const types: Readonly<Record<string, Header>> = {
  ".css": constantHeader("Content-Type", "text/css; charset=utf-8"),
  ".js": constantHeader("Content-Type", "text/javascript; charset=utf-8"),
  ".svg": constantHeader("Content-Type", "image/svg+xml"),
};
const forGood = constantHeader("Cache-Control", "public, max-age=31536000, immutable");
const digestLength = 12;

export class StaticFiles {
  private readonly folder: URL;
  private readonly names: readonly string[] | "hashed";
  /** Path prefix of the files, with a slash at its end. */
  private readonly prefix: string;
  private loaded: Loaded | undefined;

  /**
   * `names` are the names of files in `folder`; `hashed` takes all files of a folder whose names
   * got a digest when they were built. `prefix` is the path that they are served under.
   */
  constructor(folder: URL, prefix: string, names: readonly string[] | "hashed") {
    this.folder = folder;
    this.prefix = prefix;
    this.names = names;
  }

  /** Path of a file by its name without digest. Throws `RefusalError` if there is none. */
  path(name: string): string {
    return requireFound(this.load().pathsByName.get(name));
  }

  /** Throws `RefusalError` with 404 when the path is not one of these files. */
  answer(request: Pick<HttpRequest, "headers">, asked: string): Answer {
    const { text, type, etag, isForGood } = requireFound(this.load().filesByName.get(asked));
    if (isKnown(request, etag[1])) return answerNotModified(etag[1]);
    const headers = isForGood ? [type, etag, forGood] : [type, etag];
    return { status: 200, headers, body: text };
  }

  /** Loads all files or none: after a failed read the next request tries again. */
  private load(): Loaded {
    if (this.loaded !== undefined) return this.loaded;
    const { names } = this;
    const loaded: Loaded = { filesByName: new Map(), pathsByName: new Map() };
    if (names === "hashed")
      for (const named of readdirSync(this.folder)) this.add(loaded, named, named);
    else for (const name of names) this.add(loaded, name, undefined);
    this.loaded = loaded;
    return loaded;
  }

  /** `named` is the name with a digest, when the build gave it one. */
  private add({ filesByName, pathsByName }: Loaded, name: string, named: string | undefined): void {
    const text = readFileSync(new URL(name, this.folder), "utf8");
    const extension = extname(name);
    const type = requireFound(types[extension]);
    const digest = createHash("sha256").update(text).digest("hex").slice(0, digestLength);
    const stem = name.slice(0, -extension.length);
    const own = named ?? `${stem}-${digest}${extension}`;
    const file = { text, type, etag: constantHeader("ETag", `"${digest}"`) };
    if (named === undefined) filesByName.set(name, { ...file, isForGood: false });
    filesByName.set(own, { ...file, isForGood: true });
    const plain = named === undefined ? name : stem.replace(/-[A-Z0-9]{8}$/, "") + extension;
    pathsByName.set(plain, this.prefix + own);
  }
}
