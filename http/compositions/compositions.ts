/** What the routes of compositions share: finding one, reading its files, showing it. */

import { compositionView, getFrame } from "../../actors/composition/composition-view.ts";
import { type BundleFile, bundleFileKey } from "../../actors/protocol/bundle-file.ts";
import {
  type Composition,
  type CompositionMessage,
  type Conditions,
  compositionDetailsKey,
  compositionKey,
  type Frame,
  type RemoveComposition,
  type RenderComposition,
  type ReplaceFiles,
  versionTag,
} from "../../actors/protocol/composition.ts";
import { limits } from "../../config/limits.ts";
import type { Composition as CompositionView } from "../../contract/composition.ts";
import type { Address } from "../../engine/address.ts";
import { parseId } from "../../engine/id.ts";
import { getRange } from "../../engine/key.ts";
import { PortError } from "../../engine/ports/port-error.ts";
import { requirePermission } from "../auth/permissions.ts";
import { type Answer, type Header, json } from "../exchange/answer.ts";
import { RefusalError, requireFound } from "../exchange/refusal-error.ts";
import { expectReply } from "../problems/replies.ts";
import { parseTags } from "../request/etag.ts";
import type { Call } from "../route.ts";
import type { Service } from "../service.ts";

/** A composition and all of its files, of one moment. */
export interface Snapshot {
  readonly key: Address<CompositionMessage, Composition>;
  readonly composition: Composition;
  /** The files, sorted by path. */
  readonly files: readonly BundleFile[];
}

/** Throws `RefusalError` with 404 for a composition that is unknown or another scope's. */
export function findComposition({ service, principal, id }: Call<unknown, unknown>): Composition {
  return requireFound(
    service.gateway.read(compositionKey(principal.scope, requireFound(parseId(id)))),
  );
}

/** Like `findComposition`, for changes: throws 403 for callers that may not change it. */
export function editableComposition(call: Call<unknown, unknown>): Composition {
  const composition = findComposition(call);
  if (composition.user !== call.principal.user.id) requirePermission(call.principal, "edit_any");
  return composition;
}

export function readConditions({ request: { headers } }: Call<unknown, unknown>): Conditions {
  return { match: parseTags(headers["if-match"]), noneMatch: parseTags(headers["if-none-match"]) };
}

/** Throws `RefusalError` with 404 when the composition is deleted meanwhile. */
export async function takeSnapshot(call: Call<unknown, unknown>): Promise<Snapshot> {
  const { service } = call;
  for (let tried = 0; tried < limits.compositions.snapshotsMax; tried++) {
    const { id, scope, revision } = findComposition(call);
    const key = compositionKey(scope, id);
    const range = getRange(bundleFileKey(key, ""));
    const rows = await service.gateway.range(range, limits.compositions.filesMax + 1, false);
    const composition = findComposition(call);
    if (composition.revision !== revision) continue;
    const files = rows.map((row) => service.gateway.row<BundleFile>(row));
    files.sort((one, other) => (one.path < other.path ? -1 : 1));
    return { key, composition, files };
  }
  throw new RefusalError(busy);
}

type WholeChange = ReplaceFiles | RemoveComposition | RenderComposition;

/**
 * Applies a change that is built from a snapshot, and retries with a new snapshot when the files
 * changed meanwhile.
 */
export async function changeWhole(
  call: Call<unknown, unknown>,
  buildMessage: (snapshot: Snapshot) => Promise<WholeChange>,
): Promise<Snapshot> {
  for (let tried = 0; tried < limits.compositions.snapshotsMax; tried++) {
    const snapshot = await takeSnapshot(call);
    const reply = await call.service.gateway.ask(
      snapshot.key,
      await buildMessage(snapshot),
      "work",
    );
    if (expectReply(reply, "done", "accepted", "moved").kind !== "moved") return snapshot;
  }
  throw new RefusalError(busy);
}

const busy = {
  code: "conflict",
  detail: "The files of this composition are being changed; try again.",
} as const;

/** The composition's frame, from its head; after a change it is read from the files and stored. */
export async function frameAt(
  service: Service,
  { key, composition, files }: Snapshot,
): Promise<Frame | undefined> {
  const { frame, revision } = composition;
  if (frame?.revision === revision) return frame;
  try {
    const found = await service.timelines
      .of(composition, files)
      .then((timeline) => getFrame(timeline, revision), reportUnmeasured(revision));
    void service.gateway.ask(key, { kind: "measure", frame: found }, "settle");
    return found;
  } catch (error) {
    // A file was replaced while it was read, so the frame is unknown for now.
    if (error instanceof PortError) return undefined;
    throw error;
  }
}

/** Stores a fault for markup that is too large to be measured; rethrows other errors. */
function reportUnmeasured(revision: number): (error: unknown) => Frame {
  return (error) => {
    if (!(error instanceof RefusalError)) throw error;
    return { revision, width: null, height: null, frameRate: 30, durationSeconds: null };
  };
}

/** Throws `RefusalError` with 404 when the composition is gone. */
export async function buildView(
  { service }: Call<unknown, unknown>,
  snapshot: Snapshot,
): Promise<CompositionView> {
  const details = requireFound(service.gateway.read(compositionDetailsKey(snapshot.key)));
  const frame = await frameAt(service, snapshot);
  return compositionView(snapshot.composition, details, frame, snapshot.files);
}

/** Answers with the current composition and its ETag. */
export async function answerWith(
  call: Call<unknown, unknown>,
  status: number,
  headers: readonly Header[] = [],
): Promise<Answer> {
  const snapshot = await takeSnapshot(call);
  const view = await buildView(call, snapshot);
  return json(status, view, [["ETag", versionTag(snapshot.composition)], ...headers]);
}

/** Runs so many at most at once; throws the first failure once the running ones have ended. */
export async function inTurns<T>(
  items: readonly T[],
  run: (item: T) => Promise<void>,
  atOnce: number = limits.compositions.copiesAtOnce,
): Promise<void> {
  const queue = [...items];
  const lane = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift())
      await run(item).catch((error: unknown) => {
        queue.length = 0;
        throw error;
      });
  };
  const lanes = Array.from({ length: atOnce }, lane);
  const ends = await Promise.allSettled(lanes);
  for (const end of ends) if (end.status === "rejected") throw end.reason;
}
