/**
 * How a composition moves: files come and go; renders read the files as they were when requested.
 *
 * 1. Every change of a file raises `revision`; sums and bounds are checked in the same step.
 * 2. An object is written once. What a file gave up is removed at once when no render is under way,
 *    else when the last of them has ended.
 * 3. A request that changes all files names the revision that it has read; under another it gets
 *    `moved` and reads again. So no step needs a list that grows with the bundle.
 */

import { limits } from "../../config/limits.ts";
import {
  type Actor,
  answer,
  type Context,
  type Decision,
  decision,
  put,
  type RowWrite,
  type Tell,
  tell,
} from "../../engine/actor.ts";
import type { ReplyTo } from "../../engine/address.ts";
import type { Id } from "../../engine/id.ts";
import { accountKey, type FilesChanged, type StoredFile } from "../protocol/account-messages.ts";
import {
  type BundleFile,
  bundleFileKey,
  getEtag,
  objectKeyFor,
  pathBytes,
  pathDigest,
} from "../protocol/bundle-file.ts";
import {
  activeRendersKey,
  type Composition,
  type CompositionMessage,
  type CreateComposition,
  compositionDetailsKey,
  type DeleteFile,
  holds,
  type MeasureFrame,
  type Moved,
  type PatchComposition,
  type PutFile,
  type RemoveComposition,
  type RenderComposition,
  type ReplaceFiles,
  type Reservation,
  staleObjectsKey,
  versionTag,
} from "../protocol/composition.ts";
import { bundleRemovalKey } from "../protocol/removal.ts";
import { studioKey } from "../protocol/studio.ts";
import { createRefused, type Refusal, type Refused } from "../refusal.ts";
import { done } from "../reply.ts";
import { mergeMeta, metaFault } from "./meta.ts";

type CompositionDecision = Decision<Composition, never>;

export const compositionActor: Actor<Composition, CompositionMessage, never> = {
  kind: "composition",
  decide(composition, message, ctx) {
    if (message.kind === "create") return create(composition, message, ctx);
    if (composition === undefined) return refuse(undefined, { code: "not_found" }, ctx);
    switch (message.kind) {
      case "patch":
        return patch(composition, message, ctx);
      case "put_file":
        return putFile(composition, message, ctx);
      case "delete_file":
        return deleteFile(composition, message, ctx);
      case "replace":
        return replace(composition, message, ctx);
      case "remove":
        return remove(composition, message, ctx);
      case "render":
        return render(composition, message, ctx);
      case "render_over":
        return renderOver(composition, message.render, ctx);
      case "measure":
        return measure(composition, message, ctx);
    }
  },
  dueAt: () => undefined,
};

function refuse(
  head: Composition | undefined,
  refusal: Refusal,
  ctx: Context<Refused>,
): CompositionDecision {
  return decision(head, { replies: answer(ctx, createRefused(refusal)) });
}

function answerWith<R>(
  head: Composition | undefined,
  ctx: Context<R>,
  reply: NoInfer<R>,
  rows: readonly RowWrite[] = [],
  effects: readonly Tell[] = [],
): CompositionDecision {
  return decision(head, { rows, replies: answer(ctx, reply), effects });
}

const moved: Moved = { kind: "moved" };

function create(
  existing: Composition | undefined,
  { composition, details, files, reservation }: CreateComposition,
  ctx: Context<ReplyTo<CreateComposition>>,
): CompositionDecision {
  if (existing !== undefined) return answerWith(existing, ctx, done);
  if (isLate(reservation, ctx)) return refuse(undefined, tooLate, ctx);
  const rows = [put(compositionDetailsKey(ctx.self), details), ...writeRows(files, ctx)];
  const counted = tell(studioKey(composition.scope), { kind: "compositions", by: 1 });
  const tells = [counted, ...storage(composition, files, []), ...takeReservation(reservation)];
  return answerWith({ ...composition, ...sumFiles(files) }, ctx, done, rows, tells);
}

/** Tells the account which files were added and removed, since it counts stored bytes. */
function storage(
  { scope }: Composition,
  added: readonly StoredFile[],
  removed: readonly StoredFile[],
): Tell[] {
  if (added.length + removed.length === 0) return [];
  const plain = ({ sha256, size }: StoredFile) => ({ sha256, size });
  const files = { added: added.map(plain), removed: removed.map(plain) };
  const message: FilesChanged = { kind: "files_changed", ...files };
  return [tell(accountKey(scope), message)];
}

/** Whether a reservation has expired, after which its objects may have been removed. */
function isLate(reservation: Reservation | undefined, { atMs }: Context): boolean {
  return reservation !== undefined && atMs >= reservation.untilMs;
}

const tooLate = {
  code: "conflict",
  detail: "The files took too long to arrive; send them again.",
} as const;

/** Ends a reservation, so that none of its objects are removed any more. */
function takeReservation(reservation: Reservation | undefined): Tell[] {
  return reservation === undefined ? [] : [tell(reservation.key, { kind: "removed" })];
}

function writeRows(files: readonly BundleFile[], { self }: Context): RowWrite[] {
  return files.map((file) => put(bundleFileKey(self, pathDigest(file.path)), file));
}

function sumFiles(files: readonly BundleFile[]) {
  const total = (getSize: (file: BundleFile) => number) =>
    files.reduce((sum, file) => sum + getSize(file), 0);
  return {
    files: files.length,
    totalBytes: total(({ size }) => size),
    pathBytes: total(({ path }) => pathBytes(path)),
  };
}

type Sums = ReturnType<typeof sumFiles>;

function addSums(all: Sums, gone: Sums, come: Sums): Sums {
  return {
    files: all.files - gone.files + come.files,
    totalBytes: all.totalBytes - gone.totalBytes + come.totalBytes,
    pathBytes: all.pathBytes - gone.pathBytes + come.pathBytes,
  };
}

function bumpRevision(composition: Composition, { atMs }: Context, by: 0 | 1): Composition {
  const { revision, version } = composition;
  return { ...composition, revision: revision + by, version: version + 1, updatedAtMs: atMs };
}

const failedCondition = { code: "precondition_failed" } as const;

function patch(
  composition: Composition,
  { patch: asked, conditions }: PatchComposition,
  ctx: Context<ReplyTo<PatchComposition>>,
): CompositionDecision {
  const { name, description, projectId, meta, metaPatch } = asked;
  const key = compositionDetailsKey(ctx.self);
  const details = ctx.get(key);
  if (details === undefined) return refuse(composition, { code: "not_found" }, ctx);
  if (!holds(conditions, versionTag(composition))) return refuse(composition, failedCondition, ctx);
  const next = {
    name: name ?? details.name,
    description: description === undefined ? details.description : description,
    projectId: projectId === undefined ? details.projectId : projectId,
    meta: meta ?? mergeMeta(details.meta, metaPatch ?? {}),
  };
  const fault = metaFault(next.meta, metaPatch === undefined ? "/meta" : "/meta_patch");
  if (fault !== undefined) return refuse(composition, { code: "validation", faults: [fault] }, ctx);
  return answerWith(bumpRevision(composition, ctx, 0), ctx, done, [put(key, next)]);
}

function putFile(
  composition: Composition,
  { file, conditions, reservation }: PutFile,
  ctx: Context<ReplyTo<PutFile>>,
): CompositionDecision {
  if (isLate(reservation, ctx)) return refuse(composition, tooLate, ctx);
  const key = bundleFileKey(ctx.self, pathDigest(file.path));
  const before = ctx.get(key);
  if (!holds(conditions, before && getEtag(before)))
    return refuse(composition, failedCondition, ctx);
  const next: Composition = {
    ...bumpRevision(composition, ctx, 1),
    files: composition.files + (before === undefined ? 1 : 0),
    totalBytes: composition.totalBytes + file.size - (before?.size ?? 0),
    pathBytes: composition.pathBytes + (before === undefined ? pathBytes(file.path) : 0),
  };
  const refusal = sumRefusal(next) ?? findCrowding(before === undefined ? 0 : 1, ctx);
  if (refusal !== undefined) return refuse(composition, refusal, ctx);
  const gone = before === undefined ? nothingGone : giveUpFiles(next, [before], ctx);
  const reply = { kind: "stored", isNew: before === undefined, file } as const;
  const stored = storage(composition, [file], before === undefined ? [] : [before]);
  const tells = [...gone.tells, ...stored, ...takeReservation(reservation)];
  return answerWith(next, ctx, reply, [put(key, file), ...gone.rows], tells);
}

/** Returns why a bundle of that size is refused; used for one file and for many at once. */
function sumRefusal({ files, totalBytes, pathBytes: paths }: Sums) {
  const { filesMax, bytesMax, pathBytesMax } = limits.compositions;
  const refusal = (detail: string): Refusal => ({
    code: "payload_too_large",
    limitBytes: bytesMax,
    detail,
  });
  if (files > filesMax) return refusal(`A composition may have at most ${filesMax} files.`);
  if (totalBytes > bytesMax) return { code: "payload_too_large", limitBytes: bytesMax } as const;
  if (paths > pathBytesMax)
    return refusal(`The paths of a composition may have at most ${pathBytesMax} bytes together.`);
  return undefined;
}

/** Refuses to replace more files while renders still hold too many replaced ones. */
function findCrowding(count: number, ctx: Context): Refusal | undefined {
  const stale = ctx.get(staleObjectsKey(ctx.self)) ?? [];
  if (stale.length === 0 || stale.length + count <= limits.compositions.staleMax) return undefined;
  const detail = "Too many files were replaced while this composition was being rendered.";
  return { code: "conflict", detail };
}

interface Gone {
  readonly rows: readonly RowWrite[];
  readonly tells: readonly Tell[];
}

const nothingGone: Gone = { rows: [], tells: [] };

/** Gives up objects that no file refers to any more; `next` is the head after the change. */
function giveUpFiles(next: Composition, files: readonly BundleFile[], ctx: Context): Gone {
  if (files.length === 0) return nothingGone;
  const names = files.map(({ object }) => object);
  if (activeRenders(ctx).length === 0) return { rows: [], tells: [removal(next, names, ctx)] };
  const stale = staleObjectsKey(ctx.self);
  return { rows: [put(stale, [...(ctx.get(stale) ?? []), ...names])], tells: [] };
}

function removal(next: Composition, names: readonly string[], { self }: Context): Tell {
  const keys = names.map((object) => objectKeyFor(next.id, { object }));
  return tell(bundleRemovalKey(self, next.version), { kind: "remove", keys });
}

function activeRenders(ctx: Context): readonly Id[] {
  return ctx.get(activeRendersKey(ctx.self)) ?? [];
}

function deleteFile(
  composition: Composition,
  { path, conditions }: DeleteFile,
  ctx: Context<ReplyTo<DeleteFile>>,
): CompositionDecision {
  const key = bundleFileKey(ctx.self, pathDigest(path));
  const before = ctx.get(key);
  if (before === undefined) return refuse(composition, { code: "not_found" }, ctx);
  if (!holds(conditions, getEtag(before))) return refuse(composition, failedCondition, ctx);
  const refusal = findCrowding(1, ctx);
  if (refusal !== undefined) return refuse(composition, refusal, ctx);
  const next: Composition = {
    ...bumpRevision(composition, ctx, 1),
    files: composition.files - 1,
    totalBytes: composition.totalBytes - before.size,
    pathBytes: composition.pathBytes - pathBytes(path),
  };
  const gone = giveUpFiles(next, [before], ctx);
  const tells = [...gone.tells, ...storage(composition, [], [before])];
  return answerWith(next, ctx, done, [{ key, value: undefined }, ...gone.rows], tells);
}

function replace(
  composition: Composition,
  { revision, before, files, reservation }: ReplaceFiles,
  ctx: Context<ReplyTo<ReplaceFiles>>,
): CompositionDecision {
  if (isLate(reservation, ctx)) return refuse(composition, tooLate, ctx);
  if (revision !== composition.revision) return answerWith(composition, ctx, moved);
  const { rows, found } = readFiles(before, ctx);
  const sums = addSums(composition, sumFiles(found), sumFiles(files));
  const refusal = sumRefusal(sums) ?? findCrowding(before.length, ctx);
  if (refusal !== undefined) return refuse(composition, refusal, ctx);
  const next: Composition = { ...bumpRevision(composition, ctx, 1), ...sums };
  const gone = giveUpFiles(next, found, ctx);
  const stored = storage(composition, files, found);
  const tells = [...gone.tells, ...stored, ...takeReservation(reservation)];
  return answerWith(next, ctx, done, [...rows, ...writeRows(files, ctx), ...gone.rows], tells);
}

function readFiles(paths: readonly string[], ctx: Context) {
  const keys = paths.map((path) => bundleFileKey(ctx.self, pathDigest(path)));
  const found = keys.map((key) => ctx.get(key)).filter((file) => file !== undefined);
  return { rows: keys.map((key) => ({ key, value: undefined })), found };
}

/** Deletes a composition; its renders that have ended are kept. */
function remove(
  composition: Composition,
  { revision, before, conditions }: RemoveComposition,
  ctx: Context<ReplyTo<RemoveComposition>>,
): CompositionDecision {
  if (!holds(conditions, versionTag(composition))) return refuse(composition, failedCondition, ctx);
  if (revision !== composition.revision) return answerWith(composition, ctx, moved);
  if (activeRenders(ctx).length > 0)
    return refuse(composition, { code: "conflict", detail: stillRendered }, ctx);
  const { rows, found } = readFiles(before, ctx);
  const stale = staleObjectsKey(ctx.self);
  const names = [...found.map(({ object }) => object), ...(ctx.get(stale) ?? [])];
  const others = [stale, activeRendersKey(ctx.self), compositionDetailsKey(ctx.self)];
  const ended = others.map((key) => ({ key, value: undefined }));
  const last = bumpRevision(composition, ctx, 1);
  return answerWith(
    undefined,
    ctx,
    done,
    [...rows, ...ended],
    [
      tell(studioKey(composition.scope), { kind: "compositions", by: -1 }),
      ...storage(composition, [], found),
      ...(names.length === 0 ? [] : [removal(last, names, ctx)]),
    ],
  );
}

const stillRendered =
  "A render of this composition is still running; cancel it, or delete with force=true.";

/** Starts a render: the scope's studio decides whether there is room, and sends the reply. */
function render(
  composition: Composition,
  { kind: _, ...submit }: RenderComposition,
  ctx: Context<ReplyTo<RenderComposition>>,
): CompositionDecision {
  const { order } = submit;
  if (order.revision !== composition.revision) return answerWith(composition, ctx, moved);
  const active = put(activeRendersKey(ctx.self), [...activeRenders(ctx), order.id]);
  const message = { kind: "submit", ...submit, request: ctx.request } as const;
  const effects = [tell(studioKey(composition.scope), message)];
  return decision(composition, { rows: [active], effects });
}

function renderOver(composition: Composition, ended: Id, ctx: Context): CompositionDecision {
  const left = activeRenders(ctx).filter((id) => id !== ended);
  const stale = staleObjectsKey(ctx.self);
  const names = left.length === 0 ? (ctx.get(stale) ?? []) : [];
  const rows = [put(activeRendersKey(ctx.self), left)];
  if (names.length === 0) return decision(composition, { rows });
  // The version rises here too, so that no two removals have the same address.
  const head = { ...composition, version: composition.version + 1 };
  return decision(head, {
    rows: [...rows, { key: stale, value: undefined }],
    effects: [removal(head, names, ctx)],
  });
}

/** Stores the frame that was computed from the files; clients see no change. */
function measure(
  composition: Composition,
  { frame }: MeasureFrame,
  ctx: Context<ReplyTo<MeasureFrame>>,
): CompositionDecision {
  const isOfNow = frame.revision === composition.revision;
  return answerWith(isOfNow ? { ...composition, frame } : composition, ctx, done);
}
