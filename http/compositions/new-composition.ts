/** Creates compositions: by their own route, as a clone, and from blocks. */

import { metaFault } from "../../actors/composition/meta.ts";
import type { BundleFile } from "../../actors/protocol/bundle-file.ts";
import {
  type Composition,
  type CompositionDetails,
  type CreateComposition,
  compositionKey,
  type Meta,
} from "../../actors/protocol/composition.ts";
import { partitionOfId } from "../../engine/id.ts";
import { RefusalError } from "../exchange/refusal-error.ts";
import { expectReply } from "../problems/replies.ts";
import type { Call } from "../route.ts";
import type { Service } from "../service.ts";
import type { Incoming } from "./composition-storing.ts";

/** Throws `RefusalError` with 400 that points to `pointer`. */
export function requireMeta(meta: Meta, pointer: string): void {
  const fault = metaFault(meta, pointer);
  if (fault !== undefined) throw new RefusalError({ code: "validation", faults: [fault] });
}

/** A new composition in the caller's scope, without files. */
export function newComposition({ service, principal }: Call<unknown, unknown>): Composition {
  const { scope, user } = principal;
  const nowMs = service.clock.nowMs();
  return {
    id: service.ids.under(partitionOfId(scope)),
    scope,
    user: user.id,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
    revision: 1,
    version: 1,
    files: 0,
    totalBytes: 0,
    pathBytes: 0,
  };
}

/** Throws `RefusalError`. After success the files belong to the composition. */
export async function storeComposition(
  service: Service,
  composition: Composition,
  details: CompositionDetails,
  files: readonly BundleFile[],
  incoming?: Incoming,
): Promise<void> {
  const { reservation } = incoming ?? {};
  const message: CreateComposition = { kind: "create", composition, details, files, reservation };
  const key = compositionKey(composition.scope, composition.id);
  expectReply(await service.gateway.ask(key, message, "work"), "done");
}
