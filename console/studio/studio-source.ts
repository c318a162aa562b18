/**
 * Where the studio has a film from and puts its edits to: a composition in the service
 * (`compositions/composition-source.ts`), or a folder on this machine. All else in this folder
 * knows the film by this alone. What fails throws an error whose message is a sentence for the
 * person.
 */
import type { EffectiveTimeline } from "../../clients/typescript/src/generated/models.ts";

export interface StudioSource {
  /** Returns the film's timeline, computed with the stored edits. */
  timeline(signal: AbortSignal): Promise<EffectiveTimeline>;
  /** Returns the address of the preview's page, for a frame. */
  preview(signal: AbortSignal): Promise<string>;
  /** Returns `klieg-edits.json`, or undefined when there is none. */
  edits(signal: AbortSignal): Promise<StoredEdits | undefined>;
  /**
   * Stores the text, or removes the file for undefined, but only if `etag` names the current
   * version: an undefined `etag` requires that there is no file.
   */
  saveEdits(text: string | undefined, etag: string | undefined): Promise<SavedEdits>;
}

export interface StoredEdits {
  readonly text: string;
  readonly etag: string;
}

export type SavedEdits =
  /** `etag` names the stored version; it is undefined when the file was removed. */
  | { readonly kind: "saved"; readonly etag: string | undefined }
  /** Another has stored edits since, and nothing was changed. */
  | { readonly kind: "conflict" };
