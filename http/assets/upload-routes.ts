/**
 * Uploads in parts that can be resumed: a plan, signed URLs to put the parts to, and a completion
 * that joins them. The asset keeps the state of the parts; the upload has its id.
 */

import { partObjectKey } from "../../actors/asset/asset-actor.ts";
import {
  type Asset,
  assetKey,
  type UploadPart,
  type UploadPlan,
  uploadPartKey,
} from "../../actors/protocol/asset.ts";
import { omitUndefined } from "../../config/defined.ts";
import { limits } from "../../config/limits.ts";
import { Asset as AssetSchema } from "../../contract/asset.ts";
import {
  CompleteUploadRequest,
  CreateUploadRequest,
  UploadParts,
  UploadPartsRequest,
  Upload as UploadSchema,
  type Upload as UploadView,
} from "../../contract/upload.ts";
import { parseId, partitionOfId } from "../../engine/id.ts";
import { timestamp } from "../../engine/timestamp.ts";
import { requireRoom } from "../accounts/storage.ts";
import { requirePermission } from "../auth/permissions.ts";
import { uploadsPath } from "../auth/signed-urls.ts";
import { type Answer, json } from "../exchange/answer.ts";
import { RefusalError, requireFound } from "../exchange/refusal-error.ts";
import { expectReply } from "../problems/replies.ts";
import { anyParameters } from "../request/query.ts";
import { atNamedId, type Call, jsonBody, type Route, route } from "../route.ts";
import {
  checkDeclaredType,
  getBytesMax,
  plainFilename,
  storeUpload,
  uploadTypes,
} from "./stored-upload.ts";

export const uploadRoutes: readonly Route[] = [
  route("POST", "/v1/assets/uploads", {
    summary: "Plan an upload",
    answers: { 201: UploadSchema },
    access: "assets:write",
    needs: "submit",
    rate: "upload",
    body: jsonBody<CreateUploadRequest>(CreateUploadRequest),
    run: createUpload,
  }),
  route("GET", "/v1/assets/uploads/{id}", {
    summary: "Read an upload and the list of its stored parts",
    answers: { 200: UploadSchema },
    access: "assets:write",
    needs: "submit",
    rate: "read",
    run: (call) => json(200, uploadView(call, findUpload(call), [])),
  }),
  route("POST", "/v1/assets/uploads/{id}/parts", {
    summary: "Sign fresh URLs for parts of an upload",
    answers: { 200: UploadParts },
    access: "assets:write",
    needs: "submit",
    rate: "read",
    body: jsonBody<UploadPartsRequest>(UploadPartsRequest),
    run: signParts,
  }),
  route("POST", "/v1/assets/uploads/{id}/complete", {
    summary: "Join the parts of an upload",
    answers: { 200: AssetSchema },
    access: "assets:write",
    needs: "submit",
    rate: "upload",
    body: jsonBody<CompleteUploadRequest>(CompleteUploadRequest),
    run: completeUpload,
  }),
  route("DELETE", "/v1/assets/uploads/{id}", {
    summary: "Abort an upload",
    answers: { 204: null },
    access: "assets:write",
    needs: "submit",
    rate: "write",
    run: abortUpload,
  }),
  route("PUT", `${uploadsPath}{scope}/{id}/{part}`, {
    summary: "Store a part of an upload by a signed URL",
    answers: { 200: null },
    access: "open",
    getPartition: atNamedId,
    query: anyParameters,
    streamBytesMax: limits.assets.singleBytesMax,
    run: storePart,
  }),
];

type Uploaded = Asset & { readonly upload: UploadPlan };

function findUpload({ service, principal, id }: Call<unknown, unknown>): Uploaded {
  const asset = service.gateway.read(assetKey(principal.scope, requireFound(parseId(id))));
  if (!hasUpload(asset)) throw new RefusalError({ code: "not_found" });
  // Reading an upload shows URLs for writing, so it needs the permission to write.
  const isOwn = "user" in asset.origin && asset.origin.user === principal.user.id;
  if (!isOwn) requirePermission(principal, "edit_any");
  return asset;
}

function hasUpload(asset: Asset | undefined): asset is Uploaded {
  return asset !== undefined && "upload" in asset && asset.upload !== undefined;
}

async function createUpload(call: Call<CreateUploadRequest>): Promise<Answer> {
  const { service, principal, body } = call;
  const mimeType = checkType(body);
  const { size_bytes: sizeBytes, checksum_sha256: sha256, display_name: displayName, tags } = body;
  const limitBytes = Math.min(limits.assets.uploadBytesMax, getBytesMax(mimeType));
  if (sizeBytes > limitBytes) throw new RefusalError({ code: "payload_too_large", limitBytes });
  requireRoom(call, sizeBytes);
  const isSingle = sizeBytes <= limits.assets.singleBytesMax;
  const nowMs = service.clock.nowMs();
  const { scope, user } = principal;
  const asset: Uploaded = {
    phase: "pending_upload",
    id: service.ids.under(partitionOfId(scope)),
    scope,
    createdAtMs: nowMs,
    origin: { filename: plainFilename(body.filename), user: user.id },
    ...omitUndefined({ displayName, tags }),
    upload: {
      mimeType,
      sizeBytes,
      ...omitUndefined({ sha256: sha256?.toLowerCase() }),
      method: isSingle ? "single" : "multipart",
      partCount: isSingle ? 1 : Math.ceil(sizeBytes / limits.assets.partBytes),
      expiresAtMs: nowMs + limits.assets.uploadMs,
    },
  };
  const key = assetKey(scope, asset.id);
  expectReply(await service.gateway.ask(key, { kind: "create", asset }, "work"), "done");
  const numbers = partNumbers(asset.upload).slice(0, limits.assets.partsPerRequestMax);
  return json(201, uploadView(call, asset, numbers));
}

/** Only LUTs may come as `application/octet-stream`. */
function checkType({ mime_type, filename }: CreateUploadRequest): string {
  const declared = checkDeclaredType(mime_type) ?? "application/octet-stream";
  const isLut = filename.toLowerCase().endsWith(".cube");
  const isOpaque = declared === "application/octet-stream";
  if (uploadTypes.includes(declared) && (!isOpaque || isLut)) return declared;
  const detail = `must be one of ${uploadTypes.join(", ")} (the last for .cube files)`;
  throw new RefusalError({ code: "validation", faults: [{ pointer: "/mime_type", detail }] });
}

function partNumbers({ partCount }: UploadPlan): number[] {
  return Array.from({ length: partCount }, (_, at) => at + 1);
}

const statusByPhase = {
  pending_upload: "pending",
  abandoned: "aborted",
  processing: "completed",
  ready: "completed",
  failed: "completed",
  trashed: "completed",
} as const;

/** `signed` are the parts whose URLs are included in the view. */
function uploadView(
  call: Call<unknown, unknown>,
  asset: Uploaded,
  signed: readonly number[],
): UploadView {
  const { upload } = asset;
  const isPending = asset.phase === "pending_upload";
  const view: UploadView = {
    id: asset.id,
    asset_id: asset.id,
    status: asset.phase === "abandoned" ? asset.as : statusByPhase[asset.phase],
    method: upload.method,
    expires_at: timestamp(upload.expiresAtMs),
    uploaded_parts: listStoredParts(call, asset).map(({ number, part }) => ({
      part_number: number,
      etag: part.etag,
      size_bytes: part.sizeBytes,
    })),
  };
  if (upload.method === "multipart") {
    view.part_size = limits.assets.partBytes;
    view.part_count = upload.partCount;
    if (isPending)
      view.parts = signed.map((number) => ({
        part_number: number,
        url: partUrl(call, asset, number).url,
      }));
  } else if (isPending) {
    view.url = partUrl(call, asset, 1).url;
    view.headers = { "Content-Type": upload.mimeType };
  }
  return view;
}

function partUrl({ service }: Call<unknown, unknown>, { scope, id }: Asset, number: number) {
  return service.signedUrls.signPut(partObjectKey(scope, id, number), service.clock.nowMs());
}

function listStoredParts({ service }: Call<unknown, unknown>, asset: Uploaded) {
  const key = assetKey(asset.scope, asset.id);
  return partNumbers(asset.upload).flatMap((number) => {
    const part = service.gateway.read(uploadPartKey(key, number));
    return part === undefined ? [] : [{ number, part }];
  });
}

function signParts(call: Call<UploadPartsRequest>): Answer {
  const asset = findUpload(call);
  const { partCount } = asset.upload;
  const at = call.body.part_numbers.findIndex((number) => number > partCount);
  if (at >= 0) {
    const detail = `must be from 1 to ${partCount}`;
    throw new RefusalError({
      code: "validation",
      faults: [{ pointer: `/part_numbers/${at}`, detail }],
    });
  }
  if (asset.phase !== "pending_upload") throw new RefusalError(notPending);
  const parts = call.body.part_numbers.map((number) => {
    const { url, expiresAtMs } = partUrl(call, asset, number);
    return { part_number: number, url, expires_at: timestamp(expiresAtMs) };
  });
  return json(200, { parts });
}

const notPending = { code: "conflict", detail: "This upload no longer accepts parts." } as const;

/** The signed URL is the credential; the asset decides whether the part is still wanted. */
async function storePart({ service, request, ids }: Call): Promise<Answer> {
  const [scope = "", id = "", part = ""] = ids;
  const number = Number(part);
  const objectKey = partObjectKey(scope, id, number);
  const query = new URLSearchParams(request.query);
  if (!service.signedUrls.verifiesPut(objectKey, query, service.clock.nowMs()))
    throw new RefusalError({ code: "forbidden", detail: "This link is not valid or has expired." });
  const key = assetKey(scope, id);
  const asset = service.gateway.read(key);
  if (asset?.phase !== "pending_upload") throw new RefusalError(notPending);
  const stored = await service.objects.put(objectKey, request.incoming ?? []);
  const expected = partBytes(asset.upload, number);
  if (stored.sizeBytes !== expected) {
    await service.objects.remove(objectKey);
    const detail = `The part has ${stored.sizeBytes} bytes; ${expected} were declared.`;
    throw new RefusalError({ code: "validation", detail, faults: [] });
  }
  const etag = `"${stored.sha256.slice(0, 32)}"`;
  const storedPart = { etag, sizeBytes: stored.sizeBytes };
  const reply = await service.gateway.ask(
    key,
    { kind: "store_part", number, part: storedPart },
    "work",
  );
  expectReply(reply, "done");
  return { status: 200, headers: [["ETag", etag]], body: "" };
}

function partBytes({ method, sizeBytes, partCount }: UploadPlan, number: number): number {
  if (method === "single") return sizeBytes;
  const { partBytes: full } = limits.assets;
  return number < partCount ? full : sizeBytes - (partCount - 1) * full;
}

async function completeUpload(call: Call<CompleteUploadRequest>): Promise<Answer> {
  const { service, body } = call;
  const asset = findUpload(call);
  const parts = listStoredParts(call, asset);
  const isSame = agrees(body, parts);
  if (asset.phase !== "pending_upload") {
    if (asset.phase === "abandoned" || !isSame) throw new RefusalError(completedOtherwise);
    return json(200, service.jobs.assetView(asset));
  }
  const missing = partNumbers(asset.upload).filter(
    (number) => !parts.some((part) => part.number === number),
  );
  if (missing.length > 0)
    throw incomplete(`These parts are not stored: ${missing.slice(0, 20).join(", ")}.`);
  if (!isSame) throw incomplete("The named parts do not match the stored parts.");
  const key = assetKey(asset.scope, asset.id);
  const stored = await joinParts(call, asset);
  expectReply(await service.gateway.ask(key, { kind: "complete", ...stored }, "work"), "done");
  return json(200, service.jobs.assetView(service.gateway.read(key) ?? asset));
}

const completedOtherwise = {
  code: "conflict",
  detail: "This upload was abandoned, or already completed with a different list of parts.",
} as const;

function agrees(
  { parts: named }: CompleteUploadRequest,
  stored: readonly { readonly number: number; readonly part: UploadPart }[],
): boolean {
  if (named === undefined) return true;
  const etagByNumber = new Map(named.map(({ part_number, etag }) => [part_number, plain(etag)]));
  return (
    etagByNumber.size === stored.length &&
    stored.every(({ number, part }) => etagByNumber.get(number) === plain(part.etag))
  );
}

function plain(etag: string): string {
  return etag.replaceAll('"', "");
}

/** Returns the object of all parts joined, or the reason why it cannot become an asset. */
async function joinParts({ service }: Call<unknown, unknown>, asset: Uploaded) {
  const { scope, id, upload, origin } = asset;
  const filename = "filename" in origin ? origin.filename : "";
  const isLut = upload.mimeType === "application/octet-stream";
  const declared = isLut ? undefined : upload.mimeType;
  const hints = { filename, declared, bytesMax: limits.assets.uploadBytesMax };
  async function* all(): AsyncGenerator<Uint8Array> {
    for (const number of partNumbers(upload)) {
      const range = { start: 0, end: partBytes(upload, number) };
      yield* service.objects.read(partObjectKey(scope, id, number), range);
    }
  }
  const objectKey = `assets/${scope}/${id}/media`;
  try {
    const bytes = await storeUpload(service.objects, objectKey, all(), hints);
    if (bytes.sizeBytes !== upload.sizeBytes || isOther(upload, bytes.sha256)) {
      await service.objects.remove(bytes.objectKey);
      throw incomplete("The stored bytes do not match the declared size or checksum.");
    }
    return { bytes, refusal: undefined };
  } catch (error) {
    if (!(error instanceof RefusalError) || error.refusal.code !== "validation") throw error;
    const { mimeType, sizeBytes } = upload;
    const refusal = `The file ${error.refusal.faults[0]?.detail ?? "was refused"}.`;
    return { bytes: { objectKey, mimeType, sizeBytes, sha256: "" }, refusal };
  }
}

function isOther({ sha256 }: UploadPlan, stored: string): boolean {
  return sha256 !== undefined && sha256 !== stored;
}

function incomplete(detail: string): RefusalError {
  return new RefusalError({ code: "upload_incomplete", detail });
}

async function abortUpload(call: Call): Promise<Answer> {
  const { scope, id, phase } = findUpload(call);
  if (phase !== "pending_upload") throw new RefusalError(notPending);
  const reply = await call.service.gateway.ask(assetKey(scope, id), { kind: "abort" }, "settle");
  expectReply(reply, "done");
  return { status: 204, headers: [], body: "" };
}
