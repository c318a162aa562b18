import type { Delivery } from "../../engine/batch.ts";
import type { Performance, Performer } from "../../engine/outbox.ts";
import type { Objects } from "../../engine/ports/objects.ts";
import type { AssetEffect } from "../asset/asset.ts";
import type { JobEffect } from "../job/job.ts";
import type { FarmBroker } from "./farm-broker.ts";
import type { SimulatedProvider } from "./simulated-provider.ts";

export interface Performers {
  readonly broker: FarmBroker;
  readonly simulated: SimulatedProvider;
  readonly objects: Objects;
}

/** The table of effects: each kind and who performs it. */
export function performerOf({ broker, simulated, objects }: Performers): Performer {
  return async ({ from, effect: outside }: Delivery): Promise<Performance> => {
    const effect = outside as JobEffect | AssetEffect;
    switch (effect.kind) {
      case "farm.run":
        return broker.run(from, effect.task);
      case "farm.lease":
        return broker.lease(effect.token);
      case "farm.cancel":
        return broker.cancel(from);
      case "provider.submit":
        return simulated.submit(from, effect);
      case "provider.cancel":
        return simulated.cancel(from, effect.request);
      case "objects.remove":
        for (const key of effect.keys) await objects.remove(key);
        return { kind: "concluded" };
    }
  };
}
