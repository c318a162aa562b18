import type { ProviderAdapter } from "../config/providers/provider-config.ts";
import type { OpenAdapter } from "./adapter.ts";
import { openCog } from "./cog/cog.ts";
import { openComfyui } from "./comfyui/comfyui.ts";
import { openFal } from "./fal/fal.ts";
import { openOpenai } from "./openai/openai.ts";
import { openReplicate } from "./replicate/replicate.ts";

export const adapters: Readonly<Record<ProviderAdapter, OpenAdapter>> = {
  fal: openFal,
  comfyui: openComfyui,
  openai: openOpenai,
  replicate: openReplicate,
  cog: openCog,
};
