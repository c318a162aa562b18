/** Adapters tested with real processes: their configuration and the meaning of their calls. */
import { systemClock } from "../../engine/adapters/system-clock.ts";
import { CogSimulator } from "../providers/cog-simulator.ts";
import { ComfyuiSimulator } from "../providers/comfyui-simulator.ts";
import { FalSimulator } from "../providers/fal-simulator.ts";
import { OpenaiSimulator } from "../providers/openai-simulator.ts";
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
  /** Returns the step of a call; undefined for calls about keys, health and the like. */
  findStep(call: Call): Step | undefined;
  /** Steps for which the protocol has a call. */
  readonly steps: readonly Step[];
  /** Route of the model `kite`; `more` are the request's members besides model and prompt. */
  readonly path: string;
  readonly more: object;
  /** How a submit without an answer ends: the job is found again, or given up. */
  readonly unanswered: "found" | "given up";
  /** Whether the provider reports that failed work is billed. */
  readonly billsFailures: boolean;
  /** Whether a job without its callback is lost, because the provider cannot be polled. */
  needsCallback: boolean;
  /** Whether one call does all the work, so that a failed call is not sent again. */
  isSynchronous?: boolean;
  /** Whether the protocol can express the scenario in these words. */
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
    findStep({ method, path }) {
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
            ...priced,
            ...picture,
            provider_model: "kites/image",
            callback: true,
            typical_seconds: 100,
          },
        ],
        environment: { PROVIDER_KEY: key },
      },
    };
  },
  findStep({ method, path }) {
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
  findStep({ method, path }) {
    if (method === "PUT") return "submit";
    return path.endsWith("/cancel") ? "cancel" : undefined;
  },
};

const graph = {
  "3": { class_type: "KSampler", inputs: { seed: 1, model: ["4", 0], positive: ["6", 0] } },
  "4": { class_type: "CheckpointLoaderSimple", inputs: { ckpt_name: "kites.safetensors" } },
  "6": { class_type: "CLIPTextEncode", inputs: { text: "", clip: ["4", 1] } },
  "8": { class_type: "VAEDecode", inputs: { samples: ["3", 0], vae: ["4", 2] } },
  "9": { class_type: "SaveImage", inputs: { filename_prefix: "kite", images: ["8", 0] } },
};

const comfyui: ProviderCase = {
  name: "comfyui",
  path: "/generate/image",
  more: {},
  steps: ["submit", "status", "file", "cancel"],
  unanswered: "found",
  billsFailures: false,
  needsCallback: false,
  // A self-hosted server has no filter, bills nothing and gives the locations of its files itself.
  tells: (words) => !/nsfw|sim:ip|redirects|loopback/.test(words),
  async open(onCall) {
    const simulator = await new ComfyuiSimulator(options(onCall)).listen();
    const { url } = simulator;
    const mapping = { workflow: "graph.json", inputs: { "6.text": "$prompt" } };
    return {
      simulator,
      house: {
        provider: { adapter: "comfyui", url, targeted_interrupt: true, max_in_flight: 100 },
        models: [{ ...priced, modality: "image", provider_model: undefined, mapping }],
        files: { "graph.json": JSON.stringify(graph) },
      },
    };
  },
  findStep({ method, path }) {
    if (path.startsWith("/view")) return "file";
    if (method === "POST") return path === "/prompt" ? "submit" : "cancel";
    return path.startsWith("/history/") ? "status" : undefined;
  },
};

function openaiCase(name: string, more: Partial<ProviderCase>, model: object): ProviderCase {
  return {
    name,
    path: "/generate/image",
    more: {},
    steps: ["submit"],
    unanswered: "given up",
    billsFailures: false,
    needsCallback: false,
    tells: (words) => !/sim:lost|redirects|loopback|media/.test(words),
    async open(onCall) {
      const simulator = await new OpenaiSimulator(options(onCall)).listen();
      const { url, key } = simulator;
      return {
        simulator,
        house: {
          provider: {
            adapter: "openai",
            url,
            key: { env: "PROVIDER_KEY" },
            delete_cancels: true,
          },
          models: [{ ...priced, provider_model: "kite-1", ...model }],
          environment: { PROVIDER_KEY: key },
        },
      };
    },
    findStep({ method, path }) {
      if (method === "POST") return "submit";
      if (method === "DELETE") return "cancel";
      if (path.includes("/content")) return "file";
      return path.startsWith("/v1/videos/") ? "status" : undefined;
    },
    ...more,
  };
}

const openaiImages = openaiCase(
  "openai images",
  { isSynchronous: true },
  { modality: "image", mapping: { prompt: "$prompt", n: "$num_images", size: "1024x1024" } },
);

const openaiVideos = openaiCase(
  "openai videos",
  {
    path: "/generate/video",
    steps: ["submit", "status", "file", "cancel"],
    tells: (words) => !/redirects|loopback|media/.test(words),
  },
  {
    modality: "video",
    mapping: { prompt: "$prompt", seconds: { $string: "seconds" } },
    limits: { prompt_max: 100, "video.duration_seconds": { min: 1, max: 10, step: 1 } },
    options: { aspect_ratio: ["16:9"], resolution: ["720p"] },
    defaults: { aspect_ratio: "16:9", resolution: "720p", duration_seconds: 4 },
  },
);

export const providerCases: readonly ProviderCase[] = [
  falCase(true),
  falCase(false),
  replicate,
  cog,
  comfyui,
  openaiImages,
  openaiVideos,
];
