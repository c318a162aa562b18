/** Reads `examples/providers/` as the service does, and runs it against the simulators. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { resolveAudio } from "../../actors/generation/audio.ts";
import type { Generation, Sources } from "../../actors/generation/generation.ts";
import { resolveImage } from "../../actors/generation/image.ts";
import type { ProviderInput } from "../../actors/generation/provider-fields.ts";
import { resolve3D } from "../../actors/generation/three-d.ts";
import { resolveVideo } from "../../actors/generation/video.ts";
import type { Refusal } from "../../actors/refusal.ts";
import type { Catalogue, ModelEntry } from "../../config/catalogue.ts";
import { readConfiguration } from "../../config/configuration.ts";
import type { ProviderAdapter, ProviderConfig } from "../../config/providers/provider-config.ts";
import { invariant } from "../../engine/invariant.ts";
import { type AssetForms, fillMapping } from "../../providers/mapping.ts";
import type { Simulator } from "./simulator.ts";
import {
  type SimulatorStage,
  stageCog,
  stageComfyui,
  stageFal,
  stageOpenai,
  stageReplicate,
} from "./stages.ts";
import { begin } from "./submissions.ts";

const examples = join(import.meta.dirname, "../../../examples/providers");
const names = readdirSync(examples).sort();
const keys = { FAL_KEY: "id:secret", OPENAI_API_KEY: "sk-kite", REPLICATE_API_TOKEN: "r8_kite" };

type OpenStage = (t: Test, config: ProviderConfig) => Promise<SimulatorStage<Simulator>>;

const stages: Readonly<Record<ProviderAdapter, OpenStage>> = {
  fal: (t) => stageFal(t),
  replicate: (t) => stageReplicate(t),
  cog: (t) => stageCog(t),
  comfyui: (t) => stageComfyui(t),
  openai: (t, { dialect }) => stageOpenai(t, { dialect }),
};

function read(modelFiles: readonly string[], providersFile: string) {
  return readConfiguration({ modelFiles, providersFile, simulatedModels: false }, keys);
}

function readExample(name: string) {
  const file = (kind: string) => join(examples, name, `${kind}.json`);
  return read(["shipped", file("models")], file("providers"));
}

function listModels({ models }: Catalogue, providers: readonly ProviderConfig[]) {
  return models.filter(({ provider }) => providers.some(({ name }) => name === provider));
}

t.test("there is an example for each adapter and dialect", async (t) => {
  const providers = names.flatMap((name) => readExample(name).providers);
  t.strictSame(
    [...new Set(providers.map(({ adapter, dialect }) => `${adapter} ${dialect}`))].sort(),
    [
      ...["cog openai", "comfyui openai", "fal openai", "openai localai", "openai openai"],
      ...["openai sglang", "openai vllm_omni", "replicate openai"],
    ],
  );
});

t.test("the examples can be combined with each other and the shipped models", async (t) => {
  const getText = (name: string) => readFileSync(join(examples, name, "providers.json"), "utf8");
  const providers: unknown[] = names.flatMap((name) => JSON.parse(getText(name)).providers);
  const folder = t.testdir({ "providers.json": JSON.stringify({ providers }) });
  const modelFiles = names.map((name) => join(examples, name, "models.json"));
  const all = read(["shipped", ...modelFiles], join(folder, "providers.json"));
  const added = listModels(all.catalogue, all.providers);
  t.ok(added.length > names.length);
  t.strictSame(
    added.filter(({ aliases, default_for }) => aliases.length + default_for.length > 0),
    [],
    "the shipped models stay the defaults",
  );
});

for (const name of names)
  t.test(`examples/providers/${name}: each model makes a file`, async (t) => {
    const { catalogue, providers } = readExample(name);
    for (const model of listModels(catalogue, providers)) {
      const config = providers.find((one) => one.name === model.provider);
      invariant(config !== undefined, "the model is one of these providers");
      const input = await readInput(model, catalogue);
      t.notMatch(JSON.stringify(input), /"\$/, model.id);
      await make(t, await stages[config.adapter](t, config), model, input);
    }
  });

async function make(
  t: Test,
  stage: SimulatorStage<Simulator>,
  { id, modality, provider_model: model }: ModelEntry,
  input: Record<string, unknown>,
): Promise<void> {
  const callbackUrl = `${stage.callbackUrl}?job=0198c0de-0000-7000-8000-000000000001&t=token`;
  const ref = await begin(stage, "", { modality, model, input, callbackUrl });
  await stage.pass(1);
  t.match(await stage.provider.status(ref), { state: "succeeded" }, id);
  t.equal((await stage.provider.result(ref)).files.length, 1, id);
}

const picture = "0197b9a0-0000-7000-8000-000000000001";
const sources: Sources = (id) => ({
  id,
  job: undefined,
  displayName: () => "a source",
  media: {
    objectKey: "picture",
    mimeType: "image/png",
    sizeBytes: 1,
    sha256: "",
    width: 64,
    height: 64,
  },
});
const forms: AssetForms = {
  url: async () => "https://klieg.example/picture.png",
  data: async () => "data:image/png;base64,cGljdHVyZQ==",
  file: async () => "klieg-picture.png",
};

/** Returns what the model's provider is given for a plain request. */
async function readInput(
  model: ModelEntry,
  catalogue: Catalogue,
): Promise<Record<string, unknown>> {
  const found = resolve(model, catalogue);
  invariant(!("code" in found), `the request is right: ${JSON.stringify(found)}`);
  invariant(model.mapping !== undefined, "it has a mapping");
  return fillMapping(model.mapping, found.input as ProviderInput, forms);
}

function resolve(
  { id: model, modality, options, capabilities }: ModelEntry,
  catalogue: Catalogue,
): Generation | Refusal {
  const asking = { catalogue, plan: "pro" } as const;
  const prompt = "a red kite";
  switch (modality) {
    case "image":
      return resolveImage({ model, prompt }, asking, sources);
    case "video": {
      const isShown = capabilities["first_frame"] === true;
      const first = isShown ? { first_frame_asset_id: picture } : {};
      return resolveVideo({ model, prompt, ...first }, asking, sources);
    }
    case "audio": {
      const isSpeech = options["tasks"]?.[0] === "speech";
      return resolveAudio(
        { model, ...(isSpeech ? { text: prompt } : { prompt }) },
        asking,
        sources,
      );
    }
    case "three_d":
      return resolve3D({ model, image_asset_ids: [picture] }, asking, sources);
  }
}
