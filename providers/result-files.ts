/** Finds the files that a provider's output names, at any depth. */
import { limits } from "../config/limits.ts";
import { readMembers } from "./advice.ts";
import { isFlagged, isWhole, keepItems, readFlags } from "./flags.ts";
import { ResultError, type ResultFile } from "./provider.ts";

const depthMax = 6;

interface Found {
  readonly files: ResultFile[];
  /** Whether a filter flagged something; flagged items are left out. */
  hasFlagged: boolean;
}

/**
 * The files of an output: each string that is a URL of the web or a data URL, in its order, without
 * what a filter flagged. Throws `ResultError` when there is none, or more than
 * `limits.fetch.filesMax`.
 */
export function resultFiles(output: unknown): readonly ResultFile[] {
  return checkFiles(find(output).files);
}

/** Whether a filter flagged every file. */
export function isAllFlagged(output: unknown): boolean {
  const { files, hasFlagged } = find(output);
  return hasFlagged && files.length === 0;
}

/** Returns the files. Throws `ResultError` when there are none or too many. */
export function checkFiles<File>(files: readonly File[]): readonly File[] {
  if (files.length === 0) throw new ResultError("The model delivered no file.");
  if (files.length > limits.fetch.filesMax)
    throw new ResultError("The model delivered too many files.");
  return files;
}

function find(output: unknown): Found {
  const found: Found = { files: [], hasFlagged: false };
  collect(output, found, 0);
  return found;
}

function collect(value: unknown, found: Found, depth: number): void {
  if (found.files.length > limits.fetch.filesMax || depth > depthMax) return;
  if (typeof value === "string") {
    const file = resultFile(value);
    if (file !== undefined) found.files.push(file);
  } else if (Array.isArray(value)) {
    for (const item of value) collect(item, found, depth + 1);
  } else {
    collectMembers(value, found, depth);
  }
}

/** Flags in a list are for the items of sibling lists, and for other members as a whole. */
function collectMembers(value: unknown, found: Found, depth: number): void {
  const flags = readFlags(value);
  if (isFlagged(flags)) found.hasFlagged = true;
  for (const member of Object.values(readMembers(value)))
    if (Array.isArray(member)) collect(keepItems(member, flags), found, depth + 1);
    else if (!isWhole(flags)) collect(member, found, depth + 1);
}

function resultFile(text: string): ResultFile | undefined {
  if (text.startsWith("data:")) return inlineFile(text);
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return undefined;
  return { kind: "url", url: text };
}

/** Decodes a data URL (RFC 2397) whose bytes are in base64. */
function inlineFile(url: string): ResultFile | undefined {
  const comma = url.indexOf(",");
  if (comma < 0 || !url.slice(0, comma).endsWith(";base64")) return undefined;
  const open = async () => once(Buffer.from(url.slice(comma + 1), "base64"));
  return { kind: "stream", open };
}

/** Makes a file from bytes in memory. */
export function holdFile(bytes: Uint8Array): ResultFile {
  return { kind: "stream", open: async () => once(bytes) };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
