/** Prepares one submission: its links, and the mapping filled in from the request. */
import { createHash } from "node:crypto";
import type { ProviderInput } from "../actors/generation/provider-fields.ts";
import type { Source } from "../actors/protocol/farm-task.ts";
import { limits } from "../config/limits.ts";
import { extensionByType } from "../config/media-types.ts";
import type { Objects } from "../engine/ports/objects.ts";
import { PortError } from "../engine/ports/port-error.ts";
import { type AssetForms, fillMapping } from "../providers/mapping.ts";
import type { Provider } from "../providers/provider.ts";
import type { LinkQuestion, Links } from "./effects-messages.ts";
import type { ProviderJob } from "./provider-job.ts";
import type { Prepare } from "./provider-submits.ts";
import type { Providers } from "./providers.ts";

export interface PreparePorts {
  readonly providers: Providers;
  readonly objects: Objects;
  /** Asks the thread that can sign for links. */
  readonly links: (question: LinkQuestion) => Promise<Links>;
}

export function prepareWith({ providers, objects, links }: PreparePorts): Prepare {
  return async (job) => {
    const model = providers.findModel(job.task.model ?? "");
    // Simulated models have no mapping and use the prompt as it is.
    if (job.at.gate === undefined) return { input: {}, model: "", callbackUrl: undefined };
    if (model?.mapping === undefined)
      throw new PortError("The model is no longer in the catalogue.", false);
    // This service created the input itself when it accepted the request.
    const given = (job.task.input ?? { fields: {}, assets: {} }) as ProviderInput;
    const { provider, job: id } = job.task;
    const objectKeys = Object.values(given.assets)
      .flat()
      .map(({ objectKey }) => objectKey);
    const isLinked = job.hasCallback || objectKeys.length > 0;
    const question = { provider, job: id, number: job.submits, objectKeys };
    const linked = isLinked ? await links(question) : undefined;
    const urls = new Map(objectKeys.map((key, at) => [key, linked?.urls[at] ?? ""]));
    return {
      input: await fillMapping(model.mapping, given, buildForms(job, objects, urls)),
      model: model.provider_model,
      callbackUrl: job.hasCallback ? linked?.callbackUrl : undefined,
    };
  };
}

function buildForms(
  { at }: ProviderJob,
  objects: Objects,
  urls: ReadonlyMap<string, string>,
): AssetForms {
  return {
    url: async ({ objectKey }) => urls.get(objectKey) ?? "",
    data: async (source) => {
      const bytes = await readSource(objects, source, limits.providers.dataUrlBytesMax);
      return `data:${source.mimeType};base64,${bytes.toString("base64")}`;
    },
    file: (source) => upload(at.provider, objects, source),
  };
}

/** Equal bytes get equal names, so an existing file is not uploaded again under another name. */
async function upload(provider: Provider, objects: Objects, source: Source): Promise<string> {
  const { mimeType } = source;
  const bytes = await readSource(objects, source, limits.providers.uploadBytesMax);
  const digest = createHash("sha256").update(bytes).digest("hex").slice(0, 32);
  const name = `klieg-${digest}.${extensionByType[mimeType] ?? "bin"}`;
  if (provider.upload === undefined)
    throw new PortError("The provider of this model does not accept files.", false);
  return provider.upload({ name, mimeType, bytes });
}

async function readSource(
  objects: Objects,
  { objectKey }: Source,
  bytesMax: number,
): Promise<Buffer> {
  const found = await objects.stat(objectKey);
  if (found === undefined) throw new PortError("A source file no longer exists.", false);
  const { sizeBytes: end } = found;
  if (end > bytesMax)
    throw new PortError("A source file is larger than this model's provider accepts.", false);
  const chunks: Uint8Array[] = [];
  for await (const chunk of objects.read(objectKey, { start: 0, end })) chunks.push(chunk);
  return Buffer.concat(chunks);
}
