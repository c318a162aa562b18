import {
  type EditList,
  type EditMedia,
  editFps,
  type PictureClip,
  type SoundClip,
  type Track,
} from "../edit-list.ts";
import type { Notes } from "../notes.ts";
import { timeText } from "../spans.ts";
import { audioFilters, pictureFilters } from "./xmeml-filters.ts";
import { type Tag, tag, writeXml } from "./xml.ts";

/**
 * Final Cut Pro 7 XML (xmeml version 5), for Premiere Pro and DaVinci Resolve.
 *
 * 1. Every `rate` states timebase and ntsc; every time is a whole frame.
 * 2. A `file` is written in full once.
 * 3. What the format lacks is noted.
 */
export function writeXmeml(list: EditList, notes: Notes): string {
  const book = new ClipBook(list, notes);
  const { width, height, frames, name, compositionId } = list;
  const format = tag("format", [
    tag("samplecharacteristics", [
      rate,
      tag("width", width),
      tag("height", height),
      tag("anamorphic", "FALSE"),
      tag("pixelaspectratio", "square"),
      tag("fielddominance", "none"),
      tag("colordepth", 24),
    ]),
  ]);
  const sound = tag("format", [
    tag("samplecharacteristics", [tag("depth", 16), tag("samplerate", 48_000)]),
  ]);
  const video = tag("video", [format, ...book.pictureTracks()]);
  const audio = tag("audio", [tag("numOutputChannels", 2), sound, ...book.soundTracks()]);
  const sequence = tag(
    "sequence",
    [
      tag("uuid", compositionId),
      tag("name", name),
      tag("duration", frames),
      rate,
      timecode("00:00:00:00", 0),
      tag("media", [video, audio]),
      ...list.markers.map((marker) =>
        tag("marker", [
          tag("name", marker.name),
          tag("comment", "drawn by the page"),
          tag("in", marker.start),
          tag("out", marker.end),
        ]),
      ),
    ],
    { id: "sequence-1" },
  );
  return writeXml(tag("xmeml", [sequence], { version: "5" }));
}

/** Rate tag, which is stated wherever there are times. */
const rate = tag("rate", [tag("timebase", editFps), tag("ntsc", "FALSE")]);

function timecode(text: string, frame: number): Tag {
  return tag("timecode", [
    rate,
    tag("string", text),
    tag("frame", frame),
    tag("displayformat", "NDF"),
  ]);
}

function truth(is: boolean): string {
  return is ? "TRUE" : "FALSE";
}

/** A clipitem to be written: a picture, or one channel of a sound. */
interface Item {
  readonly id: string;
  readonly mediaType: "video" | "audio";
  readonly trackIndex: number;
  readonly clipIndex: number;
}

interface SoundTrack {
  readonly track: Track<SoundClip>;
  /** Channel of the track's sources, from 1. */
  readonly channel: number;
}

class ClipBook {
  private readonly list: EditList;
  private readonly notes: Notes;
  private readonly pictures: readonly Track<PictureClip>[];
  private readonly sounds: readonly SoundTrack[];
  private readonly itemsByClip = new Map<PictureClip | SoundClip, Item[]>();
  /** All items of what was written as one clip, by the clip's key. */
  private readonly linked = new Map<string, Item[]>();
  private readonly written = new Set<string>();

  constructor(list: EditList, notes: Notes) {
    this.list = list;
    this.notes = notes;
    this.pictures = list.pictures.map((track) => ({
      ...track,
      clips: track.clips.filter((clip) => this.isWritable(clip)),
    }));
    this.sounds = list.sounds.flatMap((track) => {
      const isStereo = track.clips.some(({ media }) => media.channels > 1);
      return isStereo
        ? [
            { track, channel: 1 },
            { track, channel: 2 },
          ]
        : [{ track, channel: 1 }];
    });
    this.number();
  }

  pictureTracks(): readonly Tag[] {
    return this.pictures.map(({ clips, isEnabled, isLocked }) =>
      tag("track", [
        ...clips.flatMap((clip, at) => this.pictureItem(clip, clips[at + 1])),
        tag("enabled", truth(isEnabled)),
        tag("locked", truth(isLocked)),
      ]),
    );
  }

  soundTracks(): readonly Tag[] {
    return this.sounds.map(({ track, channel }) =>
      tag("track", [
        ...getClips({ track, channel }).map((clip) => this.soundItem(clip, channel)),
        tag("enabled", truth(track.isEnabled)),
        tag("locked", truth(track.isLocked)),
        tag("outputchannelindex", channel),
      ]),
    );
  }

  /** Sets ids and places first: a clip names those that it is linked with, wherever they are. */
  private number(): void {
    let count = 0;
    const add = (clip: PictureClip | SoundClip, place: Omit<Item, "id">): void => {
      const item = { ...place, id: `clipitem-${++count}` };
      this.itemsByClip.set(clip, [...(this.itemsByClip.get(clip) ?? []), item]);
      this.linked.set(clip.key, [...(this.linked.get(clip.key) ?? []), item]);
    };
    for (const [track, { clips }] of this.pictures.entries())
      for (const [at, clip] of clips.entries())
        add(clip, { mediaType: "video", trackIndex: track + 1, clipIndex: at + 1 });
    for (const [track, sound] of this.sounds.entries())
      for (const [at, clip] of getClips(sound).entries())
        add(clip, { mediaType: "audio", trackIndex: track + 1, clipIndex: at + 1 });
  }

  private isWritable({ content, name, heldFrom }: PictureClip): boolean {
    if (content.kind === "text" && content.text.picture === undefined) {
      this.notes.add(`${name} is left out: no render worker could draw its letters`);
      return false;
    }
    if (heldFrom !== 0) return true;
    this.notes.add(`${name} holds the last picture of its source from its start and is left out`);
    return false;
  }

  private pictureItem(clip: PictureClip, next: PictureClip | undefined): readonly Tag[] {
    const { start, heldFrom, from, rate: speed, content, hasAlpha } = clip;
    const [item] = this.itemsByClip.get(clip) ?? [];
    const end = heldFrom === undefined ? clip.end : start + heldFrom;
    if (heldFrom !== undefined)
      this.notes.add(
        `${clip.name} holds the last picture of its source from ${timeText(end)} to ${timeText(clip.end)}; in sequence.xml it ends there`,
      );
    const isFollowed = next?.dissolvesUntil !== undefined && next.dissolvesUntil === clip.end;
    const isDissolving = clip.dissolvesUntil !== undefined;
    const out = from + Math.round((end - start) * speed);
    const media = content.kind === "media" ? content.media : undefined;
    const length = media?.frames ?? out;
    const tags = this.clipItem(clip, item?.id ?? "", {
      path: getPath(clip),
      length: Math.max(length, out),
      start: isDissolving ? -1 : start,
      end: isFollowed && heldFrom === undefined ? -1 : end,
      out,
      alpha: hasAlpha ? "straight" : "none",
      file:
        media === undefined ? this.textFile(clip, out) : this.file(media, Math.max(length, out)),
      filters: pictureFilters(clip, this.list, { isDissolving }, this.notes),
      channel: undefined,
    });
    return isDissolving ? [dissolve(start, clip.dissolvesUntil ?? start), tags] : [tags];
  }

  private soundItem(clip: SoundClip, channel: number): Tag {
    const { media, from, start, end, rate: speed } = clip;
    const items = this.itemsByClip.get(clip) ?? [];
    const out = from + Math.round((end - start) * speed);
    return this.clipItem(clip, items[channel - 1]?.id ?? "", {
      path: media.path,
      length: Math.max(media.frames ?? out, out),
      start,
      end,
      out,
      alpha: "none",
      file: this.file(media, Math.max(media.frames ?? out, out)),
      filters: audioFilters(clip),
      channel,
    });
  }

  private clipItem(clip: PictureClip | SoundClip, id: string, parts: ItemParts): Tag {
    const items = this.linked.get(clip.key) ?? [];
    return tag(
      "clipitem",
      [
        tag("masterclipid", `masterclip-${numberIn(parts.path)}`),
        tag("name", baseName(parts.path)),
        tag("enabled", truth(clip.isEnabled)),
        tag("duration", parts.length),
        rate,
        tag("start", parts.start),
        tag("end", parts.end),
        tag("in", clip.from),
        tag("out", parts.out),
        tag("alphatype", parts.alpha),
        parts.file,
        ...parts.filters,
        ...(items.length > 1 ? items.map(link) : []),
        ...(parts.channel === undefined
          ? []
          : [tag("sourcetrack", [tag("mediatype", "audio"), tag("trackindex", parts.channel)])]),
      ],
      { id },
    );
  }

  private file(media: EditMedia, length: number): Tag {
    const id = fileId(media.path);
    if (this.written.has(id)) return tag("file", [], { id });
    this.written.add(id);
    const { width, height, channels, kind, timecode: code, timecodeFrame } = media;
    const size = [
      ...(width === undefined ? [] : [tag("width", width)]),
      ...(height === undefined ? [] : [tag("height", height)]),
    ];
    const picture = tag("video", [tag("samplecharacteristics", [rate, ...size])]);
    const sound = tag("audio", [
      tag("samplecharacteristics", [tag("depth", 16), tag("samplerate", 48_000)]),
      tag("channelcount", channels),
    ]);
    return fileTag(media.path, length, timecode(code, timecodeFrame), [
      ...(kind === "audio" ? [] : [picture]),
      ...(kind !== "image" && channels > 0 ? [sound] : []),
    ]);
  }

  private textFile(clip: PictureClip, length: number): Tag {
    if (clip.content.kind !== "text" || clip.content.text.picture === undefined)
      return tag("file", []);
    const { path, width, height } = clip.content.text.picture;
    const size = [tag("width", width), tag("height", height)];
    const picture = tag("video", [tag("samplecharacteristics", [rate, ...size])]);
    return fileTag(path, length, timecode("00:00:00:00", 0), [picture]);
  }
}

interface ItemParts {
  readonly path: string;
  readonly length: number;
  readonly start: number;
  readonly end: number;
  readonly out: number;
  readonly alpha: "none" | "straight";
  readonly file: Tag;
  readonly filters: readonly Tag[];
  readonly channel: number | undefined;
}

function fileTag(path: string, length: number, start: Tag, media: readonly Tag[]): Tag {
  return tag(
    "file",
    [
      tag("name", baseName(path)),
      tag("pathurl", path),
      rate,
      tag("duration", length),
      start,
      tag("media", media),
    ],
    { id: fileId(path) },
  );
}

function dissolve(start: number, end: number): Tag {
  return tag("transitionitem", [
    tag("start", start),
    tag("end", end),
    tag("alignment", "center"),
    rate,
    tag("effect", [
      tag("name", "Cross Dissolve"),
      tag("effectid", "Cross Dissolve"),
      tag("effectcategory", "Dissolve"),
      tag("effecttype", "transition"),
      tag("mediatype", "video"),
    ]),
  ]);
}

function link({ id, mediaType, trackIndex, clipIndex }: Item): Tag {
  return tag("link", [
    tag("linkclipref", id),
    tag("mediatype", mediaType),
    tag("trackindex", trackIndex),
    tag("clipindex", clipIndex),
    ...(mediaType === "audio" ? [tag("groupindex", 1)] : []),
  ]);
}

/** Returns the clips that have this channel: a sound of one channel has no second one. */
function getClips({ track, channel }: SoundTrack): readonly SoundClip[] {
  return track.clips.filter(({ media }) => media.channels >= channel);
}

function fileId(path: string): string {
  return `file-${numberIn(path)}`;
}

/** Returns the name of a path's number, such as `media-0001`. */
function numberIn(path: string): string {
  return path.replace(/^(\w+)\/(\d+).*$/, "$1-$2");
}

function getPath({ content }: PictureClip): string {
  return content.kind === "text" ? (content.text.picture?.path ?? "") : content.media.path;
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
