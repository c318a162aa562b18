/** The adapters under test with real processes: how each is configured, and what its calls mean. */
import { systemClock } from "../../engine/adapters/system-clock.ts";
import { FalSimulator } from "../providers/fal-simulator.ts";
import type { Call, Simulator, SimulatorOptions } from "../providers/simulator.ts";
import type { HouseOptions } from "./provider-house.ts";

export type Step = "submit" | "status" | "result" | "file" | "cancel";

export interface ProviderCase {
  readonly name: string;
  open(onCall: SimulatorOptions["onCall"]): Promise<{
    readonly simulator: Simulator;
    readonly house: HouseOptions;
  }>;
  /** What a call is about; undefined for keys, health and the like. */
  stepOf(call: Call): Step | undefined;
  /** What its jobs are asked for by. */
  readonly path: string;
  /** What a submit without an answer comes to: it is found again, or given up. */
  readonly unanswered: "found" | "given up";
}

const priced = { price: { base: 3, per: {}, multipliers: {}, minimum: 0 } };

export const providerCases: readonly ProviderCase[] = [true, false].map((callback) => ({
  name: callback ? "fal" : "fal without callbacks",
  path: "/generate/image",
  unanswered: callback ? "found" : "given up",
  async open(onCall) {
    const options = { clock: systemClock, ...(onCall === undefined ? {} : { onCall }) };
    const simulator = await new FalSimulator(options).listen();
    const { url, jwksUrl, key } = simulator;
    return {
      simulator,
      house: {
        provider: { adapter: "fal", url, jwks_url: jwksUrl, key: { env: "FAL_KEY" } },
        models: [
          {
            ...{ id: "kite", modality: "image", provider_model: "fal-ai/kite/dev", callback },
            ...{ mapping: { prompt: "$prompt", num_images: "$num_images" }, ...priced },
          },
        ],
        environment: { FAL_KEY: key },
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
}));
