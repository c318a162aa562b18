/**
 * The layout of a composition by a farm node for one export, while the request for it waits. It
 * leaves nothing behind: its objects are volatile, and the actor ends with its answer. Its
 * behaviour is in `measuring-actor.ts`.
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
  /** Token of the farm's lease. */
  readonly token?: string;
}

/** `failed` means that the page cannot be laid out, `late` that no node did it in time. */
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
      /** Set when the node handed the task back, so that no attempt counts. */
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

/** Object key prefix of all objects of one measuring. */
export function measuringObjects(id: Id): string {
  return `${volatileRoot}/exports/${id}`;
}
