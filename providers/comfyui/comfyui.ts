/**
 * Adapter `comfyui`: one or several servers of ComfyUI, usually machines of one's own.
 *
 *   submit --> queued --> running --> in history: succeeded, failed, canceled
 *                 '---------'---> in neither: lost, as queues do not outlive their server
 *
 * 1. A job's id is the id of its prompt, so a submit that was not answered can be looked up. The
 *    id is asked for on every server: it is absent when each of them says so.
 * 2. A graph goes to the server with the shortest queue, of those that have the files it names.
 *    Files are uploaded to all servers, since which one gets the graph is not decided by then; a
 *    server that did not take a file gets no graph with it.
 * 3. A reference names its server by URL. One that is configured no more has lost its jobs.
 * 4. A running prompt is interrupted only where the operator says that the server heeds which one
 *    is meant: older servers stop whatever runs, which may be another's.
 */

import type { CancelAnswer } from "../../actors/protocol/job.ts";
import { limits } from "../../config/limits.ts";
import type { ProviderConfig } from "../../config/providers/provider-config.ts";
import { check, Type } from "../../config/schema.ts";
import type { Id } from "../../engine/id.ts";
import type { Clock } from "../../engine/ports/clock.ts";
import { PortError } from "../../engine/ports/port-error.ts";
import type { AdapterPorts, OpenAdapter } from "../adapter.ts";
import { moderationFinder } from "../moderation.ts";
import {
  type CallbackVerdict,
  GoneError,
  type Health,
  type LookUp,
  type Provider,
  type ProviderRef,
  type ProviderResult,
  type ProviderStatus,
  type ProviderTraits,
  ReplyError,
  type Submission,
  type SubmitOutcome,
  type UploadFile,
} from "../provider.ts";
import { answerToSubmit, plainOutcome } from "../provider-http.ts";
import type { Reply } from "../replies.ts";
import {
  computeEnd,
  type EndedPrompt,
  type EndTerms,
  explainRefusedGraph,
  filePlaces,
  promptId,
  type QueuedPrompt,
  ranShare,
} from "./comfy-replies.ts";
import { ComfyServer } from "./comfy-server.ts";
import { UploadedFiles } from "./uploaded-files.ts";

/** A prompt and the server that runs it. */
interface Placed {
  readonly server: ComfyServer;
  readonly id: string;
}

class Comfyui implements Provider {
  private readonly traits: ProviderTraits;
  private readonly clock: Clock;
  private readonly servers: readonly ComfyServer[];
  private readonly files = new UploadedFiles<ComfyServer>();
  private readonly endTerms: EndTerms;
  private readonly isTargeted: boolean;

  constructor(config: ProviderConfig, ports: AdapterPorts) {
    const { name, urls, billedPartway, moderationPatterns, targetedInterrupt } = config;
    const clientId = Buffer.from(ports.entropy.bytes(16)).toString("hex");
    this.clock = ports.clock;
    this.servers = urls.map((url) => new ComfyServer(url, config, ports, clientId));
    this.endTerms = { billedPartway, findModeration: moderationFinder(moderationPatterns) };
    this.isTargeted = targetedInterrupt;
    this.traits = {
      name,
      isInProcess: false,
      idempotentSubmit: false,
      cancel: targetedInterrupt ? "any" : "queued_only",
      callback: "none",
      progress: true,
      reportsBilling: false,
    };
  }

  describe(): ProviderTraits {
    return this.traits;
  }

  async submit(submission: Submission): Promise<SubmitOutcome> {
    const { job, input, typicalSeconds } = submission;
    const server = await this.place(input);
    if (server === undefined) return { kind: "down" };
    server.sending++;
    server.progress.watch(job, Object.keys(input).length);
    const extra = { job_id: job, typical_seconds: typicalSeconds };
    const answer = await answerToSubmit(server.submit(job, input, extra)).finally(() => {
      server.sending--;
    });
    const outcome = answer.kind === "answered" ? this.parseSubmitted(answer.reply, server) : answer;
    const isWatched = outcome.kind === "accepted" && outcome.ref === getRef({ server, id: job });
    if (!isWatched) server.progress.unwatch(job);
    return outcome;
  }

  private parseSubmitted(reply: Reply, server: ComfyServer): SubmitOutcome {
    const { status, json } = reply;
    // A gateway in between may have passed the graph on; the look-up finds out.
    if (status === 502 || status === 504) return { kind: "unknown" };
    const plain = plainOutcome(reply, this.clock.nowMs());
    if (plain !== undefined) return plain;
    if (status >= 400)
      return {
        kind: "refused",
        ...explainRefusedGraph(reply, this.endTerms.findModeration),
        billed: false,
      };
    if (status >= 300 || !isTaken(json)) return { kind: "unknown" };
    const ref = getRef({ server, id: json.prompt_id });
    return { kind: "accepted", ref, status: { state: "queued" } };
  }

  /** The server for a graph, or undefined when no server with the graph's files answers. */
  private async place(graph: Submission["input"]): Promise<ComfyServer | undefined> {
    const candidates = this.files.holders(this.servers, graph);
    if (candidates.length <= 1) return candidates[0];
    const queues = await Promise.allSettled(candidates.map((server) => server.queue()));
    let best: ComfyServer | undefined;
    let shortest = Number.POSITIVE_INFINITY;
    for (const [at, queue] of queues.entries()) {
      const server = candidates[at];
      if (server === undefined || !isAnswered(queue)) continue;
      const length = queue.value.length + server.sending;
      if (length < shortest) [best, shortest] = [server, length];
    }
    return best;
  }

  async lookUp(job: Id): Promise<LookUp> {
    const looks = await Promise.allSettled(this.servers.map((server) => this.lookAt(server, job)));
    const found = looks.filter(isAnswered).flatMap(({ value }) => value ?? [])[0];
    if (found !== undefined) return found;
    const failed = looks.find(({ status }) => status === "rejected");
    if (failed?.status === "rejected") throw failed.reason;
    return { kind: "absent" };
  }

  /** Reads the queue first: a prompt that ends between the two calls is then in the history. */
  private async lookAt(server: ComfyServer, job: Id): Promise<LookUp | undefined> {
    const queue = await server.queue();
    // Older servers give prompts ids of their own.
    const queued = queue.find((prompt) => prompt.id === job || prompt.job === job);
    if (queued !== undefined) {
      const ref = getRef({ server, id: queued.id });
      return { kind: "found", ref, status: this.openStatus(server, queued) };
    }
    const ended = await server.history(job);
    if (ended === undefined) return undefined;
    const status = computeEnd(ended, this.endTerms);
    return { kind: "found", ref: getRef({ server, id: job }), status };
  }

  /** Resolves to the file's name on all servers that accepted it. */
  async upload(file: UploadFile): Promise<string> {
    const uploads = await Promise.allSettled(this.servers.map((server) => server.upload(file)));
    const name = uploads.find(isAnswered)?.value;
    if (name === undefined) {
      const [first] = uploads;
      throw first?.status === "rejected" ? first.reason : new PortError("no server", true);
    }
    const holders = this.servers.filter((_, at) => {
      const upload = uploads[at];
      return upload !== undefined && isAnswered(upload) && upload.value === name;
    });
    this.files.add(name, holders);
    return name;
  }

  async status(ref: ProviderRef): Promise<ProviderStatus> {
    const placed = this.parse(ref);
    if (placed === undefined) return { state: "lost" };
    const { server, id } = placed;
    const ended = await server.history(id);
    if (ended !== undefined) return this.endStatus(placed, ended);
    const queued = await this.findQueued(placed);
    if (queued !== undefined) return this.openStatus(server, queued);
    // The prompt may have ended between the two calls.
    const endedSince = await server.history(id);
    return endedSince === undefined ? { state: "lost" } : this.endStatus(placed, endedSince);
  }

  private openStatus({ progress }: ComfyServer, { id, state, nodeCount }: QueuedPrompt) {
    progress.watch(id, nodeCount);
    return state === "queued"
      ? ({ state } as const)
      : ({ state, progress: progress.getProgress(id) } as const);
  }

  private endStatus({ server, id }: Placed, ended: EndedPrompt): ProviderStatus {
    const status = computeEnd(ended, this.endTerms);
    if (status.state !== "running") server.progress.unwatch(id);
    return status;
  }

  private async findQueued({ server, id }: Placed): Promise<QueuedPrompt | undefined> {
    return (await server.queue()).find((prompt) => prompt.id === id);
  }

  async result(ref: ProviderRef): Promise<ProviderResult> {
    const placed = this.parse(ref);
    const ended = placed && (await placed.server.history(placed.id));
    if (placed === undefined || ended === undefined)
      throw new GoneError("the provider does not know an end of the prompt");
    const { state } = computeEnd(ended, this.endTerms);
    if (state !== "succeeded") throw new GoneError("the prompt did not succeed");
    const open = (place: string) => placed.server.openFile(place);
    return { files: filePlaces(ended).map((at) => ({ kind: "stream", open: open(at) })) };
  }

  async cancel(ref: ProviderRef): Promise<CancelAnswer> {
    const placed = this.parse(ref);
    if (placed === undefined) return { kind: "failed" };
    let queued = await this.findQueued(placed);
    if (queued?.state === "queued") {
      if (!(await placed.server.unqueue(placed.id))) return { kind: "unsupported" };
      queued = await this.findQueued(placed);
      const isRemoved = queued === undefined && (await this.onEnd(placed)) === undefined;
      if (isRemoved) return { kind: "cancelled" };
      if (queued?.state === "queued") return { kind: "failed" };
    }
    if (queued === undefined) {
      const ended = await this.onEnd(placed);
      return { kind: ended === undefined ? "failed" : "refused" };
    }
    return this.isTargeted ? this.interrupt(placed) : { kind: "unsupported" };
  }

  private async interrupt(placed: Placed): Promise<CancelAnswer> {
    if (!(await placed.server.interrupt(placed.id))) return { kind: "unsupported" };
    let ended = await this.onEnd(placed);
    for (let reads = 0; ended === undefined && reads < limits.providers.cancelReads; reads++) {
      await this.pause(limits.providers.cancelReadMs);
      ended = await this.onEnd(placed);
    }
    if (ended === undefined) return { kind: "requested" };
    if (computeEnd(ended, this.endTerms).state === "succeeded") return { kind: "refused" };
    if (!this.endTerms.billedPartway) return { kind: "stopped_partway", billedFraction: 0 };
    const billedFraction = ranShare(ended);
    return { kind: "stopped_partway", ...(billedFraction === undefined ? {} : { billedFraction }) };
  }

  private onEnd({ server, id }: Placed): Promise<EndedPrompt | undefined> {
    return server.history(id);
  }

  async verifyCallback(): Promise<CallbackVerdict> {
    return { ok: false };
  }

  /** One healthy server of several is enough to go on. */
  async health(): Promise<Health> {
    const healths = await Promise.all(this.servers.map((server) => server.health()));
    if (healths.every((health) => health === "up")) return "up";
    return healths.every((health) => health === "down") ? "down" : "degraded";
  }

  forget(ref: ProviderRef): void {
    const placed = this.parse(ref);
    placed?.server.progress.unwatch(placed.id);
  }

  close(): void {
    for (const { progress } of this.servers) progress.close();
  }

  private parse(ref: ProviderRef): Placed | undefined {
    const [, id, url] = refPattern.exec(ref) ?? [];
    const server = this.servers.find((one) => one.url === url);
    return id === undefined || server === undefined ? undefined : { server, id };
  }

  private pause(delayMs: number): Promise<void> {
    return new Promise((resolve) => void this.clock.after(delayMs, resolve));
  }
}

export const openComfyui: OpenAdapter = (config, ports) => new Comfyui(config, ports);

const isTaken = check<{ readonly prompt_id: string }>(
  Type.Object({ prompt_id: Type.String({ pattern: `^${promptId}$` }) }),
);

const refPattern = new RegExp(`^(${promptId})@(.+)$`);

function getRef({ server, id }: Placed): ProviderRef {
  return `${id}@${server.url}`;
}

/** Whether a call was answered; rethrows errors that are not the server's fault. */
function isAnswered<Answer>(
  one: PromiseSettledResult<Answer>,
): one is PromiseFulfilledResult<Answer> {
  if (one.status === "fulfilled") return true;
  if (one.reason instanceof PortError || one.reason instanceof ReplyError) return false;
  throw one.reason;
}
