/** A queue as fal runs it. It accepts one key, and signs callbacks with a key of its key set. */
import { createHash, generateKeyPairSync, randomUUID, sign as signBytes } from "node:crypto";
import { parseScenario } from "../../providers/simulated/scenario.ts";
import {
  failureTexts,
  getModality,
  makePrompt,
  runningTime,
  type SimulatedJob,
  SimulatedJobs,
} from "./simulated-jobs.ts";
import {
  type Answer,
  type Exchange,
  type SignedBody,
  Simulator,
  type SimulatorOptions,
} from "./simulator.ts";

export interface FalSimulatorOptions extends SimulatorOptions {
  readonly key?: string;
  /** Whether a cancel of a queued request answers 202 too, as servers did before 2026. */
  readonly isOlder?: boolean;
}

interface FalJob {
  readonly app: string;
  isToBeCanceled: boolean;
}

export class FalSimulator extends Simulator {
  readonly key: string;
  private readonly isOlder: boolean;
  private readonly jobs: SimulatedJobs;
  private readonly more = new Map<string, FalJob>();
  private signingKey = generateKeyPairSync("ed25519");

  constructor(options: FalSimulatorOptions) {
    super(options);
    this.key = options.key ?? "kite:secret";
    this.isOlder = options.isOlder ?? false;
    this.jobs = new SimulatedJobs(options.clock, { onEnd: (job) => this.tell(job) });
  }

  get jwksUrl(): string {
    return `${this.url}/.well-known/jwks.json`;
  }

  /** Makes the server sign with another key; the key set then has only that one. */
  rotateKeys(): void {
    this.signingKey = generateKeyPairSync("ed25519");
  }

  override close(): void {
    super.close();
    this.jobs.close();
  }

  protected buildJob(path: string): SimulatedJob | undefined {
    return this.jobs.get(/\/(?:requests|files)\/([0-9a-f-]+)/.exec(path)?.[1]);
  }

  protected answer(exchange: Exchange): Answer {
    const { method, path, headers } = exchange;
    if (path === "/.well-known/jwks.json") return { status: 200, json: this.keySet() };
    if (headers["authorization"] !== `Key ${this.key}`)
      return {
        status: 401,
        json: { detail: "Cannot access application. Authentication is required." },
      };
    const request = /^(\/[^/]+\/[^/]+)\/requests\/([^/]+)(\/status|\/cancel)?$/.exec(path);
    if (request === null)
      return method === "POST"
        ? this.submit(exchange)
        : { status: 404, json: { detail: "Not Found" } };
    const [, app, , call = ""] = request;
    const job = this.buildJob(path);
    const more = job === undefined ? undefined : this.more.get(job.id);
    const isCancel = call === "/cancel";
    if (job === undefined || more === undefined || more.app !== app)
      return {
        status: 404,
        json: isCancel ? { status: "NOT_FOUND" } : { detail: "Request not found" },
      };
    if (isCancel) return method === "PUT" ? this.cancel(job, more) : { status: 405 };
    return this.hostileAnswer(job) ?? (call === "" ? this.result(job) : this.status(job, more));
  }

  private submit({ path, query, input }: Exchange): Answer {
    const [, app = ""] = /^(\/[^/]+\/[^/]+)/.exec(path) ?? [];
    const webhook = query.get("fal_webhook") ?? undefined;
    const { refusal, isUnknown } = parseScenario(makePrompt(input));
    const admitted = this.jobs.admit(input, webhook);
    if (admitted === "down") return { status: 503, json: { detail: "Service unavailable" } };
    if (admitted === "busy") return { status: 429, json: { detail: "Too many requests" } };
    if (refusal !== undefined) return policyViolation(failureTexts[refusal], "prompt");
    if (makePrompt(input) === "" && input["image_url"] === undefined)
      return invalid([{ loc: ["body", "prompt"], msg: "Field required", type: "missing" }]);
    const born = { id: randomUUID(), input, webhook, modality: getModality(path) };
    const job = this.jobs.begin(born);
    this.more.set(job.id, { app, isToBeCanceled: false });
    if (isUnknown) return { job: job.id, status: "cut" };
    const urls = this.urls(job, app);
    const ids = { request_id: job.id, gateway_request_id: job.id };
    const json = { status: "IN_QUEUE", ...ids, ...urls, queue_position: 0 };
    return { job: job.id, status: 200, json };
  }

  private urls({ id }: SimulatedJob, app: string) {
    const response_url = `${this.url}${app}/requests/${id}`;
    return {
      response_url,
      status_url: `${response_url}/status`,
      cancel_url: `${response_url}/cancel`,
    };
  }

  private status(job: SimulatedJob, { app, isToBeCanceled }: FalJob): Answer {
    const common = { request_id: job.id, ...this.urls(job, app) };
    if (job.state === "queued")
      return { status: 202, json: { status: "IN_QUEUE", queue_position: 0, ...common } };
    if (job.state === "running")
      return { status: 202, json: { status: "IN_PROGRESS", logs: null, ...common } };
    if (job.state === "canceled" && job.startedAtMs === undefined)
      return { status: 404, json: { detail: "Request not found" } };
    const metrics = { inference_time: runningTime(job) ?? null };
    const error = job.state === "succeeded" ? {} : { error: "The request failed." };
    const type =
      isToBeCanceled && job.state === "canceled" ? { error_type: "request_cancelled" } : {};
    return {
      status: 200,
      json: { status: "COMPLETED", logs: [], metrics, ...common, ...error, ...type },
    };
  }

  private result(job: SimulatedJob): Answer {
    const { state, scenario } = job;
    if (state === "queued" || state === "running")
      return { status: 400, json: { detail: "Request is still in progress" } };
    if (state === "succeeded")
      return {
        status: 200,
        headers: { "x-fal-billable-units": String(job.count) },
        json: this.output(job),
      };
    const headers = { "x-fal-billable-units": scenario.billed ? "1.0" : "0" };
    if (state === "canceled")
      return { status: 400, headers, json: { detail: "Request was cancelled" } };
    if (scenario.ending === "fail")
      return { status: 500, headers, json: { detail: failureTexts.fail } };
    const { ending } = scenario;
    const text = ending === "ip_output" ? failureTexts.ip_output : failureTexts.nsfw_output;
    return { ...policyViolation(text, "generated_image"), headers };
  }

  private output(job: SimulatedJob): object {
    const files = this.fileUrls(job).map((url) => ({ url, file_name: url.split("/").at(-1) }));
    const typed = files.map((file) => ({ ...file, content_type: contentTypes[job.modality] }));
    const prompt = makePrompt(job.input);
    switch (job.modality) {
      case "image":
        return { images: typed.map((file) => ({ ...file, width: 1, height: 1 })), seed: 7, prompt };
      case "video":
        return { video: typed[0], seed: 7 };
      case "audio":
        return { audio: typed[0] };
      case "three_d":
        return { model_mesh: typed[0] };
    }
  }

  private cancel(job: SimulatedJob, more: FalJob): Answer {
    const requested = { status: 202, json: { status: "CANCELLATION_REQUESTED" } };
    switch (job.scenario.cancel) {
      case "requested":
        return requested;
      case "refused":
        return { status: 400, json: { status: "ALREADY_COMPLETED" } };
      case "failed":
        return { status: 404, json: { status: "NOT_FOUND" } };
      case "unsupported":
        return { status: 405, json: { detail: "Method Not Allowed" } };
      case "partway":
      case undefined: {
        const { state } = job;
        if (state !== "queued" && state !== "running")
          return { status: 400, json: { status: "ALREADY_COMPLETED" } };
        more.isToBeCanceled = true;
        this.jobs.cancel(job);
        const isRemoved = state === "queued" && !this.isOlder;
        return isRemoved ? { status: 200, json: { status: "OK" } } : requested;
      }
    }
  }

  private tell(job: SimulatedJob): void {
    const { id } = job;
    const ids = { request_id: id, gateway_request_id: id };
    const result = this.result(job);
    const payload = "json" in result ? result.json : null;
    const isRight = job.state === "succeeded";
    const outcome = isRight ? { status: "OK", error: null } : { status: "ERROR", error: "Failed" };
    const body = JSON.stringify({ ...ids, ...outcome, payload });
    this.callBack(job, (isForged) => this.sign(id, body, isForged));
  }

  private sign(id: string, body: string, isForged: boolean): SignedBody {
    const timestamp = String(Math.floor(this.clock.nowMs() / 1000));
    const digest = createHash("sha256").update(body).digest("hex");
    const message = [id, "user-7", timestamp, digest].join("\n");
    const key = isForged ? generateKeyPairSync("ed25519").privateKey : this.signingKey.privateKey;
    const headers = {
      "x-fal-webhook-request-id": id,
      "x-fal-webhook-user-id": "user-7",
      "x-fal-webhook-timestamp": timestamp,
      "x-fal-webhook-signature": signBytes(null, Buffer.from(message), key).toString("hex"),
    };
    return { body, headers };
  }

  private keySet(): object {
    const others = [{ kty: "RSA", n: "AQAB", e: "AQAB" }];
    const ours = this.signingKey.publicKey.export({ format: "jwk" });
    return { keys: [...others, { ...ours, use: "sig", alg: "EdDSA" }] };
  }
}

const contentTypes = {
  image: "image/png",
  video: "video/mp4",
  audio: "audio/mpeg",
  three_d: "model/gltf-binary",
} as const;

function invalid(detail: readonly object[]) {
  return { status: 422, json: { detail } };
}

function policyViolation(msg: string, field: string) {
  const url = "https://docs.fal.ai/errors#content_policy_violation";
  return invalid([{ loc: ["body", field], msg, type: "content_policy_violation", url }]);
}
