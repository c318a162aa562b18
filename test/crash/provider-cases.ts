/** The adapters under test with real processes: how each is configured, and what its calls mean. */
import { systemClock } from "../../engine/adapters/system-clock.ts";
import { CogSimulator } from "../providers/cog-simulator.ts";
import { FalSimulator } from "../providers/fal-simulator.ts";
import { ReplicateSimulator } from "../providers/replicate-simulator.ts";
import type { Call, Simulator, SimulatorOptions } from "../providers/simulator.ts";
import type { HouseOptions } from "./provider-house.ts";

export type Step = "submit" | "status" | "result" | "file" | "cancel";

export interface ProviderCase {
  readonly name: string;
  open(onCall?: SimulatorOptions["onCall"]): Promise<{
    readonly simulator: Simulator;
    readonly house: HouseOptions;
  }>;
  /** What a call is about; undefined for keys, health and the like. */
  stepOf(call: Call): Step | undefined;
  /** The calls that the protocol has at all. */
  readonly steps: readonly Step[];
  /** Where its model, which is called kite, is asked for, with more than model and prompt. */
  readonly path: string;
  readonly more: object;
  /** What a submit without an answer comes to: it is found again, or given up. */
  readonly unanswered: "found" | "given up";
  /** Whether it says that failed work is billed. */
  readonly billsFailures: boolean;
  /** Whether a job without its callback is lost, since the provider can be asked nothing. */
  needsCallback: boolean;
  /** Whether the protocol can express these words. */
  tells(words: string): boolean;
}

const priced = { id: "kite", price: { base: 3, per: {}, multipliers: {}, minimum: 0 } };
const picture = { modality: "image", mapping: { prompt: "$prompt", num_outputs: "$num_images" } };

function options(onCall: SimulatorOptions["onCall"]): SimulatorOptions {
  const common = { clock: systemClock, callbackRetryMs: 500 };
  return onCall === undefined ? common : { ...common, onCall };
}

function falCase(callback: boolean): ProviderCase {
  return {
    name: callback ? "fal" : "fal without callbacks",
    path: "/generate/image",
    more: {},
    steps: ["submit", "status", "result", "file", "cancel"],
    unanswered: callback ? "found" : "given up",
    billsFailures: true,
    needsCallback: false,
    tells: () => true,
    async open(onCall) {
      const simulator = await new FalSimulator(options(onCall)).listen();
      const { url, jwksUrl, key } = simulator;
      const mapping = { prompt: "$prompt", num_images: "$num_images" };
      const model = { ...priced, ...picture, provider_model: "fal-ai/kite/dev", callback, mapping };
      return {
        simulator,
        house: {
          provider: { adapter: "fal", url, jwks_url: jwksUrl, key: { env: "PROVIDER_KEY" } },
          models: [model],
          environment: { PROVIDER_KEY: key },
        },
      };
    },
    stepOf({ method, path }) {
      if (method === "POST") return "submit";
      if (method === "PUT") return "cancel";
      if (path.startsWith("/files/")) return "file";
      if (!path.startsWith("/fal-ai/kite/requests/")) return undefined;
      return path.includes("/status") ? "status" : "result";
    },
  };
}

const replicate: ProviderCase = {
  name: "replicate",
  path: "/generate/image",
  more: {},
  steps: ["submit", "status", "file", "cancel"],
  unanswered: "found",
  billsFailures: false,
  needsCallback: false,
  tells: () => true,
  async open(onCall) {
    const simulator = await new ReplicateSimulator(options(onCall)).listen();
    const { url, key } = simulator;
    return {
      simulator,
      house: {
        provider: { adapter: "replicate", url, key: { env: "PROVIDER_KEY" } },
        models: [
          {
            ...{ ...priced, ...picture, provider_model: "kites/image", callback: true },
            typical_seconds: 100,
          },
        ],
        environment: { PROVIDER_KEY: key },
      },
    };
  },
  stepOf({ method, path }) {
    if (path.startsWith("/files/")) return "file";
    if (method === "POST") return path.endsWith("/cancel") ? "cancel" : "submit";
    return path.startsWith("/v1/predictions/") ? "status" : undefined;
  },
};

const cog: ProviderCase = {
  name: "cog",
  path: "/generate/image",
  more: {},
  steps: ["submit", "cancel"],
  unanswered: "found",
  billsFailures: false,
  needsCallback: true,
  tells: (words) => !words.includes("endless"),
  async open(onCall) {
    const simulator = await new CogSimulator({ ...options(onCall), slots: 100 }).listen();
    return {
      simulator,
      house: {
        provider: { adapter: "cog", url: simulator.url },
        models: [{ ...priced, ...picture, callback: true }],
      },
    };
  },
  stepOf({ method, path }) {
    if (method === "PUT") return "submit";
    return path.endsWith("/cancel") ? "cancel" : undefined;
  },
};

export const providerCases: readonly ProviderCase[] = [
  falCase(true),
  falCase(false),
  replicate,
  cog,
];
