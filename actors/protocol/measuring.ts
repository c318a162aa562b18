/**
 * A composition that a farm node lays out for one export, while the request for it waits. Nothing
 * of it outlives the request: its objects are volatile, and the actor ends with its answer. How it
 * moves: `measuring-actor.ts`.
 */

import type { Due } from "../../engine/actor.ts";
import {
  type Address,
  createAddress,
  type Question,
  type RequestId,
} from "../../engine/address.ts";
import { type Id, keyOfId } from "../../engine/id.ts";
import { volatileRoot } from "../../engine/ports/objects.ts";
import type { MeasureInput } from "../../timeline/export/measurement.ts";
import { codes } from "../table-codes.ts";
import type { RunFarmTask } from "./farm-task.ts";
import type { Outcome } from "./job.ts";

export interface Measuring {
  readonly scope: Id;
  readonly untilMs: number;
  readonly attempts: number;
  readonly request: RequestId<Measured> | undefined;
  /** Names the farm's lease. */
  readonly token?: string;
}

/** `failed`: the page cannot be laid out; `late`: no node did it in time. */
export type Measured =
  | { readonly kind: "measured"; readonly objectKey: string }
  | { readonly kind: "failed"; readonly reason: string }
  | { readonly kind: "late" };

export interface Measure extends Question<Measured> {
  readonly kind: "measure";
  readonly id: Id;
  readonly scope: Id;
  readonly input: MeasureInput;
}

export type MeasuringMessage =
  | Measure
  | { readonly kind: "claim"; readonly token: string }
  | {
      readonly kind: "lapsed";
      readonly token: string;
      readonly reason?: string;
      /** The node handed the task back: no attempt was made. */
      readonly isReturned?: true;
    }
  | { readonly kind: "progress"; readonly token?: string; readonly progress: number }
  | { readonly kind: "finished"; readonly token?: string; readonly outcome: Outcome }
  | Due;

export type MeasuringEffect =
  | RunFarmTask
  | { readonly kind: "farm.lease"; readonly token: string }
  | { readonly kind: "farm.cancel" };

export function measuringKey(id: Id): Address<MeasuringMessage, Measuring> {
  return createAddress(keyOfId(codes.measuring, id));
}

/** Under which all of its objects lie. */
export function measuringObjects(id: Id): string {
  return `${volatileRoot}/exports/${id}`;
}
