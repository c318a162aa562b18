import type { ProviderAdapter } from "../../config/provider-config.ts";
import type { OpenAdapter } from "./adapter.ts";
import { openCog } from "./cog/cog.ts";
import { openComfyui } from "./comfyui/comfyui.ts";
import { openFal } from "./fal/fal.ts";
import { openReplicate } from "./replicate/replicate.ts";

/** Those that this version has. */
export const adapters: Readonly<Partial<Record<ProviderAdapter, OpenAdapter>>> = {
  fal: openFal,
  comfyui: openComfyui,
  replicate: openReplicate,
  cog: openCog,
};
