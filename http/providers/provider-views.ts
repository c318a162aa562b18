/** Views of providers for operators and models: configuration, pauses, and live state. */

import { omitUndefined } from "../../config/defined.ts";
import type { ProviderConfig } from "../../config/providers/provider-config.ts";
import { isFarm } from "../../config/providers/providers.ts";
import type { AdminProvider } from "../../contract/admin.ts";
import type { ProviderState } from "../../effects/effects-messages.ts";
import { timestamp } from "../../engine/timestamp.ts";
import type { Health } from "../../providers/provider.ts";
import type { Service } from "../service.ts";

/** `state` is undefined while the thread that calls providers is not running. */
export function providerView(
  { name, adapter, maxInFlight }: ProviderConfig,
  state: ProviderState | undefined,
  { line, paused }: Service,
): AdminProvider {
  const { lastErrorAtMs: errorMs } = state ?? {};
  return {
    name,
    adapter,
    status: state?.health ?? line.health(name),
    paused: paused.names().includes(name),
    in_flight: state?.inFlight ?? 0,
    waiting: state?.waiting ?? 0,
    max_in_flight: maxInFlight ?? null,
    callback: state?.callback ?? "none",
    cancel: state?.cancel ?? "none",
    ...omitUndefined({ last_error_at: errorMs === undefined ? undefined : timestamp(errorMs) }),
  };
}

/** Whether a provider's models are available; jobs of a paused one wait. */
export function getAvailability(provider: string, { line, paused, health }: Service): Health {
  if (isFarm(provider)) return health.renderers === "down" ? "down" : "up";
  return paused.names().includes(provider) ? "down" : line.health(provider);
}
