/** Makes a local folder available to the studio, as served by `klieg preview` beside this page. */
import type { EffectiveTimeline } from "../../clients/typescript/src/generated/models.ts";
import type { SavedEdits, StoredEdits, StudioSource } from "../studio/studio-source.ts";
import { lastGood } from "./live.ts";

export const folderSource: StudioSource = {
  timeline: (signal) => ask<EffectiveTimeline>("timeline", { signal }),
  async preview() {
    const path = lastGood.value?.preview;
    if (typeof path === "string") return path;
    throw new Error("There is nothing to show yet.");
  },
  edits: (signal) => readEdits(signal),
  saveEdits,
};

async function readEdits(signal?: AbortSignal): Promise<StoredEdits | undefined> {
  const answer = await fetch("edits", signal === undefined ? {} : { signal });
  return answer.status === 204 ? undefined : readAnswer<StoredEdits>(answer);
}

async function saveEdits(text: string | undefined, etag: string | undefined): Promise<SavedEdits> {
  const answer = await fetch("edits", {
    ...(text === undefined ? { method: "DELETE" } : { method: "PUT", body: text }),
    headers: etag === undefined ? { "If-None-Match": "*" } : { "If-Match": etag },
  });
  if (answer.status === 204) return { kind: "saved", etag: undefined };
  if (answer.status !== 412) return { kind: "saved", ...(await readAnswer<Saved>(answer)) };
  // The answer to an earlier save may have been lost: then the same edits are already stored.
  const stored = await readEdits();
  if (stored?.text !== text) return { kind: "conflict" };
  return { kind: "saved", etag: stored?.etag };
}

interface Saved {
  readonly etag: string;
}

async function ask<T>(path: string, options: RequestInit): Promise<T> {
  return readAnswer(await fetch(path, options));
}

/** Parses an answer; throws an error whose message is a sentence. */
async function readAnswer<T>(answer: Response): Promise<T> {
  const value: unknown = await answer.json();
  if (answer.ok) return value as T;
  const { detail, title } = value as { readonly detail?: string; readonly title?: string };
  throw new Error(detail ?? title ?? `klieg preview answered with status ${answer.status}.`);
}
