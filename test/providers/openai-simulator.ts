/**
 * OpenAI's API for images, speech and videos, and how its dialects differ. Images and speech are
 * answered when they are done.
 */
import { randomBytes } from "node:crypto";
import type { Modality } from "../../config/modalities.ts";
import { parseScenario } from "../../providers/simulated/scenario.ts";
import { simulatedMedia } from "../../providers/simulated/simulated-media.ts";
import { failureTexts, type SimulatedJob, SimulatedJobs } from "./simulated-jobs.ts";
import { type Answer, type Exchange, Simulator, type SimulatorOptions } from "./simulator.ts";
import { newSecret, signStandard } from "./standard-webhook.ts";

export interface OpenaiSimulatorOptions extends SimulatorOptions {
  readonly key?: string;
  readonly webhookSecret?: string;
}

type Input = Readonly<Record<string, unknown>>;

export class OpenaiSimulator extends Simulator {
  readonly key: string;
  readonly secret: string;
  /** Webhook URL of the account; undefined for none. */
  webhookUrl: string | undefined;
  /** Number of calls that wait for their result. */
  held = 0;
  /** The fields of the last form, files as their bytes. */
  form: Input = {};
  private readonly jobs: SimulatedJobs;
  private readonly answers = new Map<string, () => void>();
  private readonly onHeld = new Set<() => void>();
  private events = 0;

  constructor(options: OpenaiSimulatorOptions) {
    super(options);
    this.key = options.key ?? "sk-kite";
    this.secret = options.webhookSecret ?? newSecret();
    this.jobs = new SimulatedJobs(options.clock, { onEnd: (job) => this.end(job) });
  }

  /** Calls `run` when a call begins to wait for its result; the returned function cancels that. */
  whenHeld(run: () => void): () => void {
    this.onHeld.add(run);
    return () => this.onHeld.delete(run);
  }

  protected buildJob(path: string): SimulatedJob | undefined {
    return this.jobs.get(/^\/(?:v1\/videos|files)\/([0-9a-z_]+)/.exec(path)?.[1]);
  }

  protected async answer(exchange: Exchange): Promise<Answer> {
    const { method, path, headers, query } = exchange;
    const job = this.buildJob(path);
    // Image URLs of self-hosted servers lead here.
    if (path.startsWith("/own/")) return media("image");
    if (headers["authorization"] !== `Bearer ${this.key}`)
      return fault(401, "Incorrect API key provided: sk-kite.", "invalid_api_key");
    switch (`${method} ${path}`) {
      case "GET /models":
      case "GET /v1/models":
        return { status: 200, json: { object: "list", data: [] } };
      case "POST /v1/images/generations":
      case "POST /v1/images/edits":
        return this.hold(exchange, "image");
      case "POST /v1/audio/speech":
        return this.hold(exchange, "audio");
      case "POST /video":
        return this.hold(exchange, "video");
      case "POST /v1/videos":
        return this.submit(exchange);
    }
    if (job === undefined) return fault(404, "Video not found", "not_found");
    if (path.endsWith("/content")) {
      const isThere = job.state === "succeeded" && (query.get("variant") ?? "video") === "video";
      return isThere ? media("video") : fault(404, "Video is not ready yet", "not_ready");
    }
    if (method === "DELETE") return this.remove(job);
    return this.hostileAnswer(job) ?? { job: job.id, status: 200, json: this.getVideo(job) };
  }

  /** Answers a call when its work is done. */
  private async hold(exchange: Exchange, modality: Modality): Promise<Answer> {
    const input = await this.readInput(exchange);
    const refused = this.refusal(input);
    if (refused !== undefined) return refused;
    const job = this.begin(input, modality, undefined);
    if (job.scenario.isUnknown) return { job: job.id, status: "cut" };
    exchange.signal.addEventListener("abort", () => {
      if (job.state === "queued" || job.state === "running") this.jobs.cancel(job);
    });
    this.held++;
    const done = new Promise<void>((resolve) => this.answers.set(job.id, resolve));
    for (const run of this.onHeld) run();
    this.onHeld.clear();
    await done;
    this.held--;
    if (job.state === "canceled") return { job: job.id, status: "cut" };
    return this.hostileAnswer(job) ?? this.getResult(job, exchange.path, input);
  }

  private getResult(job: SimulatedJob, path: string, input: Input): Answer {
    const { ending } = job.scenario;
    if (job.state === "failed") {
      const isFiltered = ending === "nsfw_output" || ending === "ip_output";
      return isFiltered
        ? fault(400, failureTexts[ending], "moderation_blocked")
        : fault(500, failureTexts.fail, "server_error");
    }
    if (path === "/v1/audio/speech") return media("audio");
    const b64 = simulatedMedia[job.modality].bytes.toString("base64");
    const one =
      input["response_format"] === "url" ? { url: `${this.url}/own/1.png` } : { b64_json: b64 };
    const data = Array.from({ length: job.count }, () => ({
      ...one,
      revised_prompt: "A red kite.",
    }));
    return { job: job.id, status: 200, json: { created: 1, data } };
  }

  private async submit(exchange: Exchange): Promise<Answer> {
    const input = await this.readInput(exchange);
    const refused = this.refusal(input);
    if (refused !== undefined) return refused;
    const job = this.begin(input, "video", this.webhookUrl);
    if (job.scenario.isUnknown) return { job: job.id, status: "cut" };
    return { job: job.id, status: 200, json: this.getVideo(job) };
  }

  private begin(input: Input, modality: Modality, webhook: string | undefined): SimulatedJob {
    const id = `video_${randomBytes(8).toString("hex")}`;
    return this.jobs.begin({ id, input, webhook, modality });
  }

  private refusal(input: Input): Answer | undefined {
    const prompt = String(input["prompt"] ?? "");
    const { refusal } = parseScenario(prompt);
    const admitted = this.jobs.admit(input, undefined);
    if (admitted === "down") return fault(503, "The server is overloaded.", "server_error");
    if (admitted === "busy")
      return { ...fault(429, "Rate limit reached.", "rate_limit_exceeded"), headers: wait };
    if (refusal !== undefined) return fault(400, failureTexts[refusal], "moderation_blocked");
    if (prompt === "") return fault(400, "Missing required parameter: 'prompt'.", null);
    return undefined;
  }

  /** Reads JSON or a form; speech names its prompt `input`. */
  private async readInput({ headers, body, input: json }: Exchange): Promise<Input> {
    const type = headers["content-type"] ?? "";
    if (!type.startsWith("multipart/form-data"))
      return { ...json, prompt: json["prompt"] ?? json["input"] ?? json["text"] };
    const answer = new Response(new Uint8Array(body), { headers: { "content-type": type } });
    const fields: Record<string, unknown> = {};
    for (const [name, value] of await answer.formData())
      fields[name] =
        typeof value === "string"
          ? value
          : { name: value.name, type: value.type, text: await value.text() };
    this.form = fields;
    return fields;
  }

  private getVideo(job: SimulatedJob): object {
    const { id, state, input, startedAtMs, createdAtMs, scenario } = job;
    const states = {
      queued: "queued",
      running: "in_progress",
      succeeded: "completed",
      failed: "failed",
      canceled: "cancelled",
    };
    const ranMs = startedAtMs === undefined ? 0 : this.clock.nowMs() - startedAtMs;
    const share = scenario.slowMs === 0 ? 1 : Math.min(1, ranMs / scenario.slowMs);
    const { ending } = scenario;
    const isFiltered = ending === "nsfw_output" || ending === "ip_output";
    const error = isFiltered
      ? { code: "moderation_blocked", message: failureTexts[ending] }
      : { code: "server_error", message: failureTexts.fail };
    return {
      id,
      object: "video",
      model: input["model"],
      status: states[state],
      progress: state === "succeeded" ? 100 : Math.floor(99 * share),
      created_at: Math.floor(createdAtMs / 1000),
      completed_at: null,
      expires_at: null,
      seconds: "4",
      size: "720x1280",
      remixed_from_video_id: null,
      error: state === "failed" ? error : null,
    };
  }

  private remove(job: SimulatedJob): Answer {
    switch (job.scenario.cancel) {
      case "refused":
        return fault(409, "The video is being made", "conflict");
      case "failed":
        return fault(404, "Video not found", "not_found");
      case "unsupported":
        return fault(405, "Method Not Allowed", null);
      case "requested":
      case "partway":
      case undefined:
        this.jobs.remove(job);
        return {
          job: job.id,
          status: 200,
          json: { id: job.id, object: "video.deleted", deleted: true },
        };
    }
  }

  private end(job: SimulatedJob): void {
    this.answers.get(job.id)?.();
    if (job.state === "canceled") return;
    const id = `evt_${++this.events}`;
    const type = job.state === "succeeded" ? "video.completed" : "video.failed";
    const nowMs = this.clock.nowMs();
    const created = Math.floor(nowMs / 1000);
    const event = { object: "event", id, type, created_at: created, data: { id: job.id } };
    const body = JSON.stringify(event);
    this.callBack(job, (isForged) =>
      signStandard(isForged ? newSecret() : this.secret, { id, nowMs, body }),
    );
  }
}

const wait = { "retry-after": "1" };

function media(modality: Modality): Answer {
  const { bytes, media } = simulatedMedia[modality];
  return { status: 200, headers: { "content-type": media.mimeType }, bytes };
}

function fault(status: number, message: string, code: string | null) {
  return { status, json: { error: { message, type: "invalid_request_error", param: null, code } } };
}
