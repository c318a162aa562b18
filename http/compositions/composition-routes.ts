/** Routes of compositions: creating, listing, reading, changing, copying and deleting them. */

import { timelineView } from "../../actors/composition/composition-view.ts";
import { mergeMeta } from "../../actors/composition/meta.ts";
import { type BundleFile, objectKeyFor } from "../../actors/protocol/bundle-file.ts";
import {
  activeRendersKey,
  type Composition,
  type CompositionDetails,
  compositionDetailsKey,
  compositionKey,
  type PatchComposition,
  versionTag,
} from "../../actors/protocol/composition.ts";
import { type CancelRender, renderKey } from "../../actors/protocol/render.ts";
import { limits } from "../../config/limits.ts";
import type { Fault } from "../../config/schema.ts";
import {
  CloneCompositionRequest,
  CompositionPage,
  Composition as CompositionSchema,
  CreateCompositionRequest,
  EffectiveTimeline,
  PatchCompositionRequest,
  SignedUrls,
  SignedUrlsRequest,
} from "../../contract/composition.ts";
import { PortError } from "../../engine/ports/port-error.ts";
import { editsPath, entryPath } from "../../timeline/bundle.ts";
import { requireRoom } from "../accounts/storage.ts";
import { type Answer, json, noContent } from "../exchange/answer.ts";
import { RefusalError, requireFound } from "../exchange/refusal-error.ts";
import { expectReply } from "../problems/replies.ts";
import { withETag } from "../request/etag.ts";
import { integer, optionalFlag, optionalText } from "../request/query.ts";
import { type BodyRule, type Call, jsonBody, type Route, route } from "../route.ts";
import { blankPage } from "./blank-page.ts";
import { listCompositions } from "./composition-listing.ts";
import { copyFile, giveUp, type Incoming, reserve, storeFile } from "./composition-storing.ts";
import { signUrls } from "./composition-urls.ts";
import {
  answerWith,
  buildView,
  changeWhole,
  editableComposition,
  findComposition,
  inTurns,
  readConditions,
  type Snapshot,
  takeSnapshot,
} from "./compositions.ts";
import { newComposition, requireMeta, storeComposition } from "./new-composition.ts";

const { listDefault, listMax } = limits.compositions;
const one = "/v1/compositions/{id}";

export const compositionRoutes: readonly Route[] = [
  route("GET", "/v1/compositions", {
    summary: "List compositions, newest first",
    answers: { 200: CompositionPage },
    access: "compositions",
    needs: "read",
    rate: "read",
    query: {
      limit: integer(1, listMax, listDefault),
      cursor: optionalText(512),
      series: optionalText(200),
      q: optionalText(200),
    },
    run: listCompositions,
  }),
  route("POST", "/v1/compositions", {
    summary: "Create a composition",
    answers: { 201: CompositionSchema },
    access: "compositions",
    needs: "edit_own",
    rate: "write",
    body: jsonBody<CreateCompositionRequest>(CreateCompositionRequest, limits.http.jsonBodyMax, [
      "meta",
    ]),
    run: createComposition,
  }),
  route("GET", one, {
    summary: "Read a composition with its files",
    answers: { 200: CompositionSchema, 304: null },
    access: "compositions",
    needs: "read",
    rate: "read",
    run: readComposition,
  }),
  route("PATCH", one, {
    summary: "Change a composition's name, description, project or metadata",
    answers: { 200: CompositionSchema },
    access: "compositions",
    needs: "edit_own",
    rate: "write",
    body: patchBody(),
    run: patchComposition,
  }),
  route("DELETE", one, {
    summary: "Delete a composition and all its files",
    answers: { 204: null },
    access: "compositions",
    needs: "edit_own",
    rate: "write",
    query: { force: optionalFlag },
    run: removeComposition,
  }),
  route("POST", `${one}/clone`, {
    summary: "Copy a composition without its edits",
    answers: { 201: CompositionSchema },
    access: "compositions",
    needs: "edit_own",
    rate: "write",
    body: jsonBody<CloneCompositionRequest>(CloneCompositionRequest, limits.http.jsonBodyMax, [
      "meta_patch",
    ]),
    run: cloneComposition,
  }),
  route("POST", `${one}/files:signed-urls`, {
    summary: "Sign links to files of a composition and to assets",
    answers: { 200: SignedUrls },
    access: "compositions",
    needs: "read",
    rate: "read",
    body: jsonBody<SignedUrlsRequest>(SignedUrlsRequest),
    run: signUrls,
  }),
  route("GET", `${one}/timeline`, {
    summary: "Read the effective timeline of a composition",
    answers: { 200: EffectiveTimeline },
    access: "compositions",
    needs: "read",
    rate: "read",
    run: readTimeline,
  }),
];

/** Null clears members that may be cleared; inside customers' metadata null is a value. */
function patchBody(): BodyRule<PatchCompositionRequest> {
  const open = ["meta", "meta_patch"];
  const rule = jsonBody<PatchCompositionRequest>(
    PatchCompositionRequest,
    limits.http.jsonBodyMax,
    open,
  );
  return { ...rule, nulls: ["description", "project_id"] };
}

async function createComposition(call: Call<CreateCompositionRequest>): Promise<Answer> {
  const { service, body } = call;
  const { name = "Untitled", description = null, project_id: projectId = null, meta = {} } = body;
  requireMeta(meta, "/meta");
  const composition = newComposition(call);
  const page = buildPage(body);
  if (page !== undefined) requireRoom(call);
  const details = { name, description, projectId, meta };
  if (page === undefined) return answerCreated(call, composition, details, []);
  const incoming = await reserve(service, composition, [entryPath]);
  const file = await storeFile(service, incoming, entryPath, [Buffer.from(page)]);
  return answerCreated(call, composition, details, [file], incoming);
}

/** Builds the blank page, or returns undefined when the request wants none. */
function buildPage({ width, height, template }: CreateCompositionRequest): string | undefined {
  const hasSize = width !== undefined || height !== undefined;
  if (template === "empty" && hasSize) {
    const detail = "must be blank_html, since an empty composition has no size";
    const faults: Fault[] = [{ pointer: "/template", detail }];
    throw new RefusalError({ code: "validation", faults });
  }
  return hasSize || template === "blank_html" ? blankPage(width, height) : undefined;
}

async function answerCreated(
  call: Call<unknown, unknown>,
  composition: Composition,
  details: CompositionDetails,
  files: readonly BundleFile[],
  incoming?: Incoming,
): Promise<Answer> {
  const { id } = composition;
  await storeComposition(call.service, composition, details, files, incoming);
  const location = `${call.service.baseUrl}/compositions/${id}`;
  return answerWith({ ...call, id }, 201, [["Location", location]]);
}

async function readComposition(call: Call): Promise<Answer> {
  const snapshot = await takeSnapshot(call);
  const view = await buildView(call, snapshot);
  return withETag(call.request, versionTag(snapshot.composition), JSON.stringify(view));
}

async function patchComposition(call: Call<PatchCompositionRequest>): Promise<Answer> {
  const { service, body } = call;
  const { name, description, project_id: projectId, meta, meta_patch: metaPatch } = body;
  if (meta !== undefined && metaPatch !== undefined) {
    const faults = [{ pointer: "/meta_patch", detail: "cannot accompany meta" }];
    throw new RefusalError({ code: "validation", faults });
  }
  const { id, scope } = editableComposition(call);
  const patch = { name, description, projectId, meta, metaPatch };
  const message: PatchComposition = { kind: "patch", patch, conditions: readConditions(call) };
  expectReply(await service.gateway.ask(compositionKey(scope, id), message, "settle"), "done");
  return answerWith(call, 200);
}

async function removeComposition(
  call: Call<unknown, { readonly force: boolean | undefined }>,
): Promise<Answer> {
  const { service, principal, query } = call;
  editableComposition(call);
  const conditions = readConditions(call);
  const cancel: CancelRender = { kind: "cancel", user: principal.user.id };
  await changeWhole(call, async ({ key, composition: { revision }, files }) => {
    const renders = service.gateway.read(activeRendersKey(key)) ?? [];
    for (const id of query.force === true ? renders : [])
      await service.gateway.ask(renderKey(id), cancel, "settle");
    return { kind: "remove", revision, before: files.map(({ path }) => path), conditions };
  });
  return noContent();
}

async function cloneComposition(call: Call<CloneCompositionRequest>): Promise<Answer> {
  const { service, body } = call;
  requireRoom(call);
  const source = findComposition(call);
  const details = requireFound(
    service.gateway.read(compositionDetailsKey(compositionKey(source.scope, source.id))),
  );
  const meta = mergeMeta(details.meta, body.meta_patch ?? {});
  requireMeta(meta, "/meta_patch");
  const composition = { ...newComposition(call), clonedFrom: source.id };
  const { files, incoming } = await copyFiles(call, composition);
  const named = {
    name: body.name ?? `${details.name} copy`.slice(0, 200),
    description: body.description ?? details.description,
    projectId: body.project_id ?? details.projectId,
    meta,
  };
  return answerCreated(call, composition, named, files, incoming);
}

interface Copied {
  readonly files: readonly BundleFile[];
  readonly incoming: Incoming;
}

/** Copies the files of one revision; when a file goes meanwhile, all are copied anew. */
async function copyFiles(call: Call<unknown>, to: Composition): Promise<Copied> {
  const { service } = call;
  const files: BundleFile[] = [];
  const from = await takeSnapshot(call);
  const wanted = from.files.filter(({ path }) => path !== editsPath);
  const paths = wanted.map(({ path }) => path);
  const incoming = await reserve(service, to, paths);
  try {
    await inTurns(wanted, async (file) => {
      files.push(await copy(call, from, file, incoming));
    });
    return { files, incoming };
  } catch (error) {
    await giveUp(service, incoming);
    if (!hasMoved(call, from, error)) throw error;
    return copyFiles(call, to);
  }
}

/** Whether a copy failed because a file was replaced while it was read. */
function hasMoved(call: Call<unknown>, { composition }: Snapshot, error: unknown): boolean {
  const isGone = error instanceof PortError && !error.retryable;
  return isGone && findComposition(call).revision !== composition.revision;
}

function copy(
  { service }: Call<unknown>,
  { composition: { id } }: Snapshot,
  file: BundleFile,
  incoming: Incoming,
): Promise<BundleFile> {
  return copyFile(service, incoming, objectKeyFor(id, file), file);
}

async function readTimeline(call: Call): Promise<Answer> {
  const snapshot = await takeSnapshot(call);
  try {
    const timeline = await call.service.timelines.of(snapshot.composition, snapshot.files);
    return json(200, timelineView(timeline));
  } catch (error) {
    if (!hasMoved(call, snapshot, error)) throw error;
    return readTimeline(call);
  }
}
