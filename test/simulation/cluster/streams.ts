/**
 * Streams of jobs, as nodes serve them to clients: each sends rising versions, one `complete`, and
 * then ends (I11). What is sent was read, so it never goes back behind what was read before.
 */
import { jobKey } from "../../../actors/protocol/job.ts";
import type { Gateway } from "../../../engine/gateway.ts";
import type { Id } from "../../../engine/id.ts";
import { partitionOfId } from "../../../engine/id.ts";
import { ShardDown } from "../../../engine/reading/shard-end.ts";
import { SignedUrls } from "../../../http/auth/signed-urls.ts";
import { JobReads } from "../../../http/jobs/job-reads.ts";
import { streamJob } from "../../../http/jobs/job-stream.ts";
import { Following, hasEnded } from "../../../http/streams/job-watchers.ts";
import { Frames } from "../../../http/streams/sse-connection.ts";
import { streamStates } from "../../../http/streams/state-stream.ts";
import type { SimCluster } from "./sim-cluster.ts";
import type { WorkParts } from "./surroundings.ts";

/** A job that was accepted, as far as clients know it. */
export interface Accepted {
  readonly id: Id;
  readonly scope: Id;
  revision: number;
  end: string | undefined;
}

/** What serves streams in one life of a node. */
interface StreamLife {
  readonly parts: WorkParts;
  readonly following: Following;
  readonly jobs: JobReads;
}

interface OpenStream {
  readonly job: Accepted;
  readonly gateway: Gateway;
  revision: number;
  isComplete: boolean;
  hasEnded: boolean;
}

const urls = new SignedUrls("http://sim", () => ({ current: "k".repeat(32), previous: null }));
const frame = /^event: (\w+)\n(?:id: (\S+):(\d+)\n)?data: (.*)\n\n$/;

export class Streams {
  private readonly cluster: () => SimCluster;
  private readonly lives = new WeakMap<Gateway, StreamLife>();
  private readonly streams: OpenStream[] = [];

  constructor(cluster: () => SimCluster) {
    this.cluster = cluster;
  }

  openLife(parts: WorkParts): { drain(shard: number): void } {
    const { gateway, clock } = parts;
    const following = new Following(gateway);
    this.lives.set(gateway, { parts, following, jobs: new JobReads(gateway, urls, clock, "") });
    return { drain: (shard) => following.drainShard(shard) };
  }

  /** Where the job's shard is read on this node, as its owner. */
  open(gateway: Gateway, job: Accepted): void {
    const life = this.lives.get(gateway);
    const shard = gateway.shardOfPartition(partitionOfId(job.id));
    if (life === undefined || !gateway.reads(shard)) return;
    const { following, jobs, parts } = life;
    const stream = { job, gateway, revision: 0, isComplete: false, hasEnded: false };
    this.streams.push(stream);
    const frames = new Frames({
      write: (chunk) => this.hear(stream, String(chunk)),
      unsent: () => 0,
      onDrain() {},
      end: () => {
        stream.hasEnded = true;
        frames.close();
      },
      abort() {},
    });
    frames.open(following, parts.clock, job.scope);
    streamStates({ gateway, clock: parts.clock }, streamJob({ jobs }, job.id), frames);
  }

  /** Where a job has ended, so has each stream of it that its shard's owner serves. */
  wrongAtEnd(): string | undefined {
    for (const { job, gateway, hasEnded: isOver } of this.streams) {
      const { nodes } = this.cluster();
      if (isOver || !nodes.some((node) => node.gateway === gateway)) continue;
      try {
        const head = gateway.read(jobKey(job.id));
        if (head !== undefined && hasEnded(head))
          return `I11: job ${job.id} has ended, and a stream of it has not`;
      } catch (error) {
        if (!(error instanceof ShardDown)) throw error;
      }
    }
    return undefined;
  }

  private hear(stream: OpenStream, text: string): boolean {
    const [, event, , revision, data] = frame.exec(text) ?? [];
    if (event !== undefined) {
      const wrong = findWrong(stream, event, Number(revision), JSON.parse(data ?? "{}"));
      if (wrong !== undefined)
        this.cluster().fail(`I11: a stream of job ${stream.job.id} ${wrong}`);
    }
    return true;
  }
}

function findWrong(
  stream: OpenStream,
  event: string,
  revision: number,
  { status }: { readonly status?: string },
): string | undefined {
  const { job } = stream;
  if (stream.hasEnded || stream.isComplete) return `says ${event} behind its end`;
  if (event === "reconnect") return undefined;
  const isRising = revision > stream.revision;
  // What is the last already when a stream begins is its status and its end.
  if (!isRising && !(event === "complete" && revision === stream.revision))
    return `says version ${revision} behind ${stream.revision}`;
  if (revision < job.revision) return `says version ${revision}, and ${job.revision} was read`;
  stream.revision = revision;
  job.revision = revision;
  if (event !== "complete") return undefined;
  stream.isComplete = true;
  if (job.end !== undefined && job.end !== status) return `ends with ${status}, not ${job.end}`;
  job.end = status;
  return undefined;
}
