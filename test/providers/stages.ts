/** Adapters with their simulators: both share a simulated time, over a real network. */
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { Test } from "tap";
import { limits } from "../../config/limits.ts";
import type { Modality } from "../../config/modalities.ts";
import {
  defaultModerationPatterns,
  type ProviderConfig,
} from "../../config/providers/provider-config.ts";
import { ManualClock } from "../../engine/adapters/manual-clock.ts";
import { createSeededEntropy } from "../../engine/adapters/seeded-entropy.ts";
import { openWeb } from "../../engine/adapters/web.ts";
import type { Clock } from "../../engine/ports/clock.ts";
import type { Web } from "../../engine/ports/web.ts";
import type { AdapterPorts, OpenAdapter } from "../../providers/adapter.ts";
import { openCog } from "../../providers/cog/cog.ts";
import { openComfyui } from "../../providers/comfyui/comfyui.ts";
import { openFal } from "../../providers/fal/fal.ts";
import { openOpenai } from "../../providers/openai/openai.ts";
import type { Callback, Provider, Submission } from "../../providers/provider.ts";
import { openReplicate } from "../../providers/replicate/replicate.ts";
import { CogSimulator, type CogSimulatorOptions } from "./cog-simulator.ts";
import { makeGraph } from "./comfyui-graphs.ts";
import { ComfyuiSimulator, type ComfyuiSimulatorOptions } from "./comfyui-simulator.ts";
import { FalSimulator, type FalSimulatorOptions } from "./fal-simulator.ts";
import { OpenaiSimulator, type OpenaiSimulatorOptions } from "./openai-simulator.ts";
import { ReplicateSimulator } from "./replicate-simulator.ts";
import type { Simulator } from "./simulator.ts";
import { newSecret } from "./standard-webhook.ts";

export interface Stage {
  readonly provider: Provider;
  readonly nowMs: () => number;
  /** Lets time pass at the provider. */
  readonly pass: (byMs: number) => Promise<void>;
  /** Callbacks of all jobs, in their order. */
  readonly callbacks: readonly Callback[];
  /** URL at which callbacks are received; undefined for providers that need none. */
  readonly callbackUrl: string | undefined;
  /** Builds the submission, where it is not for an image by `prompt` and `num_images`. */
  readonly asking?: (prompt: string, count: number) => Partial<Submission>;
  /** What the provider makes of a request for several, where that is not as many images. */
  readonly made?: { readonly modality: Modality; readonly count: number };
  /** Whether the provider answers a submit with its result, and so has no queue. */
  readonly isSynchronous?: boolean;
}

export interface SimulatorStage<S extends Simulator> extends Stage {
  readonly simulator: S;
  readonly callbacks: readonly ReceivedCallback[];
  readonly clock: ManualClock;
  readonly config: ProviderConfig;
  /** Opens the adapter as it is after a restart of the service. */
  readonly reopen: (config?: Partial<ProviderConfig>) => Provider;
}

export interface ReceivedCallback extends Callback {
  /** Path of the callback, with its query. */
  readonly path: string;
}

export const web = openWeb();

export function providerConfig(
  adapter: ProviderConfig["adapter"],
  more: Partial<ProviderConfig>,
): ProviderConfig {
  return {
    name: adapter,
    adapter,
    urls: ["http://127.0.0.1:1"],
    allowedHosts: [],
    allowPrivate: false,
    dialect: "openai",
    deleteCancels: false,
    targetedInterrupt: false,
    headers: {},
    billedPartway: false,
    callbackAddresses: [],
    moderationPatterns: defaultModerationPatterns,
    ...more,
  };
}

export async function stageFal(
  t: Test,
  options: Partial<FalSimulatorOptions> = {},
): Promise<SimulatorStage<FalSimulator>> {
  const clock = new ManualClock(1_000_000_000);
  const simulator = await new FalSimulator({ clock, ...options }).listen();
  const { key, url, jwksUrl } = simulator;
  const config = providerConfig("fal", { urls: [url], key, jwksUrl });
  return stage(t, openFal, simulator, clock, config);
}

export async function stageReplicate(t: Test): Promise<SimulatorStage<ReplicateSimulator>> {
  const clock = new ManualClock(1_000_000_000);
  const simulator = await new ReplicateSimulator({ clock }).listen();
  const config = providerConfig("replicate", { urls: [simulator.url], key: simulator.key });
  return stage(t, openReplicate, simulator, clock, config);
}

/** Stages cog; callbacks with the right token are handed to the adapter, as the service does. */
export async function stageCog(
  t: Test,
  options: Partial<CogSimulatorOptions> = {},
): Promise<SimulatorStage<CogSimulator>> {
  const clock = new ManualClock(1_000_000_000);
  const simulator = await new CogSimulator({ clock, slots: 8, ...options }).listen();
  const config = providerConfig("cog", { urls: [simulator.url] });
  const plain = await stage(t, openCog, simulator, clock, config);
  let handedOver = 0;
  return {
    ...plain,
    async pass(byMs) {
      await plain.pass(byMs);
      for (const callback of plain.callbacks.slice(handedOver))
        if (callback.path.endsWith("&t=token"))
          await plain.provider.verifyCallback(callback, clock.nowMs());
      handedOver = plain.callbacks.length;
    },
  };
}

/** Stages ComfyUI; `urls` are servers besides the simulator. */
export async function stageComfyui(
  t: Test,
  options: Partial<ComfyuiSimulatorOptions> & Partial<ProviderConfig> = {},
): Promise<SimulatorStage<ComfyuiSimulator>> {
  const clock = new ManualClock(1_000_000_000);
  const simulator = await new ComfyuiSimulator({ clock, ...options }).listen();
  const urls = [simulator.url, ...(options.urls ?? [])];
  const config = providerConfig("comfyui", { targetedInterrupt: true, ...options, urls });
  const plain = await stage(t, openComfyui, simulator, clock, config);
  return { ...plain, asking: (prompt, count) => ({ input: makeGraph(prompt, count) }) };
}

/** Stages OpenAI; a submit waits for its answer until the simulator works on it. */
export async function stageOpenai(
  t: Test,
  options: Partial<OpenaiSimulatorOptions> & Partial<ProviderConfig> = {},
): Promise<SimulatorStage<OpenaiSimulator>> {
  const clock = new ManualClock(1_000_000_000);
  const simulator = await new OpenaiSimulator({ clock, ...options }).listen();
  const { url, key } = simulator;
  const config = providerConfig("openai", { urls: [url], key, ...options });
  const counted = countRequests(web);
  const submitClock: Clock = {
    nowMs: () => clock.nowMs(),
    monotonicMs: () => clock.monotonicMs(),
    after: (delayMs, run) =>
      delayMs === limits.providers.synchronousMs
        ? simulator.whenHeld(run)
        : clock.after(delayMs, run),
  };
  const plain = await stage(t, openOpenai, simulator, clock, config, {
    web: counted,
    clock: submitClock,
  });
  return {
    ...plain,
    isSynchronous: true,
    async pass(byMs) {
      await plain.pass(byMs);
      while (counted.underWay() > simulator.held) await nextTurn();
      await nextTurn();
    },
  };
}

export async function stageOpenaiVideos(
  t: Test,
  options: Partial<OpenaiSimulatorOptions> & Partial<ProviderConfig> = {},
): Promise<SimulatorStage<OpenaiSimulator>> {
  const webhookSecret = newSecret();
  const plain = await stageOpenai(t, { webhookSecret, deleteCancels: true, ...options });
  plain.simulator.webhookUrl = plain.callbackUrl;
  return {
    ...plain,
    isSynchronous: false,
    made: { modality: "video", count: 1 },
    asking: (prompt) => ({
      modality: "video",
      model: "kite-video",
      input: { prompt, seconds: "4" },
    }),
  };
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Counts the calls whose answer was not yet read to its end. */
function countRequests(web: Web): Web & { readonly underWay: () => number } {
  let count = 0;
  return {
    underWay: () => count,
    isPrivate: (host) => web.isPrivate(host),
    async ask(request) {
      count++;
      try {
        const answer = await web.ask(request);
        const body = (async function* () {
          try {
            yield* answer.body;
          } finally {
            count--;
          }
        })();
        const discard = () => {
          count--;
          answer.discard();
        };
        return { ...answer, body, discard };
      } catch (error) {
        count--;
        throw error;
      }
    },
  };
}

/** Lets the pauses between an adapter's own calls pass at once. */
function impatient(clock: Clock): Clock {
  return {
    nowMs: () => clock.nowMs(),
    monotonicMs: () => clock.monotonicMs(),
    after(delayMs, run) {
      if (delayMs > limits.providers.cancelReadMs) return clock.after(delayMs, run);
      const pause = setImmediate(run);
      return () => clearImmediate(pause);
    },
  };
}

async function stage<S extends Simulator>(
  t: Test,
  open: OpenAdapter,
  simulator: S,
  clock: ManualClock,
  config: ProviderConfig,
  own: Partial<AdapterPorts> = {},
): Promise<SimulatorStage<S>> {
  const { callbacks, url, close } = await receiveCallbacks();
  const ports = { web, clock: impatient(clock), entropy: createSeededEntropy(1), ...own };
  const opened: Provider[] = [];
  const openAs = (more: Partial<ProviderConfig> = {}) => {
    const provider = open({ ...config, ...more }, ports);
    opened.push(provider);
    return provider;
  };
  t.teardown(() => {
    for (const provider of opened) provider.close?.();
    simulator.close();
    close();
  });
  return {
    simulator,
    clock,
    config,
    callbacks,
    provider: openAs(),
    reopen: openAs,
    nowMs: () => clock.nowMs(),
    pass: async (byMs) => {
      clock.advance(byMs);
      await simulator.settle();
    },
    callbackUrl: `${url}/callbacks/${config.name}`,
  };
}

/** Starts a server that accepts each callback and keeps it. */
export async function receiveCallbacks(port = 0) {
  const callbacks: ReceivedCallback[] = [];
  const server = createServer((request, response) => {
    readBody(request).then(
      (rawBody) => {
        const path = request.url ?? "";
        const job = new URL(path, "http://localhost").searchParams.get("job") ?? "";
        const of = { job, model: "fal-ai/kite/dev", typicalSeconds: 1 };
        callbacks.push({ path, of, rawBody, headers: plainHeaders(request) });
        response.end("{}");
      },
      () => response.destroy(),
    );
  }).listen(port, "127.0.0.1");
  server.keepAliveTimeout = 0;
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { callbacks, url, close };
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function plainHeaders({ headers }: IncomingMessage): Callback["headers"] {
  const single = Object.entries(headers).flatMap(([name, value]) =>
    typeof value === "string" ? [[name, value] as const] : [],
  );
  return Object.fromEntries(single);
}
