/** Views of renders for clients, and the submission of a render. */

import { hash } from "node:crypto";
import { assetKey } from "../../actors/protocol/asset.ts";
import { listObjects, objectKeyFor } from "../../actors/protocol/bundle-file.ts";
import type { Source } from "../../actors/protocol/farm-task.ts";
import {
  type Render,
  type RenderOrder,
  renderKey,
  renderNotesKey,
  renderOrderKey,
} from "../../actors/protocol/render.ts";
import { renderView } from "../../actors/render/render-view.ts";
import { omitUndefined } from "../../config/defined.ts";
import { limits } from "../../config/limits.ts";
import type { Fault } from "../../config/schema.ts";
import {
  frameMax,
  type RenderRequest,
  type RenderStillOptions,
  type Render as RenderView,
  type StillParams,
} from "../../contract/render.ts";
import { type Id, partitionOfId } from "../../engine/id.ts";
import { frameCount, type Timeline } from "../../timeline/model.ts";
import { requireRoom } from "../accounts/storage.ts";
import { readyAsset } from "../assets/ready-asset.ts";
import { parseOwnId } from "../auth/own-id.ts";
import { RefusalError, requireFound } from "../exchange/refusal-error.ts";
import { digestOfBody, idempotencyKey } from "../jobs/submitting.ts";
import { getTrace } from "../request/trace-parent.ts";
import type { Call } from "../route.ts";
import type { Service } from "../service.ts";
import { newObject } from "./composition-storing.ts";
import { listAssetIds } from "./composition-urls.ts";
import { changeWhole, type Snapshot } from "./compositions.ts";

/** Throws `RefusalError` with 404 for a render that is unknown or another scope's. */
export function findRender({ service, principal, id }: Call<unknown, unknown>): Render {
  const named = requireFound(parseOwnId(principal, id));
  const render = requireFound(service.gateway.read(renderKey(named)));
  return requireFound(render.scope === principal.scope ? render : undefined);
}

export interface RenderText {
  readonly view: RenderView;
  readonly etag: string;
}

/** The ETag depends on the asset too, which may be deleted without a change of the render. */
export function renderText({ gateway }: Service, render: Render): RenderText {
  const { id, scope, version } = render;
  const order = requireFound(gateway.read(renderOrderKey(id)));
  const asset =
    render.phase === "succeeded" ? gateway.read(assetKey(scope, render.asset)) : undefined;
  const view = renderView(render, order, gateway.read(renderNotesKey(id)), asset !== undefined);
  const isGone = render.phase === "succeeded" && asset === undefined;
  return { view, etag: `"${version}${isGone ? "-gone" : ""}"` };
}

/** Checks what the schema cannot express. Throws `RefusalError` with 400. */
export function checkRequest({ target, still, quality, params }: RenderRequest): void {
  const faults: Fault[] = [];
  const fault = (pointer: string, detail: string) => faults.push({ pointer, detail });
  const isStill = target === "still";
  if (still !== undefined && !isStill) fault("/still", "is only for the target still");
  if (quality !== undefined && isStill) fault("/quality", "is only for the target video");
  if (params !== undefined && Object.keys(params).length > 0) fault("/params", "must be empty");
  if (still?.frame !== undefined && still.at_seconds !== undefined)
    fault("/still/at_seconds", "cannot accompany frame");
  if (still?.frame !== undefined && (still.frame < 0 || still.frame > frameMax))
    fault("/still/frame", `must be from 0 to ${frameMax}`);
  if (faults.length > 0) throw new RefusalError({ code: "validation", faults });
}

export interface RenderTerms {
  /** Text that is equal for requests that repeat the same Idempotency-Key. */
  readonly asked?: string;
  /** Warnings about values that were adjusted before the request was submitted. */
  readonly warnings?: readonly string[];
}

/** Resolves to the id of an accepted render, whose input files no longer change. */
export async function submitRender(
  call: Call<RenderRequest>,
  { asked, warnings }: RenderTerms = {},
): Promise<Id> {
  const { service, principal, body } = call;
  checkRequest(body);
  const key = idempotencyKey(call.request);
  requireRoom(call);
  const text = asked ?? canonicalText({ target: "video", ...body });
  const path = asked === undefined ? `render ${call.id}` : "render blocks";
  const digest = key === undefined ? undefined : digestOfBody(call, path, text, key);
  const id = service.ids.under(partitionOfId(principal.scope));
  const manifests: string[] = [];
  try {
    await changeWhole(call, async (snapshot) => {
      const manifestKey = await storeManifest(service, snapshot);
      manifests.push(manifestKey);
      const order = await buildOrder(call, id, snapshot, manifestKey);
      return {
        kind: "render",
        order: { ...order, ...omitUndefined({ warnings }) },
        ...omitUndefined({ digest }),
      };
    });
    manifests.pop();
    return id;
  } catch (error) {
    // After a lost reply the manifest stays, since the render may have been accepted.
    if (error instanceof RefusalError && error.refusal.code === "unavailable") manifests.pop();
    throw error;
  } finally {
    for (const manifest of manifests) await service.objects.remove(manifest);
  }
}

/** Returns the same text for equal requests, however their JSON is written. */
export function canonicalText(body: object): string {
  return JSON.stringify(sortMembers(body));
}

function sortMembers(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(sortMembers);
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return members.map(([name, member]) => [name, sortMembers(member)]);
}

/** Stores the list of files and the objects that hold them, as the farm reads it. */
async function storeManifest(service: Service, snapshot: Snapshot): Promise<string> {
  const key = `${listObjects(snapshot.composition.id)}/${newObject(service, "manifest.json")}`;
  await service.objects.put(key, [Buffer.from(manifestText(snapshot))]);
  return key;
}

export function manifestText({ composition, files }: Snapshot): string {
  const listed = files.map((file) => ({
    path: file.path,
    objectKey: objectKeyFor(composition.id, file),
    mimeType: file.mime,
  }));
  return JSON.stringify({ files: listed });
}

async function buildOrder(
  call: Call<RenderRequest>,
  id: Id,
  { composition, files }: Snapshot,
  manifestKey: string,
): Promise<RenderOrder> {
  const { service, principal, body } = call;
  const timeline = await service.timelines.of(composition, files);
  refuseUnusable(timeline);
  const { target = "video", quality = "standard", still = {}, audio_mix: audioMix } = body;
  return {
    id,
    scope: principal.scope,
    user: principal.user.id,
    composition: composition.id,
    revision: composition.revision,
    createdAtMs: service.clock.nowMs(),
    target,
    ...(target === "video" ? { quality } : { still, params: getParams(still, timeline) }),
    ...omitUndefined({ audioMix, trace: getTrace(call.request) }),
    manifestKey,
    assets: listSources(call, timeline),
  };
}

/** Codes of faults that make a film impossible. */
const unusable: ReadonlySet<string> = new Set([
  "missing_entry",
  "missing_root",
  "invalid_root",
  "too_long",
  "too_many",
]);

/** Refuses only faults that make a film impossible; the render reports all others. */
function refuseUnusable({ diagnostics }: Timeline): void {
  const found = diagnostics.find(({ code }) => unusable.has(code));
  if (found === undefined) return;
  const detail = `invalid_composition: ${found.message}`;
  const faults = [{ pointer: "", detail }];
  throw new RefusalError({ code: "validation", detail, faults });
}

/**
 * The frame nearest to the requested time within the film, if its length is known before the page
 * runs. The farm gets the requested time and decides.
 */
function getParams(still: RenderStillOptions, { fps, duration }: Timeline): StillParams {
  const { at_seconds: atSeconds = 0, background = "opaque", max_dimension: edge = null } = still;
  const wanted = still.frame ?? Math.round(atSeconds * fps);
  const last = duration === undefined ? frameMax : frameCount(duration, fps) - 1;
  const frame = Math.min(wanted, last);
  return { mode: "still", at_seconds: frame / fps, frame, background, max_dimension: edge };
}

/** The sources that are there now; the render reports missing ones. */
export function listSources(
  { service, principal }: Call<unknown, unknown>,
  timeline: Timeline,
): Readonly<Record<string, Source>> {
  const names = listAssetIds(timeline);
  if (names.length > limits.renders.assetsMax) {
    const detail = `invalid_composition: names more than ${limits.renders.assetsMax} assets`;
    throw new RefusalError({ code: "validation", detail, faults: [{ pointer: "", detail }] });
  }
  const sources = names.flatMap((name) => {
    const media = readyAsset(service, principal.scope, name)?.media;
    if (media === undefined) return [];
    return [[name, { objectKey: media.objectKey, mimeType: media.mimeType }] as const];
  });
  return Object.fromEntries(sources);
}

/** Returns an ETag for the text of a listing. */
export function createTag(text: string): string {
  return `"${hash("sha256", text, "base64url").slice(0, 22)}"`;
}
