/** The API of Replicate. It accepts one token, and signs callbacks by Standard Webhooks. */
import { randomBytes } from "node:crypto";
import { parseScenario } from "../../providers/simulated/scenario.ts";
import {
  failureTexts,
  getModality,
  makePrompt,
  type SimulatedJob,
  SimulatedJobs,
} from "./simulated-jobs.ts";
import { asPrediction } from "./simulated-predictions.ts";
import {
  type Answer,
  type Exchange,
  record,
  type SignedBody,
  Simulator,
  type SimulatorOptions,
} from "./simulator.ts";
import { newSecret, signStandard } from "./standard-webhook.ts";

export interface ReplicateSimulatorOptions extends SimulatorOptions {
  readonly key?: string;
}

export class ReplicateSimulator extends Simulator {
  readonly key: string;
  secret = newSecret();
  private readonly jobs: SimulatedJobs;
  private messages = 0;

  constructor(options: ReplicateSimulatorOptions) {
    super(options);
    this.key = options.key ?? "r8_kite";
    this.jobs = new SimulatedJobs(options.clock, { onEnd: (job) => this.tell(job) });
  }

  /** Makes the server sign with another secret from now on. */
  rotateSecret(): void {
    this.secret = newSecret();
  }

  override close(): void {
    super.close();
    this.jobs.close();
  }

  protected buildJob(path: string): SimulatedJob | undefined {
    return this.jobs.get(/\/(?:predictions|files)\/([0-9a-z]+)/.exec(path)?.[1]);
  }

  protected answer(exchange: Exchange): Answer {
    const { method, path, headers } = exchange;
    if (headers["authorization"] !== `Bearer ${this.key}`)
      return problem(401, "Unauthenticated", "You did not pass a valid authentication token");
    if (path === "/v1/webhooks/default/secret") return { status: 200, json: { key: this.secret } };
    if (path === "/v1/account")
      return { status: 200, json: { type: "user", username: "kite", name: "Kite" } };
    if (method === "POST" && isSubmit.test(path)) return this.submit(exchange);
    const job = this.buildJob(path);
    if (job === undefined) return notFound;
    if (method === "GET" && path === `/v1/predictions/${job.id}`)
      return this.hostileAnswer(job) ?? this.prediction(job, 200);
    const isCancel = method === "POST" && path === `/v1/predictions/${job.id}/cancel`;
    return isCancel ? this.cancel(job) : notFound;
  }

  private submit({ path, input: body }: Exchange): Answer {
    const input = record(body["input"]);
    const webhook = typeof body["webhook"] === "string" ? body["webhook"] : undefined;
    const { refusal, isUnknown } = parseScenario(makePrompt(input));
    const admitted = this.jobs.admit(input, webhook);
    if (admitted === "down") return problem(503, "Service Unavailable", "Try again later");
    if (admitted === "busy")
      return { ...problem(429, "Too Many Requests", "Throttled"), headers: { "retry-after": "1" } };
    if (refusal !== undefined) return problem(422, "Refused", failureTexts[refusal]);
    if (makePrompt(input) === "")
      return problem(422, "Input validation failed", "- input: prompt is required\n");
    const version = body["version"];
    if (path === "/v1/predictions" && typeof version !== "string")
      return problem(422, "Invalid version or not permitted", "A version is required");
    const id = randomBytes(13).toString("hex");
    const model = path === "/v1/predictions" ? "kites/image" : path;
    const job = this.jobs.begin({ id, input, webhook, modality: getModality(model) });
    return isUnknown ? { job: id, status: "cut" } : this.prediction(job, 201);
  }

  private prediction(job: SimulatedJob, status: number): Answer {
    return { job: job.id, status, json: this.getPrediction(job) };
  }

  private getPrediction(job: SimulatedJob): object {
    const get = `${this.url}/v1/predictions/${job.id}`;
    const urls = { get, cancel: `${get}/cancel`, web: `https://replicate.example/p/${job.id}` };
    const [first, ...others] = this.fileUrls(job);
    const output = others.length === 0 ? first : [first, ...others];
    const more = { model: "kites/image", version: "hidden", data_removed: false, urls };
    return { ...asPrediction(job, output), ...more };
  }

  private cancel(job: SimulatedJob): Answer {
    switch (job.scenario.cancel) {
      case "requested":
        return this.prediction(job, 200);
      case "refused": {
        const json = { ...this.getPrediction(job), status: "succeeded" };
        return { job: job.id, status: 200, json };
      }
      case "failed":
        return notFound;
      case "unsupported":
        return problem(405, "Method Not Allowed", "This cannot be canceled");
      case "partway":
      case undefined:
        if (job.state === "queued" || job.state === "running") this.jobs.cancel(job);
        return this.prediction(job, 200);
    }
  }

  private tell(job: SimulatedJob): void {
    const body = JSON.stringify(this.getPrediction(job));
    this.callBack(job, (isForged) => this.sign(body, isForged ? newSecret() : this.secret));
  }

  private sign(body: string, secret: string): SignedBody {
    const id = `msg_${++this.messages}`;
    return signStandard(secret, { id, nowMs: this.clock.nowMs(), body });
  }
}

const isSubmit = /^\/v1(?:\/(?:models|deployments)\/[^/]+\/[^/]+)?\/predictions$/;

function problem(status: number, title: string, detail: string) {
  return { status, json: { title, detail, status } };
}

const notFound = problem(404, "Not found", "The requested resource could not be found.");
