/** `POST /compositions/{id}/imports/figma`: adds a frame of a design as layers and pictures. */
import type { BundleFile } from "../../actors/protocol/bundle-file.ts";
import type { ReplaceFiles } from "../../actors/protocol/composition.ts";
import { limits } from "../../config/limits.ts";
import {
  type FigmaImageLayer,
  FigmaImportRequest,
  FigmaImport as FigmaImportSchema,
  type FigmaTextLayer,
} from "../../contract/figma.ts";
import type { Id } from "../../engine/id.ts";
import { editsPath, entryPath } from "../../timeline/bundle.ts";
import type { FigmaFrame, ImageDraft, LayerDraft } from "../../timeline/figma/figma-frame.ts";
import type { PlacedDraft } from "../../timeline/figma/figma-insertion.ts";
import { figmaPlace } from "../../timeline/figma/figma-place.ts";
import { requireRoom } from "../accounts/storage.ts";
import { type Answer, json } from "../exchange/answer.ts";
import { RefusalError } from "../exchange/refusal-error.ts";
import { type Call, jsonBody, type Route, route } from "../route.ts";
import { giveUp, type Incoming, reserve, storeFile } from "./composition-storing.ts";
import {
  changeWhole,
  editableComposition,
  findComposition,
  inTurns,
  type Snapshot,
} from "./compositions.ts";
import type { FigmaAccess } from "./figma-host.ts";
import { removeImported, storePicture } from "./imported-pictures.ts";

export const figmaRoutes: readonly Route[] = [
  route("POST", "/v1/compositions/{id}/imports/figma", {
    summary: "Import a frame of a design as texts and pictures",
    answers: { 200: FigmaImportSchema },
    access: "compositions",
    needs: "submit",
    rate: "upload",
    body: jsonBody<FigmaImportRequest>(FigmaImportRequest),
    run: importFigma,
  }),
];

type FigmaCall = Call<FigmaImportRequest>;
type Frame = Extract<FigmaFrame, { kind: "frame" }>;

async function importFigma(call: FigmaCall): Promise<Answer> {
  const { service, body } = call;
  if (body.insert === true) editableComposition(call);
  else findComposition(call);
  const place = figmaPlace(body);
  if ("detail" in place) throw new RefusalError({ code: "validation", faults: [place] });
  requireRoom(call);
  return service.figma.runImport(async (signal) => {
    const access: FigmaAccess = { token: body.access_token, place, signal };
    const found = await service.figma.frame(access, body.include_hidden ?? false);
    if (found.kind === "missing")
      throw new RefusalError({ code: "not_found", detail: "The file has no such node." });
    if (found.kind === "unusable") throw frameFault(call, found.detail);
    const frame = body.insert === true ? withPictures(found) : found;
    const pictures = new Map<string, Id>();
    try {
      const missing = await storePictures(call, access, frame, pictures);
      const layers = frame.layers.flatMap((draft) => placeDraft(draft, pictures) ?? []);
      const warnings = [...frame.warnings, ...missing];
      if (body.insert === true) warnings.push(...(await insert(call, frame, layers)));
      return json(200, { frame: frame.frame, layers: layers.map(getLayer(call)), warnings });
    } catch (error) {
      await removeImported(call, [...pictures.values()]);
      throw error;
    }
  });
}

function frameFault({ body }: FigmaCall, detail: string): RefusalError {
  const pointer = body.url === undefined ? "/node_id" : "/url";
  return new RefusalError({ code: "validation", faults: [{ pointer, detail }] });
}

/** Replaces texts that have properties an added text cannot have by pictures of them. */
function withPictures({ layers, warnings, ...frame }: Frame): Frame {
  const found: string[] = [];
  const drawn = layers.map((draft): LayerDraft => {
    if (draft.kind === "image" || draft.obstacles.length === 0) return draft;
    const { node_id, name, x, y, width, height, opacity } = draft.layer;
    const why = draft.obstacles.join(", ");
    found.push(`${name || node_id} (${node_id}): is a picture, since added texts have no ${why}`);
    const layer = { kind: "image" as const, node_id, name, x, y, width, height, opacity };
    return { kind: "image", layer, groupOpacity: draft.groupOpacity };
  });
  return { ...frame, layers: drawn, warnings: [...warnings, ...found] };
}

/** Fills `pictures` by node id; a node that could not be drawn becomes a warning. */
async function storePictures(
  call: FigmaCall,
  access: FigmaAccess,
  { layers }: Frame,
  pictures: Map<string, Id>,
): Promise<readonly string[]> {
  const drafts = layers.filter((draft): draft is ImageDraft => draft.kind === "image");
  if (drafts.length === 0) return [];
  const { figma } = call.service;
  const ids = drafts.map(({ layer }) => layer.node_id);
  const urls = await figma.imageUrls(access, ids, call.body.scale ?? 2);
  const warnings: string[] = [];
  await inTurns(
    drafts,
    async ({ layer }) => {
      const { node_id: id, name } = layer;
      const url = urls.get(id) ?? null;
      if (url === null) warnings.push(`${name || id} (${id}): could not be drawn by the host`);
      else pictures.set(id, await storePicture(call, name, figma.image(url, access.signal)));
    },
    limits.figma.imagesAtOnce,
  );
  return warnings;
}

/** The placed layer, or undefined when its picture is missing. */
function placeDraft(draft: LayerDraft, pictures: ReadonlyMap<string, Id>): PlacedDraft | undefined {
  if (draft.kind === "text") return draft;
  const assetId = pictures.get(draft.layer.node_id);
  return assetId === undefined ? undefined : { ...draft, assetId };
}

function getLayer({ body }: FigmaCall) {
  const times = { start: body.start ?? 0, duration_seconds: body.duration_seconds ?? 5 };
  return (draft: PlacedDraft): FigmaTextLayer | FigmaImageLayer =>
    "assetId" in draft
      ? { ...draft.layer, asset_id: draft.assetId, ...times }
      : { ...draft.layer, ...times };
}

/** Inserts all layers in one revision or none; retries when the files changed meanwhile. */
async function insert(
  call: FigmaCall,
  { frame }: Frame,
  layers: readonly PlacedDraft[],
): Promise<readonly string[]> {
  const { service, body } = call;
  let warnings: readonly string[] = [];
  const given: Incoming[] = [];
  const change = async ({ composition, files }: Snapshot): Promise<ReplaceFiles> => {
    const readText = async (path: string): Promise<string | undefined> => {
      const file = files.find((one) => one.path === path);
      return file && service.timelines.text(composition.id, file);
    };
    const inserted = await service.figma.insert({
      page: await readText(entryPath),
      edits: await readText(editsPath),
      frame,
      layers,
      start: body.start ?? 0,
      seconds: body.duration_seconds ?? 5,
    });
    if (inserted.kind === "refused")
      throw new RefusalError({
        code: "conflict",
        detail: `Nothing was inserted: ${inserted.detail}.`,
      });
    warnings = inserted.warnings;
    const texts = [
      [entryPath, inserted.page],
      [editsPath, inserted.edits],
    ] as const;
    const changed = texts.flatMap(([path, text]) => (text === undefined ? [] : [{ path, text }]));
    const paths: string[] = changed.map(({ path }) => path);
    const incoming = await reserve(service, composition, paths);
    given.push(incoming);
    const stored: BundleFile[] = [];
    for (const { path, text } of changed)
      stored.push(await storeFile(service, incoming, path, [Buffer.from(text)]));
    const before = files.map(({ path }) => path).filter((path) => paths.includes(path));
    const { revision } = composition;
    const { reservation } = incoming;
    return { kind: "replace", revision, before, files: stored, reservation };
  };
  try {
    await changeWhole(call, change);
    given.pop();
    return warnings;
  } catch (error) {
    // After a lost reply the files may belong to the composition, so they are kept.
    if (error instanceof RefusalError && error.refusal.code === "unavailable") given.pop();
    throw error;
  } finally {
    for (const incoming of given) await giveUp(service, incoming);
  }
}
