/**
 * A provider outside the cluster, which outlives its nodes: a submit may reach it or not, and its
 * answer may be lost. It remembers how often it took each job, which must be once (I8).
 */

import type { JobEffect } from "../../../actors/protocol/job.ts";
import { ProviderGate } from "../../../effects/provider-gate.ts";
import type { ModelAtProvider } from "../../../effects/provider-job.ts";
import { ProviderJobs } from "../../../effects/provider-jobs.ts";
import { createSeededEntropy } from "../../../engine/adapters/seeded-entropy.ts";
import { IdMint } from "../../../engine/id.ts";
import { getShard } from "../../../engine/key.ts";
import type { Performance } from "../../../engine/outbox.ts";
import type { Delivery } from "../../../engine/shard/batch.ts";
import type {
  Provider,
  ProviderStatus,
  Submission,
  SubmitOutcome,
} from "../../../providers/provider.ts";
import type { SimCluster } from "./sim-cluster.ts";
import type { Work, WorkParts } from "./surroundings.ts";

interface Taken {
  times: number;
  readonly endsMs: number;
  readonly end: ProviderStatus;
  isCanceled: boolean;
}

const model: ModelAtProvider = {
  name: "kites",
  callback: false,
  maxInFlight: undefined,
  alwaysRefundModeration: false,
  typicalSeconds: 1,
  deadlineSeconds: 600,
};
const nothingElse = { ownOrigins: [], allowedHosts: [], allowPrivate: false, bytesMax: 1 };
const failed = {
  state: "failed",
  class: "upstream",
  message: "no",
  atOutput: false,
  billed: false,
} as const;

/** `plain` cannot say whether it has a job whose submit was not answered; `exact` can. */
export type ProviderName = "plain" | "exact";

export class SimProvider {
  private readonly cluster: () => SimCluster;
  private readonly taken = new Map<string, Taken>();

  constructor(cluster: () => SimCluster) {
    this.cluster = cluster;
  }

  /** Opens the part of the effects thread that calls providers, for one process of a node. */
  openWork({ clock, outbox, node }: WorkParts, seed: number): Omit<Work, "drain"> {
    const entropy = createSeededEntropy(seed);
    const gate = () =>
      new ProviderGate({
        clock,
        maxInFlight: undefined,
        probe: async () => "up" as const,
        onHealth() {},
      });
    const configured = new Map(
      (["plain", "exact"] as const).map((name) => [
        name as string,
        { provider: this.open(name, node), gate: gate(), results: nothingElse },
      ]),
    );
    const jobs = new ProviderJobs({
      clock,
      entropy,
      ids: new IdMint(clock, entropy),
      onFault() {},
      send: (to, message) => outbox.send(to, message),
      storeStreams: async () => [],
      prepare: async () => ({ input: {}, model: "kites", callbackUrl: undefined }),
      find: async (name) => configured.get(name),
      terms: () => model,
    });
    return {
      perform: (delivery) => perform(jobs, delivery),
      onLeave: (shard) => jobs.giveUp((job) => getShard(job, this.cluster().shardCount) === shard),
    };
  }

  private open(name: ProviderName, node: string): Provider {
    return {
      describe: () => ({
        name,
        isInProcess: false,
        idempotentSubmit: false,
        cancel: "any" as const,
        callback: "none" as const,
        progress: false,
        reportsBilling: true,
      }),
      submit: async (submission) => this.submit(submission, node),
      status: async (ref) => this.getStatus(ref),
      result: async (ref) => ({ files: [{ kind: "stored", media: getMedia(ref) }] }),
      ...(name === "plain"
        ? {}
        : {
            lookUp: async (job: string) =>
              this.taken.has(job)
                ? { kind: "found" as const, ref: job, status: this.getStatus(job) }
                : { kind: "absent" as const },
          }),
      cancel: async (ref) => this.cancel(ref),
      verifyCallback: async () => ({ ok: false }),
      health: async () => "up",
    };
  }

  private submit({ job }: Submission, node: string): SubmitOutcome {
    const { dice, timeline, areFaultsOver, providerAnswer } = this.cluster();
    const lost = areFaultsOver ? 0 : 2;
    const answers = { accepted: 12, silent: 3, lost, busy: 2, refused: 1 };
    const kind = providerAnswer ?? dice.weigh(answers);
    this.cluster().note(`${node} submits ${job.slice(-4)}: ${kind}`);
    if (kind === "busy") return { kind: "busy", retryAfterMs: 200 };
    if (kind === "lost") return { kind: "unknown" };
    if (kind === "refused") return { kind: "refused", class: "invalid_input", message: "no" };
    const known = this.taken.get(job);
    if (known !== undefined) {
      this.cluster().fail(`I8: the provider took job ${job} twice`);
      known.times++;
    }
    const endsMs = timeline.nowMs + dice.between(10, 2_000);
    const end = dice.percent(70) ? ({ state: "succeeded" } as const) : failed;
    this.taken.set(job, { times: 1, endsMs, end, isCanceled: false });
    if (kind === "silent") return { kind: "unknown" };
    return { kind: "accepted", ref: job, status: { state: "queued" } };
  }

  private getStatus(ref: string): ProviderStatus {
    const job = this.taken.get(ref);
    if (job === undefined) return { state: "lost" };
    if (job.isCanceled) return { state: "canceled", billed: false };
    return this.cluster().timeline.nowMs >= job.endsMs ? job.end : { state: "running" };
  }

  private cancel(ref: string): { readonly kind: "cancelled" } | { readonly kind: "refused" } {
    const job = this.taken.get(ref);
    if (job === undefined || this.cluster().timeline.nowMs >= job.endsMs)
      return { kind: "refused" };
    job.isCanceled = true;
    return { kind: "cancelled" };
  }
}

function getMedia(ref: string) {
  return { objectKey: ref, mimeType: "image/png", sizeBytes: 1, sha256: ref };
}

/** Farms and object stores are not simulated: effects for them are done at once. */
async function perform(jobs: ProviderJobs, { from, effect }: Delivery): Promise<Performance> {
  const wanted = effect as JobEffect | { readonly kind: "objects.remove" };
  switch (wanted.kind) {
    case "provider.submit":
      return jobs.submit(from, wanted);
    case "provider.send":
      return jobs.send(from, wanted);
    case "provider.follow":
      return jobs.follow(from);
    case "provider.resume":
      return jobs.resume(from, wanted);
    case "provider.cancel":
      return jobs.cancel(from);
    case "provider.withdraw":
      return jobs.withdraw(from);
    case "objects.remove":
      return { kind: "concluded", message: { kind: "removed" } };
    default:
      return { kind: "concluded" };
  }
}
