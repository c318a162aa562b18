import type { ProviderAdapter } from "../../config/provider-config.ts";
import type { OpenAdapter } from "./adapter.ts";

/** Those that this version has. */
export const adapters: Readonly<Partial<Record<ProviderAdapter, OpenAdapter>>> = {};
