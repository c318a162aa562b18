/**
 * A ComfyUI server: a queue and a history in memory, uploads, and a WebSocket that reports to each
 * client how its graphs run. Scenario words may stand in any text of a graph.
 */
import { once } from "node:events";
import { type WebSocket, WebSocketServer } from "ws";
import { parseScenario } from "../../providers/simulated/scenario.ts";
import { simulatedMedia } from "../../providers/simulated/simulated-media.ts";
import { countOfGraph, getText, graphFault, modalityOfGraph, nodeFault } from "./comfyui-graphs.ts";
import { failureTexts, type SimulatedJob, SimulatedJobs } from "./simulated-jobs.ts";
import {
  type Answer,
  type Exchange,
  html,
  record,
  Simulator,
  type SimulatorOptions,
} from "./simulator.ts";

export interface ComfyuiSimulatorOptions extends SimulatorOptions {
  /** Whether the server interrupts whatever runs, and gives prompts ids of its own. */
  readonly isOlder?: boolean;
}

const extensions = { image: "png", video: "mp4", audio: "mp3", three_d: "glb" } as const;
const kinds = { image: "images", video: "videos", audio: "audio", three_d: "3d" } as const;
/** Those of a graph's five nodes that have run at its start; half of the third has run too. */
const cached = ["4", "5"];

export class ComfyuiSimulator extends Simulator {
  /** Uploaded files by the names that graphs have for them. */
  readonly uploads = new Map<string, Buffer>();
  private readonly isOlder: boolean;
  private readonly jobs: SimulatedJobs;
  private readonly graphs = new Map<string, { readonly extra: object; readonly client: string }>();
  private readonly sockets = new Map<string, WebSocket>();
  private readonly webSockets = new WebSocketServer({ noServer: true });
  private numbers = 0;

  constructor(options: ComfyuiSimulatorOptions) {
    super(options);
    this.isOlder = options.isOlder ?? false;
    this.jobs = new SimulatedJobs(options.clock, {
      onStart: (job) => this.tellStart(job),
      onEnd: (job) => this.tellEnd(job),
    });
    this.server.on("upgrade", (request, socket, head) => {
      const client = new URL(request.url ?? "", "http://localhost").searchParams.get("clientId");
      this.webSockets.handleUpgrade(request, socket, head, (webSocket) => {
        webSocket.on("error", () => undefined);
        this.sockets.set(client ?? "", webSocket);
        this.webSockets.emit("connection", webSocket, request);
      });
    });
  }

  /** Resolves when a client is connected. */
  async awaitConnection(): Promise<WebSocket> {
    const [known] = this.sockets.values();
    if (known !== undefined) return known;
    const [socket] = await once(this.webSockets, "connection");
    return socket as WebSocket;
  }

  /** Resolves when a client connects again, while `pass` lets time pass for it. */
  awaitReconnection(): (pass: () => void) => Promise<void> {
    let isThere = false;
    this.webSockets.once("connection", () => {
      isThere = true;
    });
    return async (pass) => {
      while (!isThere) {
        pass();
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
  }

  /** Resolves when each client has received what was sent to it. */
  override async settle(): Promise<void> {
    await super.settle();
    for (const socket of this.sockets.values()) await hear(socket);
  }

  override close(): void {
    for (const socket of this.sockets.values()) socket.terminate();
    super.close();
  }

  protected buildJob(path: string): SimulatedJob | undefined {
    return this.jobs.get(/^\/history\/([0-9A-Za-z-]+)/.exec(path)?.[1]);
  }

  protected async answer(exchange: Exchange): Promise<Answer> {
    const path = exchange.path.replace(/^\/api\//, "/");
    switch (`${exchange.method} ${path}`) {
      case "POST /prompt":
        return this.submit(exchange);
      case "POST /upload/image":
        return this.upload(exchange);
      case "GET /queue":
        return this.queue();
      case "POST /queue":
        return this.unqueue(exchange);
      case "POST /interrupt":
        return this.interrupt(exchange);
      case "GET /view":
        return this.view(exchange);
      case "GET /system_stats":
        return { status: 200, json: { system: { comfyui_version: "0.3.40" }, devices: [] } };
      default:
        if (/^\/history\/./.test(path)) return this.history(this.buildJob(path));
        return { status: 404, text: "404: Not Found" };
    }
  }

  private submit({ input: body }: Exchange): Answer {
    const graph = record(body["prompt"]);
    const prompt = getText(graph);
    const extra = record(body["extra_data"]);
    const { refusal, isUnknown } = parseScenario(prompt);
    // Submits of each job are counted separately.
    const admitted = this.jobs.admit({ prompt, job: extra["job_id"] }, undefined);
    if (admitted === "down") return { status: 503, text: "Service Unavailable" };
    if (admitted === "busy") return { status: 429, headers: { "retry-after": "1" } };
    const wrong =
      refusal === undefined
        ? graphFault(graph)
        : nodeFault("6", "CLIPTextEncode", failureTexts[refusal], "text");
    if (wrong !== undefined) return { status: 400, json: wrong };
    const given = body["prompt_id"];
    const number = ++this.numbers;
    const id = typeof given === "string" && !this.isOlder ? given : `prompt-${number}`;
    const input = { prompt, graph, num_images: countOfGraph(graph) };
    this.graphs.set(id, { extra, client: String(body["client_id"]) });
    const modality = modalityOfGraph(graph);
    const job = this.jobs.begin({ id, input, webhook: undefined, modality });
    if (isUnknown) return { job: job.id, status: "cut" };
    return { job: id, status: 200, json: { prompt_id: id, number, node_errors: {} } };
  }

  private async upload({ body, headers }: Exchange): Promise<Answer> {
    const type = { "content-type": headers["content-type"] ?? "" };
    const form = await new Response(new Uint8Array(body), { headers: type })
      .formData()
      .catch(() => new FormData());
    const file = form.get("image");
    if (!(file instanceof File)) return { status: 400 };
    const subfolder = form.get("subfolder") ?? "";
    const name = subfolder === "" ? file.name : `${String(subfolder)}/${file.name}`;
    this.uploads.set(name, Buffer.from(await file.arrayBuffer()));
    return { status: 200, json: { name: file.name, subfolder, type: form.get("type") } };
  }

  private queue(): Answer {
    const items = (state: SimulatedJob["state"]) =>
      this.jobs
        .values()
        .filter((job) => job.state === state)
        .map((job, number) => [number, job.id, job.input["graph"], this.getExtra(job), ["9"]]);
    const hostile = this.jobs.values().find((job) => job.hostile !== undefined && isOpen(job));
    const wrong = hostile && this.hostileAnswer(hostile);
    if (wrong !== undefined) return wrong;
    const json = { queue_running: items("running"), queue_pending: items("queued") };
    return { status: 200, json };
  }

  private getExtra({ id }: SimulatedJob): object {
    const { extra = {}, client } = this.graphs.get(id) ?? {};
    return { ...extra, client_id: client };
  }

  private history(job: SimulatedJob | undefined): Answer {
    if (job === undefined) return { status: 200, json: {} };
    const wrong = this.hostileAnswer(job);
    if (wrong !== undefined) return wrong;
    if (isOpen(job) || job.startedAtMs === undefined) return { status: 200, json: {} };
    const isRight = job.state === "succeeded";
    const status = {
      status_str: isRight ? "success" : "error",
      completed: isRight,
      messages: [
        ["execution_start", { prompt_id: job.id, timestamp: job.startedAtMs }],
        ["execution_cached", { nodes: cached, prompt_id: job.id, timestamp: job.startedAtMs }],
        [this.endName(job), { ...this.endWords(job), timestamp: job.endedAtMs }],
      ],
    };
    const prompt = [1, job.id, job.input["graph"], this.getExtra(job), ["9"]];
    const json = {
      [job.id]: { prompt, outputs: isRight ? listOutputs(job) : {}, status, meta: {} },
    };
    return { status: 200, json };
  }

  private endName({ state }: SimulatedJob): string {
    if (state === "succeeded") return "execution_success";
    return state === "canceled" ? "execution_interrupted" : "execution_error";
  }

  private endWords({ id, state, scenario: { ending } }: SimulatedJob): object {
    const node = { prompt_id: id, node_id: "7", node_type: "KSampler", executed: cached };
    if (state === "succeeded") return { prompt_id: id };
    if (state === "canceled") return node;
    const word = ending === "nsfw_output" || ending === "ip_output" ? ending : "fail";
    const text = `${failureTexts[word]}\n`;
    return { ...node, exception_message: text, exception_type: "RuntimeError", traceback: ["at"] };
  }

  /** Deletes prompts as the server does: an unknown id is no fault. */
  private unqueue({ input: { delete: ids } }: Exchange): Answer {
    const named: readonly unknown[] = Array.isArray(ids) ? ids : [];
    const queued = this.jobs.values().find(({ id, state }) => {
      return state === "queued" && named.includes(id);
    });
    return queued === undefined ? { status: 200 } : this.stop(queued);
  }

  private interrupt({ input: { prompt_id: id } }: Exchange): Answer {
    const running = this.jobs.values().filter(({ state }) => state === "running");
    const meant = running.find((job) => this.isOlder || id === undefined || job.id === id);
    return meant === undefined ? { status: 200 } : this.stop(meant);
  }

  private stop(job: SimulatedJob): Answer {
    switch (job.scenario.cancel) {
      case "requested":
        return { job: job.id, status: 200 };
      case "failed":
        return { job: job.id, status: 500 };
      case "unsupported":
        return { job: job.id, status: 405 };
      case "refused":
        this.jobs.finishNow(job);
        return { job: job.id, status: 200 };
      case "partway":
      case undefined:
        this.jobs.cancel(job);
        return { job: job.id, status: 200 };
    }
  }

  private view({ query }: Exchange): Answer {
    const [, id] = /^(.+)_\d{5}_\.\w+$/.exec(query.get("filename") ?? "") ?? [];
    const job = this.jobs.get(id);
    if (job?.state !== "succeeded" || query.get("type") !== "output") return { status: 404 };
    if (job.hostile === "media") return { status: 200, text: html };
    const { bytes, media } = simulatedMedia[job.modality];
    return { job: job.id, status: 200, headers: { "content-type": media.mimeType }, bytes };
  }

  private tellStart(job: SimulatedJob): void {
    const prompt_id = job.id;
    this.report(job, "execution_start", { prompt_id, timestamp: job.startedAtMs });
    this.report(job, "execution_cached", { prompt_id, nodes: cached });
    this.report(job, "executing", { prompt_id, node: "6", display_node: "6" });
    this.report(job, "progress", { prompt_id, node: "6", value: 10, max: 20 });
    // Sends a preview: its kind, and the beginning of a JPEG.
    this.sockets.get(this.createClient(job))?.send(Buffer.from("00000001ffd8ff", "hex"));
  }

  private tellEnd(job: SimulatedJob): void {
    if (job.startedAtMs === undefined) return;
    this.report(job, this.endName(job), this.endWords(job));
    this.report(job, "executing", { prompt_id: job.id, node: null });
  }

  private report(job: SimulatedJob, type: string, data: object): void {
    this.sockets.get(this.createClient(job))?.send(JSON.stringify({ type, data }));
  }

  private createClient({ id }: SimulatedJob): string {
    return this.graphs.get(id)?.client ?? "";
  }
}

function isOpen({ state }: SimulatedJob): boolean {
  return state === "queued" || state === "running";
}

/** Lists a job's outputs, with a preview, which is no result. */
function listOutputs({ id, modality, count }: SimulatedJob): object {
  const name = (at: number) => `${id}_${String(at + 1).padStart(5, "0")}_.${extensions[modality]}`;
  const saved = Array.from({ length: count }, (_, at) => {
    return { filename: name(at), subfolder: "", type: "output" };
  });
  const preview = { filename: "ComfyUI_temp_00001_.png", subfolder: "", type: "temp" };
  return { "7": { images: [preview] }, "9": { [kinds[modality]]: saved, animated: [true] } };
}

/** Waits until the client has read everything: it answers a ping after all earlier messages. */
async function hear(socket: WebSocket): Promise<void> {
  if (socket.readyState !== socket.OPEN) return;
  const ended = new AbortController();
  const { signal } = ended;
  socket.ping();
  const events = [once(socket, "pong", { signal }), once(socket, "close", { signal })];
  await Promise.race(events);
  ended.abort();
  await Promise.allSettled(events);
}
