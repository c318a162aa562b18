/** Stores pictures of a design as assets. */
import { type Asset, assetKey } from "../../actors/protocol/asset.ts";
import { limits } from "../../config/limits.ts";
import { type Id, partitionOfId } from "../../engine/id.ts";
import { plainFilename, storeUpload } from "../assets/stored-upload.ts";
import { RefusalError } from "../exchange/refusal-error.ts";
import { expectReply } from "../problems/replies.ts";
import type { Call } from "../route.ts";

/** Throws `RefusalError` with 502 when the bytes are not a PNG. */
export async function storePicture(
  { service, principal }: Call<unknown>,
  name: string,
  bytes: AsyncIterable<Uint8Array>,
): Promise<Id> {
  const { scope, user } = principal;
  const id = service.ids.under(partitionOfId(scope));
  const filename = `${plainFilename(name).slice(0, nameMax) || "layer"}.png`;
  const hints = { filename, declared: "image/png", bytesMax: limits.assets.directBytesMax };
  const stem = `assets/${scope}/${id}/media`;
  const stored = await storeUpload(service.objects, stem, bytes, hints).catch(refusePicture);
  const asset: Asset = {
    phase: "processing",
    id,
    scope,
    createdAtMs: service.clock.nowMs(),
    origin: { filename, user: user.id, isImported: true },
    bytes: stored,
    attempts: 0,
  };
  try {
    const key = assetKey(scope, id);
    expectReply(await service.gateway.ask(key, { kind: "create", asset }, "work"), "done");
    return id;
  } catch (error) {
    // After a lost reply the bytes stay, since the asset may have been accepted.
    const isLost = error instanceof RefusalError && error.refusal.code === "unavailable";
    if (!isLost) await service.objects.remove(stored.objectKey);
    throw error;
  }
}

const nameMax = 200;

/** Refuses as an upstream fault, since the client cannot correct what the host sent. */
function refusePicture(error: unknown): never {
  if (!(error instanceof RefusalError) || error.refusal.code === "upstream") throw error;
  const detail = "A picture that the design host sent cannot be used.";
  throw Object.assign(new RefusalError({ code: "upstream", detail }), { cause: error });
}

/** Removes the pictures of an import that failed. */
export async function removeImported(
  { service, principal }: Call<unknown>,
  ids: readonly Id[],
): Promise<void> {
  for (const id of ids)
    await service.gateway.ask(assetKey(principal.scope, id), { kind: "remove" }, "settle");
}
