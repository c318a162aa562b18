/** One provider as its operator configured it (`KLIEG_PROVIDERS`), with its secrets read. */
export interface ProviderConfig {
  readonly name: string;
  readonly adapter: ProviderAdapter;
  /** At least one, without a trailing slash. Several servers form one provider (comfyui). */
  readonly urls: readonly string[];
  readonly key?: string;
  /** Hosts of results, beside the provider's own. */
  readonly allowedHosts: readonly string[];
  /** Whether results may lie at addresses that are not of the public internet. */
  readonly allowPrivate: boolean;
  readonly jwksUrl?: string;
  readonly webhookSecret?: string;
  /** Of `openai`. */
  readonly dialect: OpenaiDialect;
  readonly deleteCancels: boolean;
  readonly targetedInterrupt: boolean;
  readonly maxInFlight?: number;
  readonly resultBytesMax?: number;
  /** Sent with every request to the provider, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether work that was stopped part way is charged by its share (comfyui). */
  readonly billedPartway: boolean;
  /** What in a failure's text means that a filter refused. */
  readonly moderationPatterns: readonly string[];
  /** From where callbacks may come, as CIDR networks; empty for everywhere. */
  readonly callbackAddresses: readonly string[];
}

/** `moderationPatterns` where the entry has none. */
export const defaultModerationPatterns: readonly string[] = ["NSFW", "(E005)", "sensitive"];

export const providerAdapters = ["fal", "comfyui", "openai", "replicate", "cog"] as const;
export type ProviderAdapter = (typeof providerAdapters)[number];

export const openaiDialects = ["openai", "vllm_omni", "sglang", "localai"] as const;
export type OpenaiDialect = (typeof openaiDialects)[number];
