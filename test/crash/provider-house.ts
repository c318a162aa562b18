/**
 * Runs the real service with one provider, which a simulator in the test's process plays: the
 * simulator outlives the service, records each call, and can kill the service at any of them.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Test } from "tap";
import type { Job } from "../../contract/job.ts";
import { plainModel } from "../actors/models.ts";
import { freePort } from "../http/raw-http.ts";
import { ask } from "./accounts.ts";
import { type Environment, firstToken, type Klieg, startKlieg } from "./klieg-process.ts";

export interface HouseOptions {
  /** Entry of `KLIEG_PROVIDERS` without its name, which is `there`. */
  readonly provider: object;
  /** Entries of the catalogue, without the members that all have in common. */
  readonly models: readonly object[];
  /** Limits that replace those of `limits.ts`. */
  readonly limits?: object;
  /** Further files, stored beside the catalogue. */
  readonly files?: Readonly<Record<string, string>>;
  readonly environment?: Environment;
}

export class ProviderHouse {
  private readonly t: Test;
  private readonly dataDir: string;
  private readonly environment: Environment;
  private klieg: Klieg;

  private constructor(t: Test, dataDir: string, environment: Environment, klieg: Klieg) {
    this.t = t;
    this.dataDir = dataDir;
    this.environment = environment;
    this.klieg = klieg;
  }

  static async open(t: Test, options: HouseOptions) {
    const dataDir = t.testdir(options.files);
    const data = join(dataDir, "data");
    mkdirSync(data);
    const env = {
      KLIEG_PORT: `${await freePort()}`,
      KLIEG_FARM_WORKERS: "1",
      KLIEG_ISOLATION: "off",
      ...configureProvider(dataDir, options),
    };
    return new ProviderHouse(t, data, env, await startKlieg(t, data, env));
  }

  get port(): number {
    return Number(this.environment["KLIEG_PORT"]);
  }

  /** Kills the service as a power cut would; resolves when the process has ended. */
  async kill(): Promise<void> {
    await this.klieg.kill("SIGKILL");
  }

  async restart(): Promise<void> {
    await this.klieg.ended;
    this.klieg = await startKlieg(this.t, this.dataDir, this.environment);
  }

  ask<T>(path: string, body?: object, token = firstToken) {
    return ask<T>(this.port, token, path, body);
  }

  /** Submits a job; resolves to undefined when the service ended before it answered. */
  async submit(path: string, body: object, token?: string): Promise<Job | undefined> {
    const answer = await this.ask<Job>(path, body, token).catch(() => undefined);
    return answer?.status === 202 ? answer.json : undefined;
  }

  /** Repeats a submit whose answer was lost; returns the job's id that the problem names. */
  async postDuplicate(path: string, body: object): Promise<string> {
    const { status, json } = await this.ask<{ job_id?: string }>(path, body);
    if (status !== 409) throw new Error(`the repeat of a submit was answered ${status}`);
    return json.job_id ?? "";
  }

  /** Resolves to the job once it has ended and its hold is settled. */
  async onEnd(id: string, token?: string): Promise<Job> {
    for (;;) {
      const { status } = await this.ask<object>(
        `/jobs/${id}/wait?timeout_seconds=60`,
        undefined,
        token,
      );
      if (status === 408) continue;
      const { json: job } = await this.ask<Job>(`/jobs/${id}`, undefined, token);
      if (job.credits_charged !== null) return job;
      await pause(50);
    }
  }
}

/** Writes the configuration files, and returns the settings that name them. */
export function configureProvider(folder: string, options: HouseOptions): Environment {
  const { provider, models, limits, environment } = options;
  const [providersFile, modelsFile] = [join(folder, "providers.json"), join(folder, "models.json")];
  const providers = [{ name: "there", ...provider }];
  writeFileSync(providersFile, JSON.stringify({ providers }));
  const catalogue = {
    version: "1",
    updated_at: "2026-11-20T00:00:00Z",
    models: models.map((model) => ({ ...common, ...model })),
  };
  writeFileSync(modelsFile, JSON.stringify(catalogue));
  const files = { KLIEG_PROVIDERS: providersFile, KLIEG_MODELS: modelsFile };
  if (limits === undefined) return { ...files, ...environment };
  const limitsFile = join(folder, "limits.json");
  writeFileSync(limitsFile, JSON.stringify(limits));
  return { ...files, KLIEG_LIMITS: limitsFile, ...environment };
}

const common = {
  ...plainModel,
  aliases: [],
  default_for: [],
  provider: "there",
  typical_seconds: 2,
  callback: false,
  inline_submit_ms: 0,
};
