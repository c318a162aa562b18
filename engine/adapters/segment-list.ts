/**
 * The list of a journal's segments, each with the number of its first record. A segment is listed
 * once that record is durable and before it is acknowledged, so a listed segment that is missing
 * was lost.
 */
import { readFileSync } from "node:fs";
import { open, rename } from "node:fs/promises";
import { join } from "node:path";
import { StoreDamage } from "../ports/store-damage.ts";

export interface ListedSegment {
  readonly name: string;
  readonly firstSeq: number;
}

export const listName = "segments.json";

/** Undefined when there is no list. Throws `StoreDamage`. */
export function readSegmentList(folder: string): readonly ListedSegment[] | undefined {
  let text: string;
  try {
    text = readFileSync(join(folder, listName), "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
  try {
    const list: unknown = JSON.parse(text);
    if (Array.isArray(list) && list.every(isListed)) return list;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new StoreDamage(`journal/${listName} cannot be read, so it is unknown what is missing`);
}

/** Resolves when the list is durable. */
export async function writeSegmentList(
  folder: string,
  list: readonly ListedSegment[],
): Promise<void> {
  const path = join(folder, listName);
  const file = await open(`${path}.new`, "w", 0o600);
  try {
    await file.writeFile(`${JSON.stringify(list)}\n`);
    await file.datasync();
  } finally {
    await file.close();
  }
  await rename(`${path}.new`, path);
  await syncFolder(folder);
}

export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  await handle.sync().finally(() => handle.close());
}

function isListed(value: unknown): value is ListedSegment {
  const { name, firstSeq } = value as Partial<ListedSegment>;
  return typeof name === "string" && typeof firstSeq === "number";
}
