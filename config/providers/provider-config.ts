/** One provider as its operator configured it (`KLIEG_PROVIDERS`), with its secrets read. */
export interface ProviderConfig {
  readonly name: string;
  readonly adapter: ProviderAdapter;
  /** URLs, at least one, without a trailing slash. Several servers form one provider (comfyui). */
  readonly urls: readonly string[];
  readonly key?: string;
  /** Hosts from which results may be fetched, beside the provider's own. */
  readonly allowedHosts: readonly string[];
  /** Whether results may be at addresses that are not on the public internet. */
  readonly allowPrivate: boolean;
  readonly jwksUrl?: string;
  readonly webhookSecret?: string;
  /** Dialect of the API; used by `openai` only. */
  readonly dialect: OpenaiDialect;
  readonly deleteCancels: boolean;
  readonly targetedInterrupt: boolean;
  readonly maxInFlight?: number;
  readonly resultBytesMax?: number;
  /** Headers sent with every request to the provider, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether partly done work of a canceled job is charged proportionally (comfyui). */
  readonly billedPartway: boolean;
  /** Texts in a failure which mean that a content filter refused the request. */
  readonly moderationPatterns: readonly string[];
  /** CIDR networks from which callbacks may come; empty for everywhere. */
  readonly callbackAddresses: readonly string[];
}

/** Default of `moderationPatterns` for entries that have none. */
export const defaultModerationPatterns: readonly string[] = ["NSFW", "(E005)", "sensitive"];

export const providerAdapters = ["fal", "comfyui", "openai", "replicate", "cog"] as const;
export type ProviderAdapter = (typeof providerAdapters)[number];

export const openaiDialects = ["openai", "vllm_omni", "sglang", "localai"] as const;
export type OpenaiDialect = (typeof openaiDialects)[number];
