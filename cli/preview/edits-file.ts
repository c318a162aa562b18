/**
 * The studio's edits in a folder. A save names the version that it replaces, by the digest of its
 * bytes; the file appears whole or not at all, and saves are made one after the other.
 */
import { createHash } from "node:crypto";
import { lstat, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { limits } from "../../config/limits.ts";
import { RefusalError } from "../../http/exchange/refusal-error.ts";
import { parseTags } from "../../http/request/etag.ts";
import { editsPath } from "../../timeline/bundle.ts";
import { readOverlay } from "../../timeline/overlay.ts";
import { writeWhole } from "../output-file.ts";

export interface Edits {
  readonly text: string;
  readonly etag: string;
}

/** Conditions of a save on the version that it replaces: `If-Match` and `If-None-Match`. */
export interface Conditions {
  readonly match: string | undefined;
  readonly noneMatch: string | undefined;
}

export class EditsFile {
  private readonly path: string;
  private saving: Promise<unknown> = Promise.resolve();

  constructor(folder: string) {
    this.path = join(folder, editsPath);
  }

  /**
   * Returns the edits, or undefined when there are none. Throws `RefusalError`: 409 for a link or
   * the like, which may lead anywhere, 413 for a file larger than edits may be.
   */
  async read(): Promise<Edits | undefined> {
    try {
      const found = await lstat(this.path);
      if (!found.isFile())
        throw new RefusalError({ code: "conflict", detail: `${editsPath} is not a regular file.` });
      if (found.size > limits.compositions.textBytesMax) throw tooLarge();
      const text = await readFile(this.path, "utf8");
      return { text, etag: computeEtag(text) };
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
      throw error;
    }
  }

  /**
   * Saves the edits; undefined removes the file. Throws `RefusalError`: 412 when another version is
   * stored, 400 for invalid edits.
   */
  save(text: string | undefined, conditions: Conditions): Promise<string | undefined> {
    const fault = text === undefined ? undefined : findFault(text);
    if (fault !== undefined) throw invalid(fault);
    const saved = this.saving.then(async () => {
      checkVersion((await this.read())?.etag, conditions);
      if (text === undefined) await rm(this.path, { force: true });
      else await writeWhole(this.path, new Blob([text]).stream());
      return text === undefined ? undefined : computeEtag(text);
    });
    this.saving = saved.catch(() => undefined);
    return saved;
  }
}

function computeEtag(text: string): string {
  return `"${createHash("sha256").update(text).digest("base64url")}"`;
}

function findFault(text: string): string | undefined {
  const overlay = readOverlay(text);
  return "fault" in overlay ? overlay.fault : undefined;
}

function checkVersion(etag: string | undefined, { match, noneMatch }: Conditions): void {
  const wanted = parseTags(match);
  if (wanted === undefined && noneMatch === undefined)
    throw invalid("has neither If-Match nor If-None-Match");
  const isWanted = wanted === undefined || (etag !== undefined && hasTag(wanted, etag));
  const isFree = noneMatch === undefined || etag === undefined;
  if (!isWanted || !isFree) throw new RefusalError({ code: "precondition_failed" });
}

function hasTag(tags: "*" | readonly string[], etag: string): boolean {
  return tags === "*" || tags.includes(etag);
}

function invalid(detail: string): RefusalError {
  return new RefusalError({ code: "validation", faults: [{ pointer: "", detail }] });
}

function tooLarge(): RefusalError {
  return new RefusalError({
    code: "payload_too_large",
    limitBytes: limits.compositions.textBytesMax,
  });
}
