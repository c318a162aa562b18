/** The files of a composition: one by one as raw bytes, or all at once as a ZIP archive. */

import { fileView } from "../../actors/composition/composition-view.ts";
import {
  type BundleFile,
  bundleFileKey,
  getEtag,
  objectKeyFor,
  pathDigest,
  pathFault,
} from "../../actors/protocol/bundle-file.ts";
import {
  type Composition,
  compositionKey,
  type DeleteFile,
  type PutFile,
} from "../../actors/protocol/composition.ts";
import { limits } from "../../config/limits.ts";
import { Type } from "../../config/schema.ts";
import {
  Composition as CompositionSchema,
  CompositionFile as FileSchema,
} from "../../contract/composition.ts";
import { getAnnouncedBytes, requireRoom } from "../accounts/storage.ts";
import { sendStoredBytes } from "../assets/ranged-bytes.ts";
import { type Answer, json, noContent } from "../exchange/answer.ts";
import { RefusalError, requireFound } from "../exchange/refusal-error.ts";
import { expectReply } from "../problems/replies.ts";
import type { Parameter } from "../request/query.ts";
import { type Call, type Route, route } from "../route.ts";
import { unpackArchive } from "./bundle-archive.ts";
import { giveUp, type Incoming, reserve, storeFile } from "./composition-storing.ts";
import {
  answerWith,
  changeWhole,
  editableComposition,
  findComposition,
  readConditions,
} from "./compositions.ts";

const requiredPath: Parameter<string> = {
  schema: Type.String({ minLength: 1, maxLength: 512 }),
  isRequired: true,
  read(text) {
    if (text === undefined) return "is required";
    return pathFault(text) ?? { value: text };
  },
};

const place = "/v1/compositions/{id}/file";

export const compositionFileRoutes: readonly Route[] = [
  route("PUT", place, {
    summary: "Upload or overwrite a file of a composition",
    answers: { 200: FileSchema, 201: FileSchema },
    access: "compositions",
    needs: "edit_own",
    rate: "upload",
    query: { path: requiredPath },
    streamBytesMax: limits.compositions.mediaBytesMax,
    run: putFile,
  }),
  route("GET", place, {
    summary: "Read a file of a composition",
    answers: { 200: "*/*", 206: "*/*", 304: null, 416: null },
    access: "compositions",
    needs: "read",
    rate: "read",
    query: { path: requiredPath },
    run: getFile,
  }),
  route("DELETE", place, {
    summary: "Delete a file of a composition",
    answers: { 204: null },
    access: "compositions",
    needs: "edit_own",
    rate: "write",
    query: { path: requiredPath },
    run: deleteFile,
  }),
  route("POST", "/v1/compositions/{id}/bundle", {
    summary: "Replace all files of a composition with those of a ZIP archive",
    answers: { 200: CompositionSchema },
    access: "compositions",
    needs: "edit_own",
    rate: "upload",
    streamBytesMax: limits.compositions.bytesMax + limits.compositions.archiveBytesMax,
    streamBody: { "application/zip": null },
    run: replaceBundle,
  }),
];

type FileCall = Call<unknown, { readonly path: string }>;

async function putFile(call: FileCall): Promise<Answer> {
  const { service, request, query } = call;
  const composition = editableComposition(call);
  requireRoom(call, getAnnouncedBytes(call));
  const key = compositionKey(composition.scope, composition.id);
  const incoming = await reserve(service, composition, [query.path]);
  const { reservation } = incoming;
  const { file, isNew } = await keepIfAccepted(call, incoming, async () => {
    const declared = request.headers["content-type"];
    const file = await storeFile(service, incoming, query.path, request.incoming ?? [], declared);
    requireRoom(call, file.size);
    const message: PutFile = {
      kind: "put_file",
      file,
      conditions: readConditions(call),
      reservation,
    };
    return expectReply(await service.gateway.ask(key, message, "work"), "stored");
  });
  return json(isNew ? 201 : 200, fileView(file), [["ETag", getEtag(file)]]);
}

/** Files of a refused change are removed; after a lost reply they may have been accepted. */
async function keepIfAccepted<T>(
  { service }: Call<unknown, unknown>,
  incoming: Incoming,
  change: () => Promise<T>,
): Promise<T> {
  try {
    return await change();
  } catch (error) {
    const isLost = error instanceof RefusalError && error.refusal.code === "unavailable";
    if (!isLost) await giveUp(service, incoming);
    throw error;
  }
}

/** Returns the file. Throws `RefusalError` with 404. */
function findFile(call: FileCall, { id, scope }: Composition): BundleFile {
  const key = bundleFileKey(compositionKey(scope, id), pathDigest(call.query.path));
  return requireFound(call.service.gateway.read(key));
}

/** Sends the bytes sandboxed and without sniffing, so that they never run as this origin's page. */
function getFile(call: FileCall): Answer {
  const { service, request } = call;
  const composition = findComposition(call);
  const file = findFile(call, composition);
  const etag = getEtag(file);
  const key = objectKeyFor(composition.id, file);
  const stored = { key, sizeBytes: file.size, validators: { etag } };
  return sendStoredBytes(service, request, stored, [
    ["Content-Type", file.mime],
    ["Cache-Control", "private, no-cache"],
  ]);
}

async function deleteFile(call: FileCall): Promise<Answer> {
  const { id, scope } = editableComposition(call);
  const message: DeleteFile = {
    kind: "delete_file",
    path: call.query.path,
    conditions: readConditions(call),
  };
  const reply = await call.service.gateway.ask(compositionKey(scope, id), message, "settle");
  expectReply(reply, "done");
  return noContent();
}

const archiveName = "incoming.zip";
const archiveType = /^application\/zip\s*(;|$)/i;

async function replaceBundle(call: Call): Promise<Answer> {
  const { request } = call;
  const composition = editableComposition(call);
  if (!archiveType.test(request.headers["content-type"] ?? ""))
    throw new RefusalError({ code: "unsupported_media_type", accepts: "application/zip" });
  requireRoom(call);
  const { files, incoming } = await unpackBody(call, composition);
  const { reservation } = incoming;
  await keepIfAccepted(call, incoming, () =>
    changeWhole(call, async ({ composition: { revision }, files: old }) => {
      const before = old.map(({ path }) => path);
      return { kind: "replace", revision, before, files, reservation };
    }),
  );
  return answerWith(call, 200);
}

/** The archive is stored before it is read, since a ZIP lists its files at its end. */
async function unpackBody(call: Call, composition: Composition) {
  const { service, request } = call;
  const archive = await reserve(service, composition, [archiveName]);
  try {
    const object = archive.objectsByPath.get(archiveName) ?? "";
    const key = objectKeyFor(composition.id, { object });
    const { sizeBytes } = await service.objects.put(key, request.incoming ?? []);
    return await unpackArchive(call, composition, { key, sizeBytes });
  } finally {
    await giveUp(service, archive);
  }
}
