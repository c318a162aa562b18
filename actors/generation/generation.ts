/**
 * The result of resolving a request: step 2 of a submit's checks, after the schema. It has the same
 * shape for every kind of request, so that quote, submit and set all read the same.
 */

import type { ModelEntry } from "../../config/catalogue.ts";
import type { Modality } from "../../config/modalities.ts";
import type { Id } from "../../engine/id.ts";
import type { TaskInput } from "../protocol/job.ts";
import type { Media } from "../protocol/media.ts";

export interface Generation {
  readonly model: ModelEntry;
  readonly modality: Modality;
  /** Prompt that the asset shows; for speech the text. */
  readonly prompt: string;
  /** Prompt sent to the model instead, when a rewriter changed it. */
  readonly enhancedPrompt?: string;
  readonly displayName: string | undefined;
  readonly tags: readonly string[];
  readonly price: number;
  /** Number of outputs that the price pays for. */
  readonly count: number;
  /** The worker's input; a `ProviderInput` when the model belongs to a provider. */
  readonly input: TaskInput;
  /** Input member in which the worker gets the prompt; undefined for a model that takes none. */
  readonly promptAs: "prompt" | "text" | undefined;
  /** The canonical request body, without `confirmation_token`. */
  readonly canonical: string;
  /** The request with defaults applied, without members that `JobRequest` stores by other names. */
  readonly accepted: Readonly<Record<string, unknown>>;
  /** Name of the job in lists when it has no prompt. */
  readonly subject?: string;
  /** Id of the job whose asset this generation works on. */
  readonly parent?: Id;
  readonly quoted: () => Quoted;
}

/** What a quote says besides the price. `settings` are in the order in which dialogs show them. */
export interface Quoted {
  readonly durationSeconds?: number;
  readonly quality?: string;
  readonly settings: readonly (readonly [label: string, value: string])[];
}

/** A ready asset in the caller's scope. */
export interface SourceAsset {
  readonly id: Id;
  readonly job: Id | undefined;
  readonly media: Media;
  readonly displayName: () => string;
}

/** Finds an asset by id; undefined when it does not exist, is not visible or is not ready. */
export type Sources = (asset: string) => SourceAsset | undefined;
