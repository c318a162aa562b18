/** The adapter of each protocol. */
import type { ProviderAdapter } from "../../config/provider-config.ts";
import type { OpenAdapter } from "./adapter.ts";

const absent: OpenAdapter = () => {
  throw new Error("not yet");
};
export const adapters: Readonly<Record<ProviderAdapter, OpenAdapter>> = {
  fal: absent,
  comfyui: absent,
  openai: absent,
  replicate: absent,
  cog: absent,
};
