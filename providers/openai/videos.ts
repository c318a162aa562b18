/** Videos of OpenAI's API, which are generated after their submit is answered. */

import type { CancelAnswer } from "../../actors/protocol/job.ts";
import type { Clock } from "../../engine/ports/clock.ts";
import {
  GoneError,
  type ProviderResult,
  type ProviderStatus,
  ReplyError,
  type SubmitOutcome,
} from "../provider.ts";
import { answerToSubmit, checkAvailable, type ProviderHttp, understand } from "../provider-http.ts";
import { fileBytes, isGone, unavailable } from "../replies.ts";
import { readState } from "../state-words.ts";
import {
  type FindModeration,
  isVideo,
  refusalBy,
  type Video,
  videoId,
  videoStatus,
} from "./openai-replies.ts";
import type { OpenaiRequest } from "./openai-requests.ts";

export interface VideoPorts {
  readonly http: ProviderHttp;
  readonly clock: Clock;
  readonly findModeration: FindModeration;
  /** Whether unfinished videos may be deleted to cancel them. */
  readonly deleteCancels: boolean;
}

export class Videos {
  private readonly ports: VideoPorts;

  constructor(ports: VideoPorts) {
    this.ports = ports;
  }

  async submit({ path, call }: OpenaiRequest): Promise<SubmitOutcome> {
    const { http, clock, findModeration } = this.ports;
    const answer = await answerToSubmit(http.ask(path, call));
    if (answer.kind !== "answered") return answer;
    const { reply } = answer;
    if (reply.status >= 300) return refusalBy(reply, clock.nowMs(), findModeration);
    if (!isVideo(reply.json)) return { kind: "unknown" };
    const status = videoStatus(reply.json, findModeration);
    return { kind: "accepted", ref: videoRef(reply.json.id), status };
  }

  async status(id: string): Promise<ProviderStatus> {
    const video = await this.read(id);
    return video === undefined ? { state: "lost" } : videoStatus(video, this.ports.findModeration);
  }

  async result(id: string): Promise<ProviderResult> {
    const { http } = this.ports;
    const video = await this.read(id);
    if (video === undefined || readState(video.status) !== "succeeded")
      throw new GoneError("the provider has no result of the video");
    const headers = { accept: "*/*" };
    const open = async (signal: AbortSignal) =>
      fileBytes(await http.open(`${getPath(id)}/content?variant=video`, signal, { headers }));
    return { files: [{ kind: "stream", open }] };
  }

  /** The API has no cancel, but some servers treat a deletion as one. */
  async cancel(id: string): Promise<CancelAnswer> {
    const { http, deleteCancels } = this.ports;
    if (!deleteCancels) return { kind: "unsupported" };
    const video = await this.read(id);
    if (video === undefined) return { kind: "failed" };
    const state = readState(video.status);
    if (state !== "queued" && state !== "running") return { kind: "refused" };
    const reply = await http.ask(getPath(id), { method: "DELETE" });
    switch (reply.status) {
      case 200:
      case 204:
        return { kind: state === "queued" ? "cancelled" : "stopped_partway" };
      case 400:
      case 409:
        return { kind: "refused" };
      case 404:
        return { kind: "failed" };
      case 405:
      case 501:
        return { kind: "unsupported" };
      default:
        throw unavailable(reply);
    }
  }

  /** The video, or undefined when it does not exist. */
  private async read(id: string): Promise<Video | undefined> {
    const reply = await this.ports.http.ask(getPath(id));
    if (isGone(reply)) return undefined;
    checkAvailable(reply);
    const video = understand(isVideo, reply);
    if (reply.status !== 200 || video.id !== id)
      throw new ReplyError("The provider returned a different video than requested.");
    return video;
  }
}

function getPath(id: string): string {
  return `/v1/videos/${id}`;
}

export function videoRef(id: string): string {
  return `video:${id}`;
}

const refPattern = new RegExp(`^video:(${videoId})$`);

/** Id of the video, or undefined when the reference is not to a video. */
export function getVideo(ref: string): string | undefined {
  return refPattern.exec(ref)?.[1];
}
