/**
 * Client of the design host's API. The token goes to that host alone, without redirects; pictures
 * are fetched from wherever the API says, without the token, and not from private addresses unless
 * the host itself is at one.
 */

import { limits } from "../../config/limits.ts";
import { invariant } from "../../engine/invariant.ts";
import { PortError } from "../../engine/ports/port-error.ts";
import type { Web, WebAnswer } from "../../engine/ports/web.ts";
import type { FigmaFrame } from "../../timeline/figma/figma-frame.ts";
import type { Insertion, InsertTask } from "../../timeline/figma/figma-insertion.ts";
import { Fields } from "../../timeline/figma/figma-node.ts";
import type { FigmaPlace } from "../../timeline/figma/figma-place.ts";
import type { FigmaResult, FigmaTask } from "../../timeline/figma/figma-task.ts";
import { RefusalError } from "../exchange/refusal-error.ts";

/** Throws the task's errors, and `PortError`, which is not retryable for exceeded limits. */
export type RunFigmaTask = (task: FigmaTask) => Promise<FigmaResult>;

/** Access of one import to the design host. */
export interface FigmaAccess {
  readonly token: string;
  readonly place: FigmaPlace;
  readonly signal: AbortSignal;
}

export class FigmaHost {
  private readonly runTask: RunFigmaTask;
  private readonly web: Web;
  private readonly url: string;
  private underWay = 0;

  /** `url` is the origin of the API. */
  constructor(web: Web, url: string, runTask: RunFigmaTask) {
    this.web = web;
    this.url = url;
    this.runTask = runTask;
  }

  /** Throws `RefusalError` with 503 while too many imports are under way. */
  async runImport<T>(run: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (this.underWay >= limits.figma.importsMax) {
      const detail = "Other imports are in progress. Try again shortly.";
      throw new RefusalError({ code: "unavailable", retryAfterSeconds: busySeconds, detail });
    }
    this.underWay += 1;
    try {
      return await run(AbortSignal.timeout(limits.figma.importMs));
    } finally {
      this.underWay -= 1;
    }
  }

  /** Reads the frame of the design. Throws `RefusalError`. */
  async frame(access: FigmaAccess, includesHidden: boolean): Promise<FigmaFrame> {
    const { fileKey, nodeId } = access.place;
    const path = `/v1/files/${fileKey}/nodes?${new URLSearchParams({ ids: nodeId })}`;
    const answer = await this.ask(access, path, limits.figma.nodesBytesMax);
    const task = { kind: "read", answer, nodeId, includesHidden } as const;
    const result = await this.runTask(task).catch((cause: unknown) => {
      throw upstream("The design host sent a response that could not be read.", cause);
    });
    invariant(!isInsertion(result), "a frame is read");
    return result;
  }

  /** Inserts layers into the markup. Throws `PortError`. */
  async insert(task: InsertTask): Promise<Insertion> {
    const result = await this.runTask({ kind: "insert", ...task });
    invariant(isInsertion(result), "layers are inserted");
    return result;
  }

  /** URLs of pictures by the nodes' ids; null for what the host could not draw. */
  async imageUrls(
    access: FigmaAccess,
    nodeIds: readonly string[],
    scale: number,
  ): Promise<ReadonlyMap<string, string | null>> {
    const query = new URLSearchParams({
      ids: nodeIds.join(","),
      format: "png",
      scale: String(scale),
      use_absolute_bounds: "true",
    });
    const path = `/v1/images/${access.place.fileKey}?${query}`;
    const answer = await this.ask(access, path, limits.figma.imageListBytesMax);
    const images = new Fields(parse(answer)).fields("images");
    return new Map(nodeIds.map((id) => [id, images?.text(id, "", urlCharsMax) || null]));
  }

  /** Downloads the bytes of a picture. Throws `RefusalError`. */
  async *image(url: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const mayBePrivate = await this.web.isPrivate(new URL(this.url).hostname);
    const { redirectsMax } = limits.figma;
    if (!URL.canParse(url)) throw upstream("The design host named a picture that does not exist.");
    const answer = await this.reach({ url, redirectsMax, mayBePrivate, signal });
    if (answer.status !== 200) {
      answer.discard();
      throw upstream(`A picture of the design could not be fetched: ${answer.status}.`);
    }
    yield* readBytes(answer);
  }

  private async ask(
    { token, signal }: FigmaAccess,
    path: string,
    bytesMax: number,
  ): Promise<Buffer> {
    const headers = { "x-figma-token": token };
    const url = this.url + path;
    const answer = await this.reach({ url, headers, redirectsMax: 0, mayBePrivate: true, signal });
    if (answer.status !== 200) {
      answer.discard();
      throw findRefusal(answer);
    }
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of readBytes(answer)) {
      bytes += chunk.length;
      if (bytes > bytesMax) throw upstream("The design host sent a response that is too large.");
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  }

  private async reach(request: Parameters<Web["ask"]>[0]): Promise<WebAnswer> {
    try {
      return await this.web.ask(request);
    } catch (error) {
      throw onUnreached(error);
    }
  }
}

function isInsertion(result: FigmaResult): result is Insertion {
  return result.kind === "inserted" || result.kind === "refused";
}

const busySeconds = 5;
const urlCharsMax = 8_192;

async function* readBytes({ body }: WebAnswer): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    throw onUnreached(error);
  }
}

function onUnreached(error: unknown): unknown {
  if (!(error instanceof PortError)) return error;
  const says = error.retryable
    ? "The design host did not answer."
    : "The design host named an address that is not allowed.";
  return upstream(says, error);
}

/** Translates the host's answer into a refusal of this service. */
function findRefusal({ status, headers }: WebAnswer): RefusalError {
  if (status === 403)
    return new RefusalError({
      code: "forbidden",
      detail: "The design host rejected this access token or denied it access to this file.",
    });
  if (status === 404)
    return new RefusalError({ code: "not_found", detail: "The design host has no such file." });
  if (status === 429) {
    const seconds = Number(headers["retry-after"]);
    const retryAfterSeconds = Number.isFinite(seconds) && seconds > 0 ? Math.ceil(seconds) : 60;
    const detail =
      "The design host's rate limit for this access token is reached. Try again later.";
    return new RefusalError({ code: "rate_limit", retryAfterSeconds, detail });
  }
  return upstream(`The design host answered ${status}.`);
}

function upstream(detail: string, cause?: unknown): RefusalError {
  return Object.assign(new RefusalError({ code: "upstream", detail }), { cause });
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch (cause) {
    throw upstream("The design host sent a response that is not valid JSON.", cause);
  }
}

declare module "../service.ts" {
  interface Service {
    readonly figma: FigmaHost;
  }
}
