/** `POST /renders/blocks`: clips and narrations in a row, as a composition and its film. */

import type { Composition } from "../../actors/protocol/composition.ts";
import { omitUndefined } from "../../config/defined.ts";
import { limits } from "../../config/limits.ts";
import type { Fault } from "../../config/schema.ts";
import { BlocksRequest, Render as RenderSchema } from "../../contract/render.ts";
import { blockPage } from "../../timeline/blocks/block-page.ts";
import { placeBlocks } from "../../timeline/blocks/block-timing.ts";
import { entryPath } from "../../timeline/bundle.ts";
import { requireRoom } from "../accounts/storage.ts";
import { readyAsset } from "../assets/ready-asset.ts";
import { type Answer, json } from "../exchange/answer.ts";
import { RefusalError } from "../exchange/refusal-error.ts";
import { type Call, jsonBody, type Route, route } from "../route.ts";
import { AskedBlock } from "./asked-block.ts";
import { reserve, storeFile } from "./composition-storing.ts";
import { changeWhole } from "./compositions.ts";
import { newComposition, requireMeta, storeComposition } from "./new-composition.ts";
import { canonicalText, findRender, renderText, submitRender } from "./renders.ts";

export const blockRoutes: readonly Route[] = [
  route("POST", "/v1/renders/blocks", {
    summary: "Put clips and narrations one after the other into a film",
    answers: { 202: RenderSchema },
    access: "renders",
    needs: "submit",
    rate: "submit",
    takesKey: true,
    body: jsonBody<BlocksRequest>(BlocksRequest, limits.http.jsonBodyMax, ["meta"]),
    run: renderBlocks,
  }),
];

async function renderBlocks(call: Call<BlocksRequest>): Promise<Answer> {
  const { service, body } = call;
  const { page, warnings } = buildPage(call);
  requireMeta(body.meta ?? {}, "/meta");
  requireRoom(call);
  const composition = newComposition(call);
  await storePage(call, composition, page);
  const { audio_mix } = body;
  const made = { ...call, id: composition.id, body: omitUndefined({ audio_mix }) };
  try {
    const id = await submitRender(made, { asked: canonicalText(body), warnings });
    const { view } = renderText(service, findRender({ ...call, id }));
    return json(202, view, [["Location", `${service.baseUrl}/renders/${id}`]]);
  } catch (error) {
    // The composition stays after a lost reply, since the render may have been accepted.
    const isLost = error instanceof RefusalError && error.refusal.code === "unavailable";
    if (!isLost) await removeComposition(made);
    throw error;
  }
}

async function storePage(
  { service, body }: Call<BlocksRequest>,
  composition: Composition,
  page: string,
): Promise<void> {
  const { name = "Blocks", project_id: projectId = null, meta = {} } = body;
  const incoming = await reserve(service, composition, [entryPath]);
  const file = await storeFile(service, incoming, entryPath, [Buffer.from(page)]);
  const details = { name, description: null, projectId, meta };
  await storeComposition(service, composition, details, [file], incoming);
}

/** Removes the composition of a refused render, so that nothing of it stays. */
async function removeComposition(call: Call<unknown>): Promise<void> {
  await changeWhole(call, async ({ composition: { revision }, files }) => ({
    kind: "remove",
    revision,
    before: files.map(({ path }) => path),
    conditions: {},
  }));
}

/** Builds the page. Throws `RefusalError` with 400 that names every faulty member. */
function buildPage(call: Call<BlocksRequest>): { page: string; warnings: readonly string[] } {
  const { body } = call;
  const faults: Fault[] = [];
  const blocks = body.blocks.map((block, at) => {
    const asked = new AskedBlock(call, block, (member, detail) =>
      faults.push({ pointer: `/blocks/${at}/${member}`, detail }),
    );
    return asked.block();
  });
  const size = getSize(call, faults);
  if (faults.length > 0) throw new RefusalError({ code: "validation", faults });
  const placed = placeBlocks(blocks);
  if (placed.seconds > limits.timeline.secondsMax) {
    const most = limits.timeline.secondsMax;
    const detail = `is ${Math.ceil(placed.seconds)} s of film; at most ${most} s are made`;
    throw new RefusalError({ code: "validation", faults: [{ pointer: "/blocks", detail }] });
  }
  const { frame_rate: fps = 30, fit = "contain", background_color: background = "#000000" } = body;
  return { page: blockPage(placed, { ...size, fps, fit, background }), warnings: placed.warnings };
}

/** The size in the request; by default that of the first clip. */
function getSize({ service, principal, body }: Call<BlocksRequest>, faults: Fault[]) {
  const [first] = body.blocks;
  const media = first && readyAsset(service, principal.scope, first.clip_asset_id)?.media;
  const { width = media?.width ?? 0, height = media?.height ?? 0 } = body;
  const { longEdgeMax, shortEdgeMax } = limits.capture;
  const isFitting =
    Math.max(width, height) <= longEdgeMax &&
    Math.min(width, height) <= shortEdgeMax &&
    Math.min(width, height) >= 16;
  if (media !== undefined && !isFitting) {
    const bounds = `at most ${longEdgeMax} by ${shortEdgeMax} pixels, at least 16 by 16`;
    const detail = `with the height ${height} is not a valid film size: ${bounds}`;
    faults.push({ pointer: "/width", detail });
  }
  return { width, height };
}
