/**
 * A scope's studio: how many compositions there are, and which render is next. Its behaviour is in
 * `studio-actor.ts`.
 */

import { type Address, createAddress, type RequestId } from "../../engine/address.ts";
import { type Id, keyOfId } from "../../engine/id.ts";
import { createKey, getPartition, type Key } from "../../engine/key.ts";
import { codes } from "../table-codes.ts";
import type { RenderReply, RenderSubmit } from "./render.ts";

export interface Studio {
  readonly compositions: number;
  /** Number of renders that wait for others of the scope; a separate row holds their ids. */
  readonly waiting: number;
  /** Number of renders that were given to the farm and have not begun. */
  readonly sent: number;
  readonly running: number;
}

/** A render's state among those of its scope. */
export type Place = "waiting" | "sent" | "running" | "over";

export type StudioMessage =
  | { readonly kind: "compositions"; readonly by: 1 | -1 }
  | ({
      readonly kind: "submit";
      readonly request: RequestId<RenderReply> | undefined;
    } & RenderSubmit)
  | {
      readonly kind: "render_moved";
      readonly render: Id;
      readonly from: Place;
      readonly to: Place;
    };

/** Address of the actor that counts a scope's compositions and renders. */
export function studioKey(scope: Id): Address<StudioMessage, Studio> {
  return createAddress(keyOfId(codes.studio, scope));
}

/** Key of the renders that wait for others of their scope to end, in order. */
export function waitingRendersKey(studio: Key): Key<readonly Id[]> {
  return createKey(getPartition(studio), codes.waitingRenders, studio.slice(2));
}
