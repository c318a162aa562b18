/**
 * What the service's main thread and the effects thread say to each other about providers and the
 * farm. The engine only carries it.
 */
import type { ProviderConfig } from "../config/provider-config.ts";
import type { ProviderModel } from "../config/provider-models.ts";
import type { Id } from "../engine/id.ts";
import type { Answered, Asked } from "../engine/questions.ts";
import type { Callback, Health, ProviderTraits } from "../providers/provider.ts";

/** What operators configured, and whom they paused or drained. */
export interface ProviderSetup {
  readonly kind: "setup";
  readonly configs: readonly ProviderConfig[];
  readonly models: readonly ProviderModel[];
  readonly paused: readonly string[];
  /** Names of farm nodes. */
  readonly drained: readonly string[];
}

export type ProviderQuestion =
  /** Answered by `CallbackAnswer`. Its token was checked and names submission `number`. */
  | {
      readonly kind: "callback";
      readonly provider: string;
      readonly job: Id | undefined;
      readonly number: number | undefined;
      readonly callback: Callback;
    }
  /** Reads a job at its provider now; answered by whether there was something to read. */
  | { readonly kind: "read"; readonly job: Id }
  /** Answered by `ProviderState[]`. */
  | { readonly kind: "states" };

export type FarmQuestion =
  /** Answered by `FarmNodeState[]`. */
  | { readonly kind: "farm_nodes" }
  /** Answered by `FarmTasks`. */
  | { readonly kind: "farm_tasks" }
  /** Answered by a JPEG in base64, or null. */
  | { readonly kind: "farm_thumbnail"; readonly id: Id }
  /** Lease nothing more to a node; answered by whether it is there. */
  | { readonly kind: "drain_farm_node"; readonly name: string };

/** Answered by `Sample[]`: what was counted since the last time. */
export interface SamplesQuestion {
  readonly kind: "samples";
}

export type EffectsQuestion = ProviderQuestion | FarmQuestion | SamplesQuestion;

/** Of a farm node that takes tasks from this service. */
export interface FarmNodeState {
  readonly name: string;
  /** Undefined where it does not say. */
  readonly version: string | undefined;
  readonly joinedAtMs: number;
  readonly isDraining: boolean;
  /** How many it has from this service. */
  readonly tasks: number;
}

export interface FarmTasks {
  readonly running: readonly RunningTask[];
  readonly waiting: Readonly<Record<string, number>>;
}

/** A task that a farm node has from this service. */
export interface RunningTask {
  /** Of the job, render or asset that it is for. */
  readonly id: Id;
  readonly kind: string;
  readonly scope: Id;
  /** The farm node's name. */
  readonly node: string;
  readonly claimedAtMs: number;
  /** 0 to 1. */
  readonly progress: number;
  readonly hasThumbnail: boolean;
}

export interface ProviderState extends Pick<ProviderTraits, "name" | "callback" | "cancel"> {
  readonly health: Health;
  readonly isPaused: boolean;
  readonly inFlight: number;
  readonly waiting: number;
  /** When a call last failed. */
  readonly lastErrorAtMs: number | undefined;
}

/** What only the main thread can sign, for one submission. */
export interface LinkQuestion {
  readonly provider: string;
  readonly job: Id;
  readonly number: number;
  readonly objectKeys: readonly string[];
}

export interface Links {
  readonly callbackUrl: string;
  /** One for each object key. */
  readonly urls: readonly string[];
}

export type ToEffectsThread = ProviderSetup | Asked<EffectsQuestion> | Answered;

export type FromEffectsThread =
  | Asked<LinkQuestion>
  | Answered
  | { readonly kind: "health"; readonly provider: string; readonly health: Health };
