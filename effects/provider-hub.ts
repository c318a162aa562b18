/**
 * Everything about providers on the effects thread, and its link to the main thread, which knows
 * the configuration, can sign, and asks about the farm too.
 */

import { jobKey } from "../actors/protocol/job.ts";
import type { ProviderConfig } from "../config/providers/provider-config.ts";
import { simulatedProvider } from "../config/providers/providers.ts";
import type { IdMint } from "../engine/id.ts";
import { Tally } from "../engine/metrics/tally.ts";
import { plainObjects } from "../engine/plain-objects.ts";
import type { Entropy } from "../engine/ports/entropy.ts";
import type { Objects } from "../engine/ports/objects.ts";
import { answerQuestion, Questions } from "../engine/questions.ts";
import { countCall } from "../providers/counted-provider.ts";
import { SimulatedProvider } from "../providers/simulated/simulated-provider.ts";
import type {
  EffectsQuestion,
  FromEffectsThread,
  LinkQuestion,
  ToEffectsThread,
} from "./effects-messages.ts";
import type { FarmBroker } from "./farm-broker.ts";
import type { JobPorts } from "./provider-job.ts";
import { ProviderJobs } from "./provider-jobs.ts";
import { Providers, type ProvidersPorts } from "./providers.ts";
import { storeStreamsIn } from "./result-streams.ts";
import { prepareWith } from "./submission-input.ts";

export interface HubPorts extends JobPorts, Pick<ProvidersPorts, "open"> {
  readonly entropy: Entropy;
  readonly ids: IdMint;
  readonly objects: Objects;
  readonly broker: Pick<
    FarmBroker,
    "states" | "drainNode" | "keepDraining" | "samples" | "tasks" | "thumbnail"
  >;
  /** Sends a message to the main thread. */
  readonly tell: (message: FromEffectsThread) => void;
  readonly onFailure: (error: unknown) => void;
}

export class ProviderHub {
  readonly jobs: ProviderJobs;
  private readonly ports: HubPorts;
  private readonly providers: Providers;
  private readonly tally = new Tally();
  private readonly links: Questions<LinkQuestion>;

  constructor(ports: HubPorts) {
    const { clock, objects, tell, onFailure } = ports;
    const open = (config: ProviderConfig) => countCall(ports.open(config), this.tally);
    this.ports = ports;
    // Simulated jobs of an earlier start are completed, whatever KLIEG_SIM is now.
    const simulated = new SimulatedProvider({
      clock,
      callBack: (job, callback) =>
        void this.jobs.receiveCallback(simulatedProvider, jobKey(job), "internal", callback),
    });
    this.providers = new Providers([countCall(simulated, this.tally)], {
      clock,
      open,
      onHealth: (provider, health) => tell({ kind: "health", provider, health }),
      onFault: onFailure,
    });
    this.links = new Questions(tell);
    this.jobs = new ProviderJobs({
      ...ports,
      storeStreams: storeStreamsIn(objects, clock),
      find: (name) => this.providers.find(name),
      terms: (model) => this.providers.findTerms(model),
      prepare: prepareWith({
        providers: this.providers,
        objects: plainObjects(objects, onFailure),
        links: (question) => this.links.ask(question),
      }),
    });
  }

  /** Handles a message from the main thread. */
  take(message: ToEffectsThread): void {
    switch (message.kind) {
      case "setup":
        this.providers.configure(message);
        this.ports.broker.keepDraining(message.drained);
        return;
      case "answer":
        this.links.take(message);
        return;
      case "question":
        void answerQuestion(
          message,
          (question) => this.answer(question),
          this.ports.onFailure,
        ).then(this.ports.tell);
    }
  }

  /** Sets the share of the shards that this node owns, 0 to 1. */
  resize(share: number): void {
    this.providers.resize(share);
  }

  close(): void {
    this.providers.close();
  }

  private answer(question: EffectsQuestion): unknown {
    switch (question.kind) {
      case "samples":
        return [...this.tally.take(), ...this.providers.samples(), ...this.ports.broker.samples()];
      case "states":
        return this.providers.states();
      case "farm_nodes":
        return this.ports.broker.states();
      case "farm_tasks":
        return this.ports.broker.tasks();
      case "farm_thumbnail":
        return this.ports.broker.thumbnail(question.id) ?? null;
      case "drain_farm_node":
        return this.ports.broker.drainNode(question.name);
      case "read":
        return this.jobs.readNow(jobKey(question.job));
      case "callback": {
        const { provider, job, number, callback } = question;
        return this.jobs.receiveCallback(provider, job && jobKey(job), number, callback);
      }
    }
  }
}
