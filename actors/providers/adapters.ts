import type { ProviderAdapter } from "../../config/provider-config.ts";
import type { OpenAdapter } from "./adapter.ts";
import { openFal } from "./fal/fal.ts";

/** Those that this version has. */
export const adapters: Readonly<Partial<Record<ProviderAdapter, OpenAdapter>>> = { fal: openFal };
