/** Stored media: listing, reading, renaming, the trash, and direct upload. */

import { type Asset, type AssetCommand, assetKey } from "../../actors/protocol/asset.ts";
import type { StoredBytes } from "../../actors/protocol/media.ts";
import { omitUndefined } from "../../config/defined.ts";
import { limits } from "../../config/limits.ts";
import { modalities } from "../../config/modalities.ts";
import { check, type Fault } from "../../config/schema.ts";
import { AssetPage, Asset as AssetSchema, assetStatuses } from "../../contract/asset.ts";
import { AssetPatchRequest, DirectUploadFields, UploadForm } from "../../contract/upload.ts";
import { parseId, partitionOfId } from "../../engine/id.ts";
import { getAnnouncedBytes, requireRoom } from "../accounts/storage.ts";
import { requirePermission } from "../auth/permissions.ts";
import { type Answer, json } from "../exchange/answer.ts";
import { RefusalError, requireFound } from "../exchange/refusal-error.ts";
import { expectReply } from "../problems/replies.ts";
import { parseJson } from "../request/body.ts";
import { readForm } from "../request/multipart.ts";
import { integer, optionalFlag, optionalText, parseSome } from "../request/query.ts";
import { type Call, jsonBody, type Route, route } from "../route.ts";
import { listAssets } from "./asset-listing.ts";
import { checkDeclaredType, plainFilename, storeUpload, wrongFile } from "./stored-upload.ts";

export const assetRoutes: readonly Route[] = [
  route("GET", "/v1/assets", {
    summary: "List assets, newest first",
    answers: { 200: AssetPage },
    access: "assets:read",
    needs: "read",
    rate: "read",
    query: {
      limit: integer(1, limits.jobs.listMax, limits.assets.listDefault),
      cursor: optionalText(512),
      modality: parseSome(modalities),
      status: parseSome(assetStatuses),
      favorite: optionalFlag,
      tag: optionalText(64),
      source: parseSome(["generation", "upload", "render", "import"]),
      q: optionalText(200),
    },
    run: listAssets,
  }),
  route("POST", "/v1/assets", {
    summary: "Upload a file",
    answers: { 201: AssetSchema },
    access: "assets:write",
    needs: "submit",
    rate: "upload",
    streamBytesMax: limits.assets.directBytesMax + formBytesMax(),
    streamBody: { "multipart/form-data": UploadForm },
    run: uploadAsset,
  }),
  route("GET", "/v1/assets/{id}", {
    summary: "Read an asset, with a fresh link",
    answers: { 200: AssetSchema },
    access: "assets:read",
    needs: "read",
    rate: "read",
    run: (call) => json(200, call.service.jobs.assetView(findAsset(call))),
  }),
  route("PATCH", "/v1/assets/{id}", {
    summary: "Rename, tag or favorite an asset",
    answers: { 200: AssetSchema },
    access: "assets:write",
    needs: "edit_own",
    rate: "write",
    body: jsonBody<AssetPatchRequest>(AssetPatchRequest),
    run: patchAsset,
  }),
  route("DELETE", "/v1/assets/{id}", {
    summary: "Move an asset to the trash, or delete it for good",
    answers: { 204: null },
    access: "assets:write",
    needs: "edit_own",
    rate: "write",
    query: { permanent: optionalFlag },
    run: removeAsset,
  }),
  route("POST", "/v1/assets/{id}/restore", {
    summary: "Restore an asset from the trash",
    answers: { 200: AssetSchema },
    access: "assets:write",
    needs: "edit_own",
    rate: "write",
    run: restoreAsset,
  }),
  route("GET", "/v1/assets/{id}/content", {
    summary: "Redirect to the content of an asset",
    // Clients that follow the redirect see 200.
    answers: { 200: "*/*", 302: null },
    access: "assets:read",
    needs: "read",
    rate: "read",
    run: sendContent,
  }),
];

/** Bytes allowed for the form around the file. */
function formBytesMax(): number {
  return 1024 * 1024;
}

/** Throws `RefusalError` with 404 for an unknown asset, another scope's, or an abandoned upload. */
export function findAsset({ service, principal, id }: Call<unknown, unknown>): Asset {
  const asset = requireFound(
    service.gateway.read(assetKey(principal.scope, requireFound(parseId(id)))),
  );
  return requireFound(asset.phase === "abandoned" ? undefined : asset);
}

async function change(
  call: Call<unknown, unknown>,
  message: AssetCommand,
): Promise<Asset | undefined> {
  const { service, principal } = call;
  const asset = findAsset(call);
  const isOwn = service.jobs.assetView(asset).user_id === principal.user.id;
  if (!isOwn) requirePermission(principal, "edit_any");
  const key = assetKey(principal.scope, asset.id);
  expectReply(await service.gateway.ask(key, message, "settle"), "done");
  return service.gateway.read(key);
}

async function onChange(call: Call<unknown, unknown>, message: AssetCommand): Promise<Answer> {
  return json(200, call.service.jobs.assetView(requireFound(await change(call, message))));
}

function patchAsset(call: Call<AssetPatchRequest>): Promise<Answer> {
  const { display_name: displayName, favorite, tags } = call.body;
  return onChange(call, { kind: "patch", patch: { displayName, favorite, tags } });
}

async function removeAsset(
  call: Call<unknown, { permanent: boolean | undefined }>,
): Promise<Answer> {
  await change(call, { kind: call.query.permanent === true ? "remove" : "trash" });
  return { status: 204, headers: [], body: "" };
}

function restoreAsset(call: Call): Promise<Answer> {
  return onChange(call, { kind: "restore" });
}

function sendContent(call: Call): Answer {
  const { signed_url: url } = call.service.jobs.assetView(findAsset(call));
  if (url === "") {
    const detail = "This asset has no content that can be read now.";
    throw new RefusalError({ code: "conflict", detail });
  }
  return { status: 302, headers: [["Location", url]], body: "" };
}

const isFields = check<DirectUploadFields>(DirectUploadFields);

async function uploadAsset(call: Call): Promise<Answer> {
  const { service, principal, request } = call;
  requireRoom(call, getAnnouncedBytes(call));
  const { scope, user } = principal;
  const id = service.ids.under(partitionOfId(scope));
  let stored: StoredBytes | undefined;
  try {
    const { file, fields, faults } = await readForm(
      request.incoming,
      request.headers["content-type"],
      ["display_name", "tags", "checksum_sha256"],
      async ({ filename, mediaType, bytes }) => {
        const hints = {
          filename: plainFilename(filename),
          declared: checkDeclaredType(mediaType),
          bytesMax: limits.assets.directBytesMax,
        };
        const stem = `assets/${scope}/${id}/media`;
        stored = await storeUpload(service.objects, stem, bytes, hints);
        return { stored, filename: hints.filename };
      },
    );
    if (faults.length > 0) throw new RefusalError({ code: "validation", faults });
    const { display_name: displayName, tags, checksum_sha256: sha256 } = readFields(fields);
    if (sha256 !== undefined && sha256.toLowerCase() !== file.stored.sha256)
      throw wrongFile("does not match the given checksum");
    const asset: Asset = {
      phase: "processing",
      id,
      scope,
      createdAtMs: service.clock.nowMs(),
      origin: { filename: file.filename, user: user.id },
      ...omitUndefined({ displayName, tags }),
      bytes: file.stored,
      attempts: 0,
    };
    const key = assetKey(scope, id);
    expectReply(await service.gateway.ask(key, { kind: "create", asset }, "work"), "done");
    const view = service.jobs.assetView(service.gateway.read(key) ?? asset);
    return json(201, view, [["Location", `${service.baseUrl}/assets/${id}`]]);
  } catch (error) {
    // Refused bytes are removed; after a lost reply they are kept, as they may have been accepted.
    const isLost = error instanceof RefusalError && error.refusal.code === "unavailable";
    if (stored !== undefined && !isLost) await service.objects.remove(stored.objectKey);
    throw error;
  }
}

/** All parts of a form are text; tags come as a JSON array. */
function readFields(fields: ReadonlyMap<string, string>): DirectUploadFields {
  const { tags, ...rest } = Object.fromEntries(fields);
  const value: unknown = { ...rest, ...(tags === undefined ? {} : { tags: parseList(tags) }) };
  if (isFields(value)) return value;
  throw new RefusalError({ code: "validation", faults: isFields.faults(value) });
}

function parseList(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    const faults: Fault[] = [{ pointer: "/tags", detail: "must be a JSON array" }];
    throw Object.assign(new RefusalError({ code: "validation", faults }), { cause: error });
  }
}
