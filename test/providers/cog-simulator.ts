/**
 * A server as cog builds it, for one model. It cannot be asked about a prediction: callbacks say
 * when one starts and how it ended, with its outputs as data URLs.
 */

import type { Modality } from "../../config/modalities.ts";
import { parseScenario } from "../../providers/simulated/scenario.ts";
import { simulatedMedia } from "../../providers/simulated/simulated-media.ts";
import { failureTexts, makePrompt, type SimulatedJob, SimulatedJobs } from "./simulated-jobs.ts";
import { asPrediction } from "./simulated-predictions.ts";
import {
  type Answer,
  type Exchange,
  record,
  type SignedBody,
  Simulator,
  type SimulatorOptions,
} from "./simulator.ts";

export interface CogSimulatorOptions extends SimulatorOptions {
  readonly modality?: Modality;
  /** How many predictions run at a time. */
  readonly slots?: number;
  /** Whether outputs are uploaded, as with `output_file_prefix`. */
  readonly isUploading?: boolean;
}

export class CogSimulator extends Simulator {
  /** State that the server reports; undefined for its real one, `READY` or `BUSY`. */
  state: string | undefined;
  private readonly modality: Modality;
  private readonly slots: number;
  private readonly isUploading: boolean;
  private readonly jobs: SimulatedJobs;

  constructor(options: CogSimulatorOptions) {
    super(options);
    this.modality = options.modality ?? "image";
    this.slots = options.slots ?? 1;
    this.isUploading = options.isUploading ?? false;
    this.jobs = new SimulatedJobs(options.clock, {
      onStart: (job) => this.tellStart(job),
      onEnd: (job) => this.tellEnd(job),
    });
  }

  override close(): void {
    super.close();
    this.jobs.close();
  }

  protected buildJob(path: string): SimulatedJob | undefined {
    return this.jobs.get(/^\/(?:predictions|files)\/([0-9a-z]+)/.exec(path)?.[1]);
  }

  protected answer(exchange: Exchange): Answer {
    const { method, path } = exchange;
    if (method === "GET" && path === "/health-check") return this.health();
    const [, id, call] = /^\/predictions\/([0-9a-z]+)(\/cancel)?$/.exec(path) ?? [];
    if (id === undefined) return { status: 404, json: { detail: "Not Found" } };
    if (method === "POST" && call !== undefined) return this.cancel(this.jobs.get(id));
    if (method === "PUT" && call === undefined) return this.submit(id, exchange);
    return { status: 405, json: { detail: "Method Not Allowed" } };
  }

  private health(): Answer {
    const hostile = this.active().find((job) => job.hostile === "endless");
    if (hostile !== undefined) return { job: hostile.id, status: "endless" };
    const status = this.state ?? (this.active().length >= this.slots ? "BUSY" : "READY");
    return { status: 200, json: { status, setup: { status: "succeeded" } } };
  }

  /** Starts a prediction; a finished id starts anew, a running one is answered as it is. */
  private submit(id: string, { headers, input: body }: Exchange): Answer {
    const input = record(body["input"]);
    const webhook = typeof body["webhook"] === "string" ? body["webhook"] : undefined;
    const { refusal, isUnknown } = parseScenario(makePrompt(input));
    const running = this.active().find((job) => job.id === id);
    if (running !== undefined) return this.accept(running);
    if (headers["prefer"] !== "respond-async")
      return { status: 400, json: { detail: "Only asynchronous predictions are simulated" } };
    const admitted = this.jobs.admit(input, webhook);
    if (admitted === "down") return { status: 503, json: { detail: "Model is not ready" } };
    if (admitted === "busy" || this.active().length >= this.slots)
      return { status: 409, json: { detail: "Already running a prediction" } };
    const detail = refusal === undefined ? "prompt: Field required" : failureTexts[refusal];
    if (refusal !== undefined || makePrompt(input) === "") return { status: 422, json: { detail } };
    const job = this.jobs.begin({ id, input, webhook, modality: this.modality });
    return isUnknown ? { job: id, status: "cut" } : this.accept(job);
  }

  private accept(job: SimulatedJob): Answer {
    const { id, input } = job;
    return { job: id, status: 202, json: { id, input, status: "starting" } };
  }

  private cancel(job: SimulatedJob | undefined): Answer {
    const isActive = job !== undefined && this.active().includes(job);
    if (!isActive) return { status: 404, json: { detail: "prediction not found" } };
    switch (job.scenario.cancel) {
      case "requested":
        return { status: 200, json: {} };
      case "refused":
      case "failed":
        return { status: 404, json: { detail: "prediction not found" } };
      case "unsupported":
        return { status: 405, json: { detail: "Method Not Allowed" } };
      case "partway":
      case undefined:
        this.jobs.cancel(job);
        return { status: 200, json: {} };
    }
  }

  private active(): SimulatedJob[] {
    return this.jobs.values().filter(({ state }) => state === "queued" || state === "running");
  }

  private tellStart(job: SimulatedJob): void {
    if (job.webhook === undefined) return;
    this.deliver(job.webhook, { body: JSON.stringify(asPrediction(job, null)), headers: {} });
  }

  private tellEnd(job: SimulatedJob): void {
    const body = this.hostileBody(job) ?? JSON.stringify(asPrediction(job, this.output(job)));
    this.callBack(job, (isForged): SignedBody => {
      const signed = { body, headers: {} };
      return isForged ? { ...signed, url: `${job.webhook}forged` } : signed;
    });
  }

  private hostileBody(job: SimulatedJob): string | undefined {
    const answer = this.hostileAnswer(job);
    if (answer === undefined || typeof answer.status === "string") return undefined;
    return answer.text ?? JSON.stringify(answer.json);
  }

  private output(job: SimulatedJob): unknown {
    const { bytes, media } = simulatedMedia[job.modality];
    const inline = `data:${media.mimeType};base64,${bytes.toString("base64")}`;
    const isUploaded = this.isUploading || job.hostile !== undefined;
    const [first, ...others] = isUploaded ? this.fileUrls(job) : Array(job.count).fill(inline);
    return others.length === 0 ? first : [first, ...others];
  }
}
