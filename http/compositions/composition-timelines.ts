/**
 * Computes the effective timelines of compositions from their current files on request, and keeps
 * them for the next request. Only files that the timeline leads to are read.
 */
import { assetKey } from "../../actors/protocol/asset.ts";
import { type BundleFile, isMarkup, objectKeyFor } from "../../actors/protocol/bundle-file.ts";
import type { Composition } from "../../actors/protocol/composition.ts";
import { limits } from "../../config/limits.ts";
import type { Gateway } from "../../engine/gateway.ts";
import { type Id, parseId } from "../../engine/id.ts";
import type { Objects } from "../../engine/ports/objects.ts";
import { PortError } from "../../engine/ports/port-error.ts";
import type { Timeline } from "../../timeline/model.ts";
import type { TimelineRound, TimelineTask } from "../../timeline/timeline-thread/timeline-round.ts";
import { RefusalError } from "../exchange/refusal-error.ts";

/** Throws `PortError`, which is not retryable when the markup takes too long. */
export type ComputeRound = (task: TimelineTask) => Promise<TimelineRound>;

export class CompositionTimelines {
  private readonly gateway: Gateway;
  private readonly objects: Objects;
  private readonly round: ComputeRound;
  private readonly kept = new Map<string, Promise<Timeline>>();

  constructor(gateway: Gateway, objects: Objects, round: ComputeRound) {
    this.gateway = gateway;
    this.objects = objects;
    this.round = round;
  }

  /** Throws `RefusalError` with 413 when the markup is too large for one timeline. */
  of({ id, scope, revision }: Composition, files: readonly BundleFile[]): Promise<Timeline> {
    const name = `${id} ${revision}`;
    const known = this.kept.get(name);
    if (known !== undefined) return known;
    const timeline = this.compute(id, scope, files);
    this.kept.set(name, timeline);
    // A passing failure is forgotten, so that it can be retried; excess is permanent.
    timeline.catch((error: unknown) => {
      if (!(error instanceof RefusalError)) this.kept.delete(name);
    });
    const [oldest] = this.kept.keys();
    if (this.kept.size > limits.compositions.timelinesKept && oldest !== undefined)
      this.kept.delete(oldest);
    return timeline;
  }

  /** Each round reads the files that the round before it lacked. */
  private async compute(id: Id, scope: Id, files: readonly BundleFile[]): Promise<Timeline> {
    const byPath = new Map(files.map((file) => [file.path, file]));
    const texts = new Map<string, string>();
    const seconds = new Map<string, number | null>();
    const paths = files.map(({ path }) => path);
    const markup = files.filter(isMarkup).map(({ path }) => path);
    let bytes = 0;
    for (;;) {
      const result = await this.round({ paths, markup, texts, seconds }).catch(refuseWhenTooMuch);
      if (result.kind === "done") return result.timeline;
      for (const asset of result.assets) seconds.set(asset, this.getSeconds(asset, scope));
      for (const path of result.paths) {
        const file = byPath.get(path);
        bytes += file?.size ?? 0;
        if (bytes > limits.compositions.timelineBytesMax) throw new RefusalError(tooMuch);
        texts.set(path, file === undefined ? "" : await this.text(id, file));
      }
    }
  }

  /** Reads the text of a file of markup or edits. */
  async text(id: Id, file: BundleFile): Promise<string> {
    const chunks: Uint8Array[] = [];
    const range = { start: 0, end: file.size };
    for await (const chunk of this.objects.read(objectKeyFor(id, file), range)) chunks.push(chunk);
    return Buffer.concat(chunks).toString("utf8");
  }

  /** Knows the length of assets only; the bundle's own media are probed when they are rendered. */
  private getSeconds(name: string, scope: Id): number | null {
    const id = parseId(name);
    const asset = id === undefined ? undefined : this.gateway.read(assetKey(scope, id));
    return (asset?.phase === "ready" ? asset.media.durationSeconds : undefined) ?? null;
  }
}

function refuseWhenTooMuch(error: unknown): never {
  if (error instanceof PortError && !error.retryable)
    throw Object.assign(new RefusalError(tooMuch), { cause: error });
  throw error;
}

const tooMuch = {
  code: "payload_too_large",
  limitBytes: limits.compositions.timelineBytesMax,
  detail: "The markup of this composition is too large for one timeline.",
} as const;

declare module "../service.ts" {
  interface Service {
    readonly timelines: CompositionTimelines;
  }
}
