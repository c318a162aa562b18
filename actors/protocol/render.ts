/**
 * A render: one film or still of a composition as it was when requested. It has three rows: the
 * request (`RenderOrder`, written once), its outcome (`Render`, the head), and its notes
 * (`RenderNotes`). Its behaviour is in `render-actor.ts`.
 */

import type {
  AudioMix,
  Quality,
  RenderStillOptions,
  RenderTarget,
  StillParams,
} from "../../contract/render.ts";
import type { Due } from "../../engine/actor.ts";
import {
  type Address,
  createAddress,
  type Question,
  type RequestId,
} from "../../engine/address.ts";
import { type Id, idBytes, keyOfId, partitionOfId } from "../../engine/id.ts";
import { createKey, type Key } from "../../engine/key.ts";
import type { Refused } from "../refusal.ts";
import { codes } from "../table-codes.ts";
import type { RunFarmTask, Source } from "./farm-task.ts";
import type { Outcome } from "./job.ts";

export interface RenderOrder {
  readonly id: Id;
  readonly scope: Id;
  readonly user: Id;
  readonly composition: Id;
  /** Revision of the composition at the time of the request. */
  readonly revision: number;
  readonly createdAtMs: number;
  readonly target: RenderTarget;
  readonly quality?: Quality;
  /** Options of a still as requested; `params` are the same with the time resolved. */
  readonly still?: RenderStillOptions;
  readonly params?: StillParams;
  readonly audioMix?: AudioMix;
  /** Key of the object that lists the composition's files. */
  readonly manifestKey: string;
  readonly assets: Readonly<Record<string, Source>>;
  /** Warnings about what was adjusted before the render was submitted. */
  readonly warnings?: readonly string[];
  /** Trace, span and flags of the caller that traces the submit (W3C Trace Context). */
  readonly trace?: string;
}

/** A render's submit; `digest` as in `tombstoneKey`, when an Idempotency-Key was sent. */
export interface RenderSubmit {
  readonly order: RenderOrder;
  readonly digest?: string;
}

interface Common {
  readonly id: Id;
  readonly scope: Id;
  readonly user: Id;
  readonly composition: Id;
  /** Version of the render, which rises with every change. */
  readonly version: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

interface Open extends Common {
  /** Number of failed attempts on the farm. */
  readonly attempts: number;
}

export interface QueuedRender extends Open {
  readonly phase: "queued";
  /** Whether the farm has the task; otherwise the render waits for others of its scope to end. */
  readonly isSent: boolean;
}

export interface RunningRender extends Open {
  readonly phase: "running";
  readonly startedAtMs: number;
  readonly progress: number;
  /** Token of the farm's lease; reports under another token are ignored. */
  readonly token?: string;
}

export interface SucceededRender extends Common {
  readonly phase: "succeeded";
  readonly startedAtMs: number;
  readonly finishedAtMs: number;
  readonly asset: Id;
  readonly width?: number;
  readonly height?: number;
  readonly durationSeconds?: number;
}

export interface FailedRender extends Common {
  readonly phase: "failed";
  readonly startedAtMs?: number;
  readonly finishedAtMs: number;
  readonly isCanceled?: true;
}

export type Render = QueuedRender | RunningRender | SucceededRender | FailedRender;

/** Notes on a render, written when it ends. */
export interface RenderNotes {
  readonly warnings: readonly string[];
  readonly error?: string;
  /** Parameters of a still as the farm resolved them. */
  readonly params?: StillParams;
}

/** The answer to a render's submit. */
export type RenderReply = { readonly kind: "accepted" } | Refused;

export interface CancelRender extends Question<{ readonly kind: "canceled" } | Refused> {
  readonly kind: "cancel";
  readonly user: Id;
}

export type RenderMessage =
  | {
      readonly kind: "create";
      readonly order: RenderOrder;
      readonly isSent: boolean;
      readonly request: RequestId<RenderReply> | undefined;
    }
  /** The farm may have it now. */
  | { readonly kind: "go" }
  | { readonly kind: "claim"; readonly token: string }
  | {
      readonly kind: "lapsed";
      readonly token: string;
      readonly reason?: string;
      /** Set when the node handed the task back, so that no attempt counts. */
      readonly isReturned?: true;
    }
  | { readonly kind: "progress"; readonly token?: string; readonly progress: number }
  | { readonly kind: "finished"; readonly token?: string; readonly outcome: Outcome }
  | CancelRender
  /** It may be old enough to be forgotten. */
  | { readonly kind: "retire" }
  | Due;

export type RenderEffect =
  | RunFarmTask
  | { readonly kind: "farm.lease"; readonly token: string }
  | { readonly kind: "farm.cancel" };

export function renderKey(render: Id): Address<RenderMessage, Render> {
  return createAddress(keyOfId(codes.render, render));
}

export function renderOrderKey(render: Id): Key<RenderOrder> {
  return keyOfId(codes.renderOrder, render);
}

export function renderNotesKey(render: Id): Key<RenderNotes> {
  return keyOfId(codes.renderNotes, render);
}

/** Key of a composition's renders, ordered by id; `render` is an id's bytes, or "" for all. */
export function renderOfCompositionKey(composition: Id, render: string): Key<string> {
  return createKey(
    partitionOfId(composition),
    codes.renderOfComposition,
    idBytes(composition) + render,
  );
}
