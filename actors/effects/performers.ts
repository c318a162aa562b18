import type { Delivery } from "../../engine/batch.ts";
import type { Performance, Performer } from "../../engine/outbox.ts";
import type { JobEffect } from "../job/job.ts";
import type { FarmBroker } from "./farm-broker.ts";
import type { SimulatedProvider } from "./simulated-provider.ts";

/** The table of effects: each kind and who performs it. */
export function performerOf(broker: FarmBroker, simulated: SimulatedProvider): Performer {
  return (delivery) => Promise.resolve(perform(delivery, broker, simulated));
}

function perform(
  delivery: Delivery,
  broker: FarmBroker,
  simulated: SimulatedProvider,
): Performance {
  const effect = delivery.effect as JobEffect;
  switch (effect.kind) {
    case "farm.run":
      return broker.run(delivery.from, effect.asked);
    case "farm.lease":
      return broker.lease(effect.token);
    case "farm.cancel":
      return broker.cancel(delivery.from);
    case "provider.submit":
      return simulated.submit(delivery.from, effect.prompt, effect.count);
    case "provider.cancel":
      return simulated.cancel(delivery.from, effect.request);
  }
}
