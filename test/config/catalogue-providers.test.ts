import { join } from "node:path";
import t, { type Test } from "tap";
import { readCatalogue } from "../../config/catalogue-files.ts";
import type { ProviderConfig } from "../../config/providers/provider-config.ts";
import { readProviders } from "../../config/providers/provider-file.ts";
import { listProviderModels } from "../../config/providers/provider-models.ts";
import { plainModel } from "../actors/models.ts";

const key = { env: "KEY" };
const providersFile = {
  providers: [
    { name: "fal", adapter: "fal", url: "https://queue.fal.run", key },
    { name: "replicate", adapter: "replicate", url: "https://api.replicate.com", key },
    { name: "openai", adapter: "openai", url: "https://api.openai.com", key },
    { name: "sglang", adapter: "openai", url: "http://127.0.0.1:30000", dialect: "sglang" },
    { name: "signed", adapter: "openai", url: "https://api.openai.com", webhook_secret: key },
    { name: "comfyui", adapter: "comfyui", url: "http://127.0.0.1:8188" },
    { name: "cog", adapter: "cog", url: "http://127.0.0.1:5000" },
  ],
};
const graph = {
  "3": { class_type: "KSampler", inputs: { seed: 1, "sampler.name": "euler" } },
  "6": { class_type: "CLIPTextEncode", inputs: { text: "a tree", clip: ["4", 1] } },
};
const dated = { version: "1", updated_at: "2026-11-20T00:00:00Z" };
const entry = {
  ...plainModel,
  id: "far",
  aliases: [],
  default_for: [],
  callback: undefined,
  always_refund_moderation: undefined,
  inline_submit_ms: undefined,
  provider: "fal",
  provider_model: "fal-ai/flux/dev",
  mapping: { prompt: "$prompt" },
};

function read(t: Test, ...models: readonly object[]) {
  const folder = t.testdir({
    "providers.json": JSON.stringify(providersFile),
    "models.json": JSON.stringify({ ...dated, models }),
    "graph.json": JSON.stringify(graph),
    "editor.json": JSON.stringify({ nodes: [], links: [] }),
  });
  const providers = readProviders(join(folder, "providers.json"), { KEY: "k" });
  return readCatalogue([join(folder, "models.json")], { simulatedModels: true, providers });
}

t.test("an entry of a configured provider has every default in its place", async (t) => {
  const [model] = read(t, entry).models;
  t.match(model, {
    provider_model: "fal-ai/flux/dev",
    mapping: { kind: "template", template: { prompt: "$prompt" } },
    callback: false,
    always_refund_moderation: false,
    inline_submit_ms: 250,
  });
});

t.test("what another thread needs of provider models can be sent to it", async (t) => {
  const comfyui = {
    ...entry,
    id: "graph",
    provider: "comfyui",
    provider_model: undefined,
    mapping: { workflow: "graph.json", inputs: { "6.text": "$prompt" } },
  };
  const more = { max_in_flight: 3, expected_units: 2, callback: true };
  const models = listProviderModels(read(t, { ...entry, ...more }, comfyui));
  t.strictSame(structuredClone(models), [
    {
      id: "far",
      provider: "fal",
      provider_model: "fal-ai/flux/dev",
      callback: true,
      always_refund_moderation: false,
      typical_seconds: 1,
      deadline_seconds: 600,
      mapping: { kind: "template", template: { prompt: "$prompt" } },
      max_in_flight: 3,
      expected_units: 2,
    },
    {
      id: "graph",
      provider: "comfyui",
      provider_model: "",
      callback: false,
      always_refund_moderation: false,
      typical_seconds: 1,
      deadline_seconds: 600,
      mapping: { kind: "workflow", graph, inputs: { "6.text": "$prompt" } },
    },
  ]);
});

t.test("several files are one catalogue; shipped names ours", async (t) => {
  const later = { ...dated, updated_at: "2027-01-01T00:00:00Z", version: "mine" };
  const own = { ...entry, provider: "farm", provider_model: "studio-image", mapping: undefined };
  const folder = t.testdir({ "mine.json": JSON.stringify({ ...later, models: [own] }) });
  const providers: readonly ProviderConfig[] = [];
  const both = ["shipped", join(folder, "mine.json")];
  const catalogue = readCatalogue(both, { simulatedModels: false, providers });
  t.match(catalogue.version, /^2026-\d\d-\d\d\+mine$/);
  t.equal(catalogue.updatedAt, later.updated_at);
  t.equal(catalogue.find("far", "image")?.id, "far");
  t.equal(catalogue.find("default", "image")?.id, "studio-image");
  t.throws(() => readCatalogue(["shipped", "shipped"], { simulatedModels: false, providers }), {
    message: /two models are named image studio-image/,
  });
});

t.test("fields of mappings are checked by the kind of request", async (t) => {
  const video = { ...entry, modality: "video", mapping: { image: "$first_frame_url" } };
  t.equal(read(t, video).models.length, 1);
  const restoration = { ...video, operations: ["restoration"], mapping: { video: "$source_url" } };
  t.equal(read(t, restoration).models.length, 1);
  t.throws(() => read(t, { ...entry, mapping: video.mapping }), {
    message: /far has a mapping that names the unknown field \$first_frame_url at image/,
  });
});

const map = (mapping: object) => ({ ...entry, mapping });
const onComfyui = (mapping: object) => ({
  ...entry,
  provider: "comfyui",
  provider_model: undefined,
  mapping: { workflow: "graph.json", inputs: {}, ...mapping },
});
const openai = { ...entry, provider: "openai", provider_model: "gpt-image-1" };
const wrong: readonly (readonly [object, RegExp])[] = [
  [
    { ...entry, provider: "foo" },
    /far has the provider foo, which is not configured \(farm, sim, fal/,
  ],
  [{ ...entry, mapping: undefined }, /far needs a mapping for the provider fal/],
  [{ ...entry, provider_model: undefined }, /needs a provider_model of the form owner\/alias/],
  [{ ...entry, provider_model: "flux" }, /needs a provider_model of the form owner\/alias/],
  [{ ...entry, provider: "replicate", provider_model: "a/b/c" }, /deployment:owner\/name/],
  [{ ...entry, provider: "openai", provider_model: undefined }, /needs a provider_model/],
  [{ ...entry, provider: "sim", provider_model: undefined }, /needs a provider_model/],
  [{ ...entry, provider: "cog" }, /needs callback: true/],
  [{ ...openai, callback: true }, /its provider openai has no webhook_secret/],
  [{ ...openai, provider: "sglang", callback: true }, /dialect sglang, which never calls back/],
  [{ ...onComfyui({}), callback: true }, /adapter comfyui, which never calls back/],
  [{ ...onComfyui({}), provider_options: true }, /cannot have provider_options/],
  [map({ a: { b: ["$promt"] } }), /unknown field \$promt at a\/b\/0 \(a dollar is written \$\$\)/],
  [map({ a: "$reference_file" }), /unknown field \$reference_file/],
  [map({ a: "$mask_urls" }), /unknown field \$mask_urls/],
  [map({ a: { $string: "sceonds" } }), /writes the unknown field sceonds at a as text/],
  [map({ a: { $map: "aspect_ratio" } }), /is not a valid form of \$map at a/],
  [map({ a: { $map: "aspect_ratio", values: {}, b: 1 } }), /is not a valid form of \$map at a/],
  [map({ a: { $map: "shape", values: {} } }), /translates the unknown field shape at a/],
  [
    map({ a: { $map: "aspect_ratio", values: { "1:1": "square", "16:9": "wide" } } }),
    /has no translation of the aspect_ratio 9:16 at a/,
  ],
  [map({ $string: "prompt" }), /is not an object/],
  [
    onComfyui({ workflow: "missing.json" }),
    /names the graph .*missing\.json, which is not valid JSON/,
  ],
  [onComfyui({ workflow: "editor.json" }), /in the editor's format; export it in the API format/],
  [onComfyui({ workflow: "providers.json" }), /is not a graph in the API format/],
  [onComfyui({ inputs: { "7.text": "$prompt" } }), /sets 7\.text, but the graph has no node 7/],
  [onComfyui({ inputs: { text: "$prompt" } }), /sets text, but the graph has no node text/],
  [onComfyui({ inputs: { "6.txt": "$prompt" } }), /the node 6 has no input txt/],
  [onComfyui({ inputs: { "6.text": "$promt" } }), /unknown field \$promt at 6\.text/],
  [onComfyui({ outputs: {} }), /has the unknown member outputs/],
];

for (const [model, sentence] of wrong)
  t.test(`a catalogue is checked with its providers: ${sentence.source}`, async (t) => {
    t.throws(() => read(t, model), { name: "CatalogueError", message: sentence });
  });

for (const model of [
  { ...entry, provider: "replicate", provider_model: "owner/name:abc123" },
  { ...entry, provider: "replicate", provider_model: "deployment:owner/name" },
  { ...entry, provider: "cog", provider_model: undefined, callback: true },
  { ...openai, provider: "signed", callback: true },
  { ...entry, callback: true },
  map({ price: "$$5", seed: "$seed", refs: "$reference_urls", one: "$reference_data" }),
  onComfyui({ inputs: { "3.sampler.name": "ddim", "3.seed": "$seed" } }),
])
  t.test(`a right entry is taken: ${model.provider} ${model.provider_model}`, async (t) => {
    t.equal(read(t, model).find("far", "image")?.provider, model.provider);
  });
