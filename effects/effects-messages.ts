/**
 * Messages about providers and the farm between the service's main thread and the effects thread.
 * The engine only transports them.
 */
import type { ProviderConfig } from "../config/providers/provider-config.ts";
import type { ProviderModel } from "../config/providers/provider-models.ts";
import type { Id } from "../engine/id.ts";
import type { Answered, Asked } from "../engine/questions.ts";
import type { Callback, Health, ProviderTraits } from "../providers/provider.ts";

/** The configured providers, with the providers that are paused and the nodes that are drained. */
export interface ProviderSetup {
  readonly kind: "setup";
  readonly configs: readonly ProviderConfig[];
  readonly models: readonly ProviderModel[];
  readonly paused: readonly string[];
  /** Names of drained farm nodes. */
  readonly drained: readonly string[];
}

export type ProviderQuestion =
  /** Answered by `CallbackAnswer`. The callback's token is valid for submission `number`. */
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

/** Asks for the counts since the previous question; answered by `Sample[]`. */
export interface SamplesQuestion {
  readonly kind: "samples";
}

export type EffectsQuestion = ProviderQuestion | FarmQuestion | SamplesQuestion;

/** State of a farm node that takes tasks from this service. */
export interface FarmNodeState {
  readonly name: string;
  /** Version of the node, or undefined where it reports none. */
  readonly version: string | undefined;
  readonly joinedAtMs: number;
  readonly isDraining: boolean;
  /** Number of tasks that it runs at once. */
  readonly slots: number;
  /** Number of tasks that the node has from this service. */
  readonly tasks: number;
}

export interface FarmTasks {
  readonly running: readonly RunningTask[];
  readonly waiting: Readonly<Record<string, number>>;
}

/** A task that a farm node has from this service. */
export interface RunningTask {
  /** Id of the job, render or asset that needs the task. */
  readonly id: Id;
  readonly kind: string;
  readonly scope: Id;
  /** Name of the farm node. */
  readonly node: string;
  readonly claimedAtMs: number;
  /** Progress of the task, 0 to 1. */
  readonly progress: number;
  readonly hasThumbnail: boolean;
}

export interface ProviderState extends Pick<ProviderTraits, "name" | "callback" | "cancel"> {
  readonly health: Health;
  readonly isPaused: boolean;
  readonly inFlight: number;
  readonly waiting: number;
  /** Time of the last failed call. */
  readonly lastErrorAtMs: number | undefined;
}

/** Asks for links to one submission's objects and callback, which only the main thread can sign. */
export interface LinkQuestion {
  readonly provider: string;
  readonly job: Id;
  readonly number: number;
  readonly objectKeys: readonly string[];
}

export interface Links {
  readonly callbackUrl: string;
  /** One URL for each object key. */
  readonly urls: readonly string[];
}

export type ToEffectsThread = ProviderSetup | Asked<EffectsQuestion> | Answered;

export type FromEffectsThread =
  | Asked<LinkQuestion>
  | Answered
  | { readonly kind: "health"; readonly provider: string; readonly health: Health };
