/** Links to what a composition is made of: its files, and the assets that its timeline names. */

import { type BundleFile, objectKeyFor } from "../../actors/protocol/bundle-file.ts";
import { limits } from "../../config/limits.ts";
import type { SignedUrls, SignedUrlsRequest } from "../../contract/composition.ts";
import { timestamp } from "../../engine/timestamp.ts";
import type { Timeline } from "../../timeline/model.ts";
import { readyAsset } from "../assets/ready-asset.ts";
import { type Answer, json } from "../exchange/answer.ts";
import { RefusalError } from "../exchange/refusal-error.ts";
import type { Call } from "../route.ts";
import { type Snapshot, takeSnapshot } from "./compositions.ts";

/** Lists the assets of a timeline, each once, in the order of its clips. */
export function listAssetIds({ clips }: Timeline): string[] {
  const sources = clips.flatMap(({ media }) => media?.source ?? []);
  return [...new Set(sources.flatMap((source) => (source.kind === "asset" ? source.assetId : [])))];
}

export async function signUrls(call: Call<SignedUrlsRequest>): Promise<Answer> {
  const { service, principal } = call;
  const snapshot = await takeSnapshot(call);
  const { paths, assetIds } = await readWanted(call, snapshot);
  if (paths.length + assetIds.length > limits.compositions.signedUrlsMax) throw tooMany();
  const byPath = new Map(snapshot.files.map((file) => [file.path, file]));
  const nowMs = service.clock.nowMs();
  const sign = (key: string) => {
    const { url, expiresAtMs } = service.signedUrls.sign(key, nowMs);
    return { url, expires_at: timestamp(expiresAtMs) };
  };
  const answer: SignedUrls = { files: [], assets: [], missing: [] };
  for (const path of paths) {
    const file: BundleFile | undefined = byPath.get(path);
    if (file === undefined) answer.missing.push(path);
    else {
      const { mime: mime_type, size: size_bytes } = file;
      const link = sign(objectKeyFor(snapshot.composition.id, file));
      answer.files.push({ path, ...link, mime_type, size_bytes });
    }
  }
  // Callers that may not read assets get no URLs of them, whatever a composition refers to.
  const seesAssets = principal.credential.scopes.includes("assets:read");
  for (const name of assetIds) {
    const asset = seesAssets ? readyAsset(service, principal.scope, name) : undefined;
    if (asset === undefined) answer.missing.push(name);
    else {
      const { objectKey, mimeType: mime_type } = asset.media;
      answer.assets.push({ asset_id: asset.id, ...sign(objectKey), mime_type });
    }
  }
  return json(200, answer);
}

/** When both members are omitted, all files and all assets of the timeline are meant. */
async function readWanted(
  { service, body }: Call<SignedUrlsRequest>,
  { composition, files }: Snapshot,
): Promise<{ readonly paths: readonly string[]; readonly assetIds: readonly string[] }> {
  const { paths, asset_ids: assetIds } = body;
  if (paths !== undefined || assetIds !== undefined)
    return { paths: [...new Set(paths)], assetIds: [...new Set(assetIds)] };
  const timeline = await service.timelines.of(composition, files);
  return { paths: files.map(({ path }) => path), assetIds: listAssetIds(timeline) };
}

function tooMany(): RefusalError {
  const { signedUrlsMax } = limits.compositions;
  const detail = `names more than ${signedUrlsMax} files and assets; request fewer of them`;
  return new RefusalError({ code: "validation", faults: [{ pointer: "/paths", detail }] });
}
