/**
 * What a submit comes to once its request is understood: step 2 of the submit's checks, after the
 * schema. One shape for every kind, so that quote, submit and set read the same thing.
 */

import type { Modality, ModelEntry } from "../../config/catalogue.ts";
import type { Id } from "../../engine/id.ts";
import type { TaskInput } from "../protocol/job.ts";
import type { Media } from "../protocol/media.ts";

export interface Generation {
  readonly model: ModelEntry;
  readonly modality: Modality;
  /** What the asset shows as its prompt; for speech the text. */
  readonly prompt: string;
  /** What is drawn instead of the prompt, when a rewriter changed it. */
  readonly enhancedPrompt?: string;
  readonly displayName: string | undefined;
  readonly tags: readonly string[];
  readonly price: number;
  /** Outputs that the price pays for. */
  readonly count: number;
  /** Of a provider's model a `ProviderInput`. */
  readonly input: TaskInput;
  /** Under which name the worker gets the prompt; undefined for a model that takes none. */
  readonly promptAs: "prompt" | "text" | undefined;
  /** The canonical body without `confirmation_token`. */
  readonly canonical: string;
  /** The request after defaulting, without what `JobRequest` has under other names. */
  readonly accepted: Readonly<Record<string, unknown>>;
  /** What a list calls a job that has no prompt. */
  readonly subject?: string;
  /** The job whose asset is worked on. */
  readonly parent?: Id;
  readonly quoted: () => Quoted;
}

/** What a quote tells besides the price. `settings` in the order of a dialog. */
export interface Quoted {
  readonly durationSeconds?: number;
  readonly quality?: string;
  readonly settings: readonly (readonly [label: string, value: string])[];
}

/** A ready asset of the caller's scope. */
export interface SourceAsset {
  readonly id: Id;
  readonly job: Id | undefined;
  readonly media: Media;
  readonly displayName: () => string;
}

/** Finds what a request refers to; undefined when it is not there, not visible or not ready. */
export type Sources = (asset: string) => SourceAsset | undefined;
