/** Checks that a catalogue entry has what the adapter of its provider requires. */
import type { FileEntry } from "./catalogue.ts";
import type { ProviderAdapter, ProviderConfig } from "./providers/provider-config.ts";

/** Returns what is wrong with the entry; the text continues "<model> ...". */
export function remoteFault(entry: FileEntry, provider: ProviderConfig): string | undefined {
  const { adapter } = provider;
  const form = modelForms[adapter];
  if (entry.mapping === undefined) return `needs a mapping for the provider ${provider.name}`;
  if (form !== undefined && !form.pattern.test(entry.provider_model ?? ""))
    return `needs a provider_model of the form ${form.example}, as all models of ${adapter}`;
  if (entry.callback === true) return callbackFault(provider);
  if (adapter === "cog")
    return "needs callback: true, the only way in which cog reports how a job ended";
  if (adapter === "comfyui" && entry.provider_options)
    return "cannot have provider_options: a graph cannot use them";
  return undefined;
}

function callbackFault({ name, adapter, dialect, webhookSecret }: ProviderConfig) {
  const fault = `has callback: true, but its provider ${name}`;
  if (adapter === "comfyui") return `${fault} has the adapter comfyui, which never calls back`;
  if (adapter !== "openai") return undefined;
  if (dialect !== "openai") return `${fault} speaks the dialect ${dialect}, which never calls back`;
  return webhookSecret === undefined ? `${fault} has no webhook_secret` : undefined;
}

interface Form {
  readonly pattern: RegExp;
  readonly example: string;
}

/** Required forms of `provider_model`; ComfyUI and cog need none. */
const modelForms: Readonly<Partial<Record<ProviderAdapter, Form>>> = {
  fal: { pattern: /^[\w.-]+\/[\w.-]+(?:\/[\w.-]+)*$/, example: "owner/alias/subpath" },
  replicate: {
    pattern: /^(?:deployment:[\w.-]+\/[\w.-]+|[\w.-]+\/[\w.-]+(?::[\w.-]+)?)$/,
    example: "owner/name, owner/name:version or deployment:owner/name",
  },
  openai: { pattern: /\S/, example: "gpt-image-1 (the model of the server)" },
};
