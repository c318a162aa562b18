import t from "tap";
import type { Generation } from "../../actors/generation/generation.ts";
import { resolveImage } from "../../actors/generation/image.ts";
import type { Refusal } from "../../actors/refusal.ts";
import type { ModelEntry } from "../../config/catalogue.ts";
import type { PlanName } from "../../config/plans.ts";
import type { GenerateImageRequest } from "../../contract/generation.ts";
import { makeCatalogue, plainModel } from "./models.ts";

function resolve(
  request: Partial<GenerateImageRequest>,
  model: ModelEntry = plainModel,
  plan: PlanName = "free",
): Generation | Refusal {
  const asking = { catalogue: makeCatalogue(model), plan };
  return resolveImage({ model: model.id, prompt: "a kite", ...request }, asking, () => undefined);
}

function accept(request: Partial<GenerateImageRequest>, model?: ModelEntry): Generation {
  const result = resolve(request, model);
  if ("code" in result) throw new Error(JSON.stringify(result));
  return result;
}

function pointers(result: Generation | Refusal): string[] {
  return "code" in result && result.code === "validation"
    ? result.faults.map(({ pointer }) => pointer)
    : [];
}

t.test("a plain request gets the model's defaults", async (t) => {
  const { model, prompt, tags, input } = accept({ prompt: "  a kite  " });
  t.equal(model, plainModel);
  t.strictSame(
    { prompt, tags, input },
    {
      prompt: "a kite",
      tags: [],
      input: { seed: 0, width: 1024, height: 1024, count: 1, format: "png" },
    },
  );
});

t.test("resolution is the long edge, the other edge follows the aspect ratio, even", async (t) => {
  const size = (aspect_ratio: string, resolution: string, options = plainModel.options) => {
    const { input } = accept({ aspect_ratio, resolution }, { ...plainModel, options });
    return [input["width"], input["height"]];
  };
  t.strictSame(size("1:1", "2k"), [2048, 2048]);
  t.strictSame(size("16:9", "1k"), [1024, 576]);
  t.strictSame(size("9:16", "2k"), [1152, 2048]);
  const more = { aspect_ratio: ["21:9", "4:3"], resolution: ["1k", "4k"] };
  t.strictSame(size("21:9", "1k", more), [1024, 438]);
  t.strictSame(size("4:3", "4k", more), [4096, 3072]);
});

const faults: readonly (readonly [string, Partial<GenerateImageRequest>])[] = [
  ["/num_images", { num_images: 3 }],
  ["/prompt", { prompt: "x".repeat(101) }],
  ["/prompt", { prompt: "   " }],
  ["/aspect_ratio", { aspect_ratio: "5:4" }],
  ["/resolution", { resolution: "4k" }],
  ["/quality", { quality: "high" }],
  ["/output_format", { output_format: "webp" }],
  ["/negative_prompt", { negative_prompt: "rain" }],
  ["/seed", { seed: 1 }],
  ["/width /height", { width: 512, height: 512 }],
  ["/height /width", { height: 512 }],
  ["/reference_asset_ids", { reference_asset_ids: [] }],
  ["/mask_asset_id", { mask_asset_id: "x" }],
  ["/background", { background: "transparent" }],
  ["/enhance_prompt", { enhance_prompt: true }],
  ["/provider_options", { provider_options: {} }],
];

for (const [pointer, request] of faults)
  t.test(`what the model cannot do names ${pointer}`, async (t) => {
    t.equal([...new Set(pointers(resolve(request)))].join(" "), pointer);
  });

t.test("every fault of a request is named", async (t) => {
  const named = pointers(
    resolve({ num_images: 9, quality: "x", seed: 1, background: "transparent" }),
  );
  t.strictSame(named.sort(), ["/background", "/num_images", "/quality", "/seed"]);
});

t.test("what the model can do passes", async (t) => {
  const capable: ModelEntry = {
    ...plainModel,
    capabilities: {
      seed: true,
      negative_prompt: true,
      transparent_background: true,
      prompt_enhance: true,
    },
    options: { ...plainModel.options, quality: ["high"] },
    provider_options: true,
  };
  const { input } = accept(
    {
      seed: 4_294_967_295,
      negative_prompt: "rain",
      background: "transparent",
      enhance_prompt: true,
      quality: "high",
      provider_options: { steps: 9 },
      num_images: 2,
    },
    capable,
  );
  t.match(input, { seed: 4_294_967_295, count: 2 });
  t.strictSame(pointers(resolve({ background: "opaque", enhance_prompt: false })), []);
});

t.test("prompt is required unless the model's prompt_required is false", async (t) => {
  const { prompt: _, ...promptless } = { model: "plain", prompt: "x" };
  const free = { ...plainModel, prompt_required: false };
  t.strictSame(
    pointers(
      resolveImage(
        promptless,
        { catalogue: makeCatalogue(plainModel), plan: "free" },
        () => undefined,
      ),
    ),
    ["/prompt"],
  );
  t.strictSame(
    pointers(
      resolveImage(promptless, { catalogue: makeCatalogue(free), plan: "free" }, () => undefined),
    ),
    [],
  );
});

t.test("an unknown or disabled model names /model", async (t) => {
  t.strictSame(pointers(resolve({ model: "nothing" })), ["/model"]);
  t.strictSame(pointers(resolve({}, { ...plainModel, status: "disabled" })), ["/model"]);
  t.equal(accept({ model: "default" }).model, plainModel);
  t.equal(accept({}, { ...plainModel, status: "deprecated" }).model.status, "deprecated");
});

t.test("a model of higher plans refuses with the lowest plan that may use it", async (t) => {
  const model: ModelEntry = { ...plainModel, plans: ["team", "pro", "studio"] };
  t.strictSame(resolve({}, model, "free"), { code: "plan_required", plan: "pro" });
  t.notOk("code" in resolve({}, model, "pro"));
  t.strictSame(pointers(resolve({ seed: 1 }, model, "free")), ["/seed"], "capabilities come first");
});

t.test("a preview model takes what the schema takes: its provider decides", async (t) => {
  const preview: ModelEntry = { ...plainModel, status: "preview" };
  t.strictSame(pointers(resolve({ seed: 1, negative_prompt: "x", num_images: 9 }, preview)), []);
});

t.test("the price follows images and options", async (t) => {
  const price = {
    base: 1,
    per: { images: 2 },
    multipliers: { resolution: { "2k": 2 } },
    minimum: 0,
  };
  const model = { ...plainModel, price };
  t.equal(accept({}, model).price, 3);
  t.equal(accept({ num_images: 2, resolution: "2k" }, model).price, 10);
});

t.test("equal requests have equal canonical bodies", async (t) => {
  const canonical = (request: Partial<GenerateImageRequest>) => accept(request).canonical;
  const plain = canonical({});
  t.equal(plain, '{"model":"plain","prompt":"a kite"}');
  t.equal(canonical({ confirmation_token: "x" }), plain);
  t.equal(
    canonical({ aspect_ratio: "1:1", resolution: "1k", num_images: 1, output_format: "png" }),
    plain,
  );
  t.equal(canonical({ enhance_prompt: false, prompt: " a kite " }), plain);
  t.equal(canonical({ model: "default" }), plain);
  for (const other of [
    { num_images: 2 },
    { prompt: "A kite" },
    { tags: ["x"] },
    { resolution: "2k" },
  ])
    t.not(canonical(other), plain);
});

t.test("a display name is the caller's, or left to the prompt", async (t) => {
  t.equal(accept({ display_name: "mine" }).displayName, "mine");
  t.equal(accept({ prompt: "a kite" }).displayName, undefined);
});
