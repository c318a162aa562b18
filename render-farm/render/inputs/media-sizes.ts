import { join } from "node:path";
import { omitUndefined } from "../../../config/defined.ts";
import { PortError } from "../../../engine/ports/port-error.ts";
import type { MeasuredMedia, Measurement } from "../../../timeline/export/measurement.ts";
import { getName, getRef } from "../../../timeline/export/names.ts";
import type { Clip } from "../../../timeline/model.ts";
import type { Looked } from "../../media/recordings.ts";
import { fetchSource, type Source } from "../../node/workspace.ts";
import type { RenderStage } from "../render-stage.ts";

/** Sizes and durations of a composition's media, without decoding; unreadable ones are warnings. */
export class MediaSizes {
  private readonly stage: RenderStage;
  private readonly byRef = new Map<string, MeasuredMedia>();
  private readonly secondsByKey = new Map<string, number>();
  private files = 0;

  constructor(stage: RenderStage) {
    this.stage = stage;
  }

  /** Inspects media two at a time, because each inspection starts a program. */
  async look(clips: readonly Clip[]): Promise<void> {
    const clipsByRef = new Map<string, Clip>();
    for (const clip of clips)
      if (clip.media?.source !== undefined && !clipsByRef.has(getRef(clip.media.source)))
        clipsByRef.set(getRef(clip.media.source), clip);
    const waiting = clipsByRef.entries();
    const lookAtSome = async (): Promise<void> => {
      for (const [ref, clip] of waiting) await this.lookAt(ref, clip);
    };
    await Promise.all([lookAtSome(), lookAtSome()]);
  }

  getSeconds({ objectKey }: Source): number | undefined {
    return this.secondsByKey.get(objectKey);
  }

  /** Size of a clip's picture, if it is known. */
  getSize({ media }: Clip): { readonly width: number; readonly height: number } | undefined {
    const { width, height } = (media?.source && this.byRef.get(getRef(media.source))) ?? {};
    return width === undefined || height === undefined ? undefined : { width, height };
  }

  /** Records the sizes that the page reports for its images, each by the clip that shows it. */
  takeImages(clips: readonly Clip[], places: Measurement["places"]): void {
    for (const { kind, key, media } of clips) {
      const { width = 0, height = 0 } = places[key]?.picture ?? {};
      if (kind === "image" && media?.source !== undefined && width > 0 && height > 0)
        this.byRef.set(getRef(media.source), { width, height });
    }
  }

  all(): Readonly<Record<string, MeasuredMedia>> {
    return Object.fromEntries(this.byRef);
  }

  private async lookAt(ref: string, clip: Clip): Promise<void> {
    const { objects, folder, tools, context, warnings, bundle } = this.stage;
    const source = clip.media?.source && bundle.findSource(clip.media.source);
    if (source === undefined) return;
    try {
      const path = join(folder, `media-${this.files++}`);
      const file = await fetchSource(objects, source, path, context.signal);
      // An image's size is reported by the page.
      if (file.mimeType.startsWith("image/")) return;
      const looked = await tools.known.look(tools.media, file, context.signal);
      this.byRef.set(ref, toMeasuredMedia(looked));
      this.secondsByKey.set(source.objectKey, looked.recording.durationSeconds);
    } catch (failure) {
      if (!(failure instanceof PortError) || failure.retryable) throw failure;
      warnings.add(`${getName(clip)}: ${failure.message}`);
    }
  }
}

function toMeasuredMedia({ recording, streams }: Looked): MeasuredMedia {
  const { picture, durationSeconds: seconds, hasAudio } = recording;
  const sound = streams.find(({ codec_type: type }) => type === "audio");
  const timecode = streams
    .map(({ tags }) => tags?.["timecode"])
    .find((tag) => typeof tag === "string" && /^\d\d:\d\d:\d\d[:;]\d\d$/.test(tag));
  return {
    seconds,
    channels: hasAudio ? (sound?.channels ?? 2) : 0,
    ...omitUndefined({
      width: picture?.width,
      height: picture?.height,
      frameRate: picture?.frameRate,
    }),
    ...(typeof timecode === "string" && { timecode }),
  };
}
