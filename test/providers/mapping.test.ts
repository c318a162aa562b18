import t from "tap";
import type { ProviderInput } from "../../actors/generation/provider-fields.ts";
import type { Mapping } from "../../config/mapping/mapping.ts";
import { type AssetForms, fillMapping } from "../../providers/mapping.ts";

const forms: AssetForms = {
  url: async ({ objectKey }) => `https://klieg.example/${objectKey}`,
  data: async ({ objectKey, mimeType }) => `data:${mimeType};base64,${objectKey}`,
  file: async ({ objectKey }) => `uploaded-${objectKey}`,
};
const picture = (objectKey: string) => ({ objectKey, mimeType: "image/png" });

function fill(
  template: Readonly<Record<string, unknown>>,
  fields: ProviderInput["fields"],
  assets: ProviderInput["assets"] = {},
) {
  return fillMapping({ kind: "template", template }, { fields, assets }, forms);
}

t.test("a string that names a field stands for it; all else is literal", async (t) => {
  const template = {
    text: "$prompt",
    size: ["$width", 2],
    more: { on: true, no: null, x: "a $b" },
  };
  t.strictSame(await fill(template, { prompt: "a kite", width: 1024 }), {
    text: "a kite",
    size: [1024, 2],
    more: { on: true, no: null, x: "a $b" },
  });
});

t.test("a member or item whose field is absent is left out", async (t) => {
  const template = { seed: "$seed", in: { seed: "$seed", list: ["$seed", "$prompt"] } };
  t.strictSame(await fill(template, { prompt: "p" }), { in: { list: ["p"] } });
});

t.test("$string writes a field as text, $map translates one, $$ is a dollar", async (t) => {
  const template = {
    seconds: { $string: "seconds" },
    none: { $string: "fps" },
    image_size: { $map: "aspect_ratio", values: { "16:9": "landscape_16_9" } },
    loud: { $map: "audio", values: { true: "on", false: "off" } },
    missing: { $map: "quality", values: { high: 1 } },
    price: "$$5",
    $$ref: 1,
  };
  const fields = { seconds: 8, aspect_ratio: "16:9", audio: false };
  t.strictSame(await fill(template, fields), {
    seconds: "8",
    image_size: "landscape_16_9",
    loud: "off",
    price: "$5",
    $ref: 1,
  });
});

t.test("a value that has no translation is left to the provider", async (t) => {
  const template = { size: { $map: "aspect_ratio", values: {} } };
  t.strictSame(await fill(template, { aspect_ratio: "toString" }), { size: "toString" });
});

t.test("what a field holds is never read as a template", async (t) => {
  const provider_options = { deep: "$seed", $map: "seed", values: {}, n: ["$$"] };
  const fields = { prompt: "$seed", seed: 7, provider_options };
  t.strictSame(await fill({ p: "$prompt", o: "$provider_options" }, fields), {
    p: "$seed",
    o: provider_options,
  });
});

t.test("provider options come beside the mapping, which stands", async (t) => {
  const provider_options = { steps: "$seed", prompt: "another", num_images: 9 };
  const fields = { prompt: "mine", seed: 7, num_images: 1, provider_options };
  t.strictSame(await fill({ prompt: "$prompt", num_images: "$num_images" }, fields), {
    steps: "$seed",
    prompt: "mine",
    num_images: 1,
  });
});

t.test("assets are given as URLs, as data URLs, and as uploaded files", async (t) => {
  const assets = { first_frame: picture("a"), reference: [picture("b"), picture("c")] };
  const template = {
    url: "$first_frame_url",
    data: "$first_frame_data",
    file: "$first_frame_file",
    first: "$reference_url",
    urls: "$reference_urls",
    all: "$reference_data_urls",
    files: "$reference_files",
    last: "$last_frame_url",
    image: { $map: "first_frame", values: {} },
  };
  t.strictSame(await fill(template, {}, assets), {
    url: "https://klieg.example/a",
    data: "data:image/png;base64,a",
    file: "uploaded-a",
    first: "https://klieg.example/b",
    urls: ["https://klieg.example/b", "https://klieg.example/c"],
    all: ["data:image/png;base64,b", "data:image/png;base64,c"],
    files: ["uploaded-b", "uploaded-c"],
  });
});

t.test("a workflow is filled in; an input whose field is absent keeps the graph's", async (t) => {
  const graph = {
    "3": { class_type: "KSampler", inputs: { seed: 1, "sampler.name": "euler" } },
    "6": { class_type: "CLIPTextEncode", inputs: { text: "a tree", clip: ["4", 1] } },
  };
  const before = structuredClone(graph);
  const inputs = { "3.seed": "$seed", "3.sampler.name": "ddim", "6.text": "$prompt" };
  const mapping: Mapping = { kind: "workflow", graph, inputs };
  const filled = await fillMapping(mapping, { fields: { prompt: "$seed" }, assets: {} }, forms);
  t.strictSame(filled, {
    "3": { class_type: "KSampler", inputs: { seed: 1, "sampler.name": "ddim" } },
    "6": { class_type: "CLIPTextEncode", inputs: { text: "$seed", clip: ["4", 1] } },
  });
  t.strictSame(graph, before, "the catalogue's own graph stays as it is");
});
