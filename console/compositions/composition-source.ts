/** Makes a composition of the service available to the studio. */
import { KliegError } from "../../clients/typescript/src/klieg.ts";
import { klieg } from "../session.ts";
import type { SavedEdits, StoredEdits, StudioSource } from "../studio/studio-source.ts";

const path = "klieg-edits.json";

export function compositionSource(id: string): StudioSource {
  return {
    timeline: (signal) => klieg.value.compositions.timeline(id, { signal }),
    async preview(signal) {
      const { url } = await klieg.value.compositions.preview(id, { signal });
      // Uses the host of this page, whatever address the service gives.
      return new URL(url).pathname;
    },
    edits: (signal) => readEdits(id, signal),
    saveEdits: (text, etag) => saveEdits(id, text, etag),
  };
}

/** Lists the files first, because a browser logs an error for a file that does not exist. */
async function readEdits(id: string, signal?: AbortSignal): Promise<StoredEdits | undefined> {
  const { compositions } = klieg.value;
  const { files = [] } = await compositions.get(id, { signal });
  if (!files.some((file) => file.path === path)) return undefined;
  try {
    const file = await compositions.getFile(id, path, { signal });
    return { text: await file.text(), etag: file.headers.get("etag") ?? "" };
  } catch (error) {
    if (hasStatus(error, 404)) return undefined;
    throw error;
  }
}

async function saveEdits(
  id: string,
  text: string | undefined,
  etag: string | undefined,
): Promise<SavedEdits> {
  const { compositions } = klieg.value;
  const over = etag === undefined ? { ifNoneMatch: "*" } : { ifMatch: etag };
  try {
    if (text !== undefined) {
      const stored = await compositions.putFile(id, path, new Blob([text]), over);
      return { kind: "saved", etag: stored.etag };
    }
    if (etag !== undefined) await compositions.deleteFile(id, path, over);
    return { kind: "saved", etag: undefined };
  } catch (error) {
    if (!hasStatus(error, 412) && !hasStatus(error, 404)) throw error;
    // The answer to an earlier save may have been lost: then the same edits are already stored.
    const stored = await readEdits(id);
    const isSaved = stored?.text === text;
    return isSaved ? { kind: "saved", etag: stored?.etag } : { kind: "conflict" };
  }
}

function hasStatus(error: unknown, status: number): boolean {
  return error instanceof KliegError && error.status === status;
}
