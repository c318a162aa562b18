import type { AssetEffect } from "../actors/protocol/asset.ts";
import type { JobEffect } from "../actors/protocol/job.ts";
import type { MeasuringEffect } from "../actors/protocol/measuring.ts";
import type { RemovalEffect } from "../actors/protocol/removal.ts";
import type { RenderEffect } from "../actors/protocol/render.ts";
import { type Id, idAtEnd } from "../engine/id.ts";
import type { Performance, Performer } from "../engine/outbox.ts";
import type { Objects } from "../engine/ports/objects.ts";
import type { Delivery } from "../engine/shard/batch.ts";
import type { FarmBroker } from "./farm-broker.ts";
import type { ProviderJobs } from "./provider-jobs.ts";

export interface Performers {
  readonly broker: FarmBroker;
  readonly providerJobs: ProviderJobs;
  readonly objects: Objects;
  /** Called for each submit that its caller traces. */
  readonly onTraced: (call: TracedCall) => void;
}

/** A traced call, for the log of provider calls; no part of it is sent to a provider. */
export interface TracedCall {
  readonly operation: "farm.run" | "provider.submit";
  readonly job: Id;
  readonly trace_id: string;
  /** Span id of the caller. */
  readonly span_id: string;
}

/** Creates the table of effects: each kind with the function that performs it. */
export function createPerformer({
  broker,
  providerJobs,
  objects,
  onTraced,
}: Performers): Performer {
  return async ({ from, effect: outside }: Delivery): Promise<Performance> => {
    const effect = outside as
      | JobEffect
      | AssetEffect
      | RemovalEffect
      | RenderEffect
      | MeasuringEffect;
    if ("trace" in effect && effect.trace !== undefined) {
      const [trace_id = "", span_id = ""] = effect.trace.split("-");
      onTraced({ operation: effect.kind, job: idAtEnd(from), trace_id, span_id });
    }
    switch (effect.kind) {
      case "farm.run":
        return broker.run(from, effect);
      case "farm.lease":
        return broker.lease(effect.token);
      case "farm.cancel":
        return broker.cancel(from);
      case "provider.submit":
        return providerJobs.submit(from, effect);
      case "provider.send":
        return providerJobs.send(from, effect);
      case "provider.follow":
        return providerJobs.follow(from);
      case "provider.resume":
        return providerJobs.resume(from, effect);
      case "provider.cancel":
        return providerJobs.cancel(from);
      case "provider.withdraw":
        return providerJobs.withdraw(from);
      case "objects.remove":
        for (const key of effect.keys) await objects.remove(key);
        return { kind: "concluded", message: { kind: "removed" } };
    }
  };
}
