import { extensionByType } from "../../config/media-types.ts";
import type { MediaSource } from "../bundle.ts";
import { type EditMedia, editFps } from "./edit-list.ts";
import type { MeasuredMedia } from "./measurement.ts";
import { createNumberedPath, getRef, getSlug } from "./names.ts";

/** A file or an asset that exists. */
export interface StoredMedia {
  readonly mimeType: string;
  /** Last part of the path, or the name of the asset. */
  readonly name: string;
  readonly width?: number;
  readonly height?: number;
  readonly seconds?: number;
  readonly hasAudio?: boolean;
}

/** The media of an export, each numbered when it is used first. */
export class Sources {
  private readonly stored: ReadonlyMap<string, StoredMedia>;
  private readonly measured: Readonly<Record<string, MeasuredMedia>>;
  private readonly byRef = new Map<string, EditMedia>();

  constructor(
    stored: ReadonlyMap<string, StoredMedia>,
    measured: Readonly<Record<string, MeasuredMedia>>,
  ) {
    this.stored = stored;
    this.measured = measured;
  }

  /** Returns a source's media, or undefined when the source does not exist. */
  find(source: MediaSource, as: EditMedia["kind"]): EditMedia | undefined {
    const ref = getRef(source);
    const known = this.byRef.get(ref);
    const file = this.stored.get(ref);
    if (known !== undefined || file === undefined) return known;
    const found = Object.hasOwn(this.measured, ref) ? this.measured[ref] : undefined;
    const seconds = found?.seconds ?? file.seconds;
    const kind = getKind(file.mimeType) ?? as;
    const extension = getExtension(file);
    const { timecode = "00:00:00:00", frameRate = editFps } = found ?? {};
    const media: EditMedia = {
      kind,
      ref,
      assetId: source.kind === "asset" ? source.assetId : undefined,
      path: createNumberedPath(
        "media",
        this.byRef.size + 1,
        getSlug(withoutExtension(file.name), kind),
        extension,
      ),
      width: found?.width ?? file.width,
      height: found?.height ?? file.height,
      frames: kind === "image" || seconds === undefined ? undefined : Math.round(seconds * editFps),
      channels: found?.channels ?? (kind === "audio" || file.hasAudio === true ? 2 : 0),
      timecode,
      timecodeFrame: frameOfTimecode(timecode, frameRate),
    };
    this.byRef.set(ref, media);
    return media;
  }

  listUsed(): readonly EditMedia[] {
    return [...this.byRef.values()];
  }
}

function getKind(mimeType: string): EditMedia["kind"] | undefined {
  const [kind] = mimeType.split("/");
  return kind === "video" || kind === "audio" || kind === "image" ? kind : undefined;
}

function withoutExtension(name: string): string {
  return name.replace(/\.[^.]{0,8}$/, "");
}

function getExtension({ name, mimeType }: StoredMedia): string {
  const written = /\.([A-Za-z0-9]{1,8})$/.exec(name)?.[1]?.toLowerCase();
  return written ?? extensionByType[mimeType] ?? "bin";
}

/** Converts to frames of the export; hours and minutes of a drop-frame count are read as is. */
function frameOfTimecode(timecode: string, frameRate: number): number {
  const [hours = 0, minutes = 0, seconds = 0, frames = 0] = timecode.split(/[:;]/).map(Number);
  const share = frameRate > 0 ? frames / frameRate : 0;
  return Math.round(((hours * 60 + minutes) * 60 + seconds + share) * editFps);
}
