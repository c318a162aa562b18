/**
 * The currently configured providers, each with its gate, and the catalogue's data of their models.
 * A provider whose entry changes is opened anew: jobs already submitted stay with the old one.
 */
import { omitUndefined } from "../config/defined.ts";
import { limits } from "../config/limits.ts";
import type { ProviderConfig } from "../config/providers/provider-config.ts";
import type { ProviderModel } from "../config/providers/provider-models.ts";
import { gauge, type Sample } from "../engine/metrics/tally.ts";
import type { Clock } from "../engine/ports/clock.ts";
import type { Health, Provider } from "../providers/provider.ts";
import type { ProviderSetup, ProviderState } from "./effects-messages.ts";
import { ProviderGate } from "./provider-gate.ts";
import type { ConfiguredProvider, ModelAtProvider } from "./provider-job.ts";

export interface ProvidersPorts {
  readonly clock: Clock;
  readonly open: (config: ProviderConfig) => Provider;
  readonly onHealth: (provider: string, health: Health) => void;
  readonly onFault: (error: unknown) => void;
}

interface Opened extends ConfiguredProvider {
  readonly gate: ProviderGate;
  /** The entry with which the provider was opened, as text. */
  readonly entry: string;
}

export class Providers {
  private readonly ports: ProvidersPorts;
  /** Providers that run in this process. */
  private readonly own: ReadonlyMap<string, ConfiguredProvider>;
  private opened: ReadonlyMap<string, Opened> = new Map();
  private models: ReadonlyMap<string, ProviderModel> = new Map();
  private share = 1;
  private isSetUp = () => {};
  private readonly setUp = new Promise<void>((resolve) => {
    this.isSetUp = resolve;
  });

  constructor(own: readonly Provider[], ports: ProvidersPorts) {
    this.ports = ports;
    this.own = new Map(
      own.map((provider) => [
        provider.describe().name,
        { provider, gate: undefined, results: nowhere },
      ]),
    );
  }

  configure({ configs, models, paused }: ProviderSetup): void {
    const before = this.opened;
    const kept = new Set<Opened>();
    this.opened = new Map(
      configs.map((config) => {
        const entry = JSON.stringify(config);
        const known = before.get(config.name);
        const one = known?.entry === entry ? known : this.open(config, entry);
        kept.add(one);
        return [config.name, one];
      }),
    );
    this.models = new Map(models.map((model) => [model.id, model]));
    for (const one of before.values()) if (!kept.has(one)) one.gate.close();
    for (const [name, { gate }] of this.opened) gate.pause(paused.includes(name));
    this.isSetUp();
  }

  /** Sets this node's share of each provider's capacity, 0 to 1. */
  resize(share: number): void {
    this.share = share;
    for (const { gate } of this.opened.values()) gate.resize(share);
  }

  /** Waits until the configuration is known; undefined for a provider that is not configured. */
  async find(name: string): Promise<ConfiguredProvider | undefined> {
    const own = this.own.get(name);
    if (own !== undefined) return own;
    await this.setUp;
    return this.opened.get(name);
  }

  findModel(id: string): ProviderModel | undefined {
    return this.models.get(id);
  }

  findTerms(id: string): ModelAtProvider | undefined {
    const model = this.models.get(id);
    if (model === undefined) return undefined;
    return {
      name: model.provider_model,
      callback: model.callback,
      maxInFlight: model.max_in_flight,
      alwaysRefundModeration: model.always_refund_moderation,
      typicalSeconds: model.typical_seconds,
      ...omitUndefined({ expectedUnits: model.expected_units }),
      deadlineSeconds: model.deadline_seconds,
    };
  }

  states(): ProviderState[] {
    return [...this.opened].map(([name, { gate, provider }]) => {
      const { callback, cancel } = provider.describe();
      return { name, callback, cancel, ...gate.state() };
    });
  }

  samples(): Sample[] {
    const up = (provider: string, isUp: boolean) =>
      gauge("provider_up", { provider }, isUp ? 1 : 0);
    return [
      ...[...this.own.keys()].map((name) => up(name, true)),
      ...this.states().map(({ name, health }) => up(name, health !== "down")),
    ];
  }

  close(): void {
    for (const { provider, gate } of this.opened.values()) {
      gate.close();
      provider.close?.();
    }
  }

  private open(config: ProviderConfig, entry: string): Opened {
    const provider = this.ports.open(config);
    const gate = new ProviderGate({
      clock: this.ports.clock,
      maxInFlight: config.maxInFlight,
      probe: async () => {
        try {
          return await provider.health();
        } catch (error) {
          this.ports.onFault(error);
          return "down";
        }
      },
      onHealth: (health) => this.ports.onHealth(config.name, health),
    });
    gate.resize(this.share);
    const { urls, allowedHosts, allowPrivate, resultBytesMax } = config;
    const results = {
      ownOrigins: urls.map((url) => new URL(url).origin),
      allowedHosts,
      allowPrivate,
      bytesMax: resultBytesMax ?? limits.providers.resultBytesMax,
    };
    return { provider, gate, results, entry };
  }
}

const nowhere = { ownOrigins: [], allowedHosts: [], allowPrivate: false, bytesMax: 0 };
