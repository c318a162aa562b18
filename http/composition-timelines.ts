/**
 * The effective timelines of compositions as they stand, computed from their files when somebody
 * asks and kept for whoever asks next. Only files that the timeline leads to are read.
 */
import {
  type BundleFile,
  entryPath,
  isMarkup,
  objectKeyOf,
} from "../actors/composition/bundle-file.ts";
import type { Composition } from "../actors/composition/composition.ts";
import { assetKey } from "../actors/tables.ts";
import type { Bundle, MediaSource } from "../actors/timeline/bundle.ts";
import type { Timeline } from "../actors/timeline/model.ts";
import { effectiveTimeline } from "../actors/timeline/timeline.ts";
import { limits } from "../config/limits.ts";
import type { Gateway } from "../engine/gateway.ts";
import { type Id, parseId } from "../engine/id.ts";
import type { Objects } from "../engine/ports/objects.ts";
import { RefusalError } from "./refusal-error.ts";

const keptMax = 64;

export class CompositionTimelines {
  private readonly gateway: Gateway;
  private readonly objects: Objects;
  private readonly kept = new Map<string, Timeline>();

  constructor(gateway: Gateway, objects: Objects) {
    this.gateway = gateway;
    this.objects = objects;
  }

  /** Throws `RefusalError` with 413 for more text than one timeline may have. */
  async of({ id, scope, revision }: Composition, files: readonly BundleFile[]): Promise<Timeline> {
    const name = `${id} ${revision}`;
    const known = this.kept.get(name);
    if (known !== undefined) return known;
    const timeline = await this.compute(id, scope, files);
    this.kept.set(name, timeline);
    const [oldest] = this.kept.keys();
    if (this.kept.size > keptMax && oldest !== undefined) this.kept.delete(oldest);
    return timeline;
  }

  /** Each round reads what the round before it missed. */
  private async compute(id: Id, scope: Id, files: readonly BundleFile[]): Promise<Timeline> {
    const byPath = new Map(files.map((file) => [file.path, file]));
    const texts = new Map<string, string>();
    let bytes = 0;
    for (;;) {
      const missed = new Set<string>();
      const bundle: Bundle = {
        entry: entryPath,
        has: (path) => byPath.has(path),
        read(path) {
          const file = byPath.get(path);
          if (file !== undefined && isMarkup(file) && !texts.has(path)) missed.add(path);
          return texts.get(path);
        },
        mediaSeconds: (source) => this.secondsOf(source, scope),
      };
      const timeline = effectiveTimeline(bundle);
      if (missed.size === 0) return timeline;
      for (const path of missed) {
        const file = byPath.get(path);
        bytes += file?.size ?? 0;
        if (bytes > limits.compositions.timelineBytesMax) throw new RefusalError(tooLong);
        texts.set(path, file === undefined ? "" : await this.text(id, file));
      }
    }
  }

  private async text(id: Id, file: BundleFile): Promise<string> {
    const chunks: Uint8Array[] = [];
    const range = { start: 0, end: file.size };
    for await (const chunk of this.objects.read(objectKeyOf(id, file), range)) chunks.push(chunk);
    return Buffer.concat(chunks).toString("utf8");
  }

  /** Only of assets: the bundle's own media are looked into when they are rendered. */
  private secondsOf(source: MediaSource, scope: Id): number | undefined {
    const id = source.kind === "asset" ? parseId(source.assetId) : undefined;
    const asset = id === undefined ? undefined : this.gateway.read(assetKey(scope, id));
    return asset?.phase === "ready" ? asset.media.durationSeconds : undefined;
  }
}

const tooLong = {
  code: "payload_too_large",
  limitBytes: limits.compositions.timelineBytesMax,
  detail: "The markup of this composition is too long for one timeline.",
} as const;
