import { pausedProvidersKey } from "../../actors/directory/paused-providers.ts";
import type { Gateway } from "../../engine/gateway.ts";
import { ShardDown } from "../../engine/reading/shard-end.ts";

/** Names of paused providers; the last known ones while the directory's thread is not running. */
export class PausedProviders {
  private readonly gateway: Gateway;
  private last: readonly string[] = [];

  constructor(gateway: Gateway) {
    this.gateway = gateway;
  }

  names(): readonly string[] {
    try {
      this.last = this.gateway.read(pausedProvidersKey) ?? [];
    } catch (error) {
      if (!(error instanceof ShardDown)) throw error;
    }
    return this.last;
  }
}

declare module "../service.ts" {
  interface Service {
    readonly paused: PausedProviders;
  }
}
