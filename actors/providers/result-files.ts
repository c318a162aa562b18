/** The files that a provider's output names, wherever in it they stand. */
import { limits } from "../../config/limits.ts";
import { ReplyError, type ResultFile } from "./provider.ts";

const depthMax = 6;

/**
 * The files of an output: each string that is a URL of the web or a data URL, in its order.
 * Throws `ReplyError` when there is none, or more than `limits.fetch.filesMax`.
 */
export function resultFiles(output: unknown): readonly ResultFile[] {
  const files: ResultFile[] = [];
  collect(output, files, 0);
  if (files.length === 0) throw new ReplyError("The provider's output names no file.");
  return files;
}

function collect(value: unknown, files: ResultFile[], depth: number): void {
  if (typeof value === "string") {
    const file = resultFile(value);
    if (file !== undefined) files.push(file);
    if (files.length > limits.fetch.filesMax)
      throw new ReplyError("The provider's output names more files than it may.");
  } else if (typeof value === "object" && value !== null && depth < depthMax) {
    for (const member of Object.values(value)) collect(member, files, depth + 1);
  }
}

function resultFile(text: string): ResultFile | undefined {
  if (text.startsWith("data:")) return inlineFile(text);
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return undefined;
  return { kind: "url", url: text };
}

/** A data URL (RFC 2397) whose bytes are in base64. */
function inlineFile(url: string): ResultFile | undefined {
  const comma = url.indexOf(",");
  if (comma < 0 || !url.slice(0, comma).endsWith(";base64")) return undefined;
  return heldFile(Buffer.from(url.slice(comma + 1), "base64"));
}

/** A file whose bytes are in memory. */
export function heldFile(bytes: Uint8Array): ResultFile {
  return { kind: "stream", open: async () => once(bytes) };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
