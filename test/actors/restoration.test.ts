import t from "tap";
import { resolveRestoration } from "../../actors/generation/restoration.ts";
import type { ModelEntry } from "../../config/catalogue.ts";
import { makeCatalogue, plainModel } from "./models.ts";

const id = "019d9000-0000-7000-8000-000000000000";
const model: ModelEntry = { ...plainModel, modality: "video", operations: ["restoration"] };

/** Restores a video of the given size; returns the output's size, or the fields at fault. */
function restore(width: number, height: number, request: object) {
  const media = { objectKey: "x", mimeType: "video/mp4", sizeBytes: 1, sha256: "", width, height };
  const asking = { catalogue: makeCatalogue(model), plan: "free" } as const;
  const result = resolveRestoration({ source_asset_id: id, ...request }, asking, () => {
    return { id, job: undefined, media, displayName: () => "a source" };
  });
  if (!("code" in result)) return [result.input["width"], result.input["height"]];
  return result.code === "validation" ? result.faults.map(({ pointer }) => pointer) : result.code;
}

t.test("output larger than 3840x2160 is refused, whatever the orientation", async (t) => {
  t.strictSame(restore(1920, 1080, {}), [3840, 2160], "twice by default");
  t.strictSame(restore(1080, 1920, {}), [2160, 3840], "upright");
  t.strictSame(restore(1920, 1080, { scale: 4 }), ["/scale"]);
  t.strictSame(restore(1922, 1080, { scale: 2 }), ["/scale"]);
  t.strictSame(restore(1920, 1082, { scale: 2 }), ["/scale"]);
  t.strictSame(restore(2560, 1080, { target_resolution: "4k" }), ["/target_resolution"]);
  t.strictSame(restore(640, 360, { target_resolution: "1080p" }), [1920, 1080]);
});
