import { frameFrom } from "../../../timeline/model.ts";
import type { FilmSetup } from "../inputs/film-setup.ts";
import type { RenderStage } from "../render-stage.ts";
import type { CodedPicture } from "./coded-pictures.ts";
import type { ShownVideo } from "./video-decoding.ts";
import { VideoFrames, type VideoPicture } from "./video-frames.ts";

type Pictures = ReadonlyMap<string, CodedPicture | VideoPicture>;

/** Pictures of a film's videos in one frame, by clip key. */
export class StillVideos {
  /** Packets of videos that a page may decode itself, and planes of the others. */
  readonly pictures: Promise<Pictures>;
  private readonly videos: readonly ShownVideo[];
  private readonly frame: number;
  private readonly fps: number;
  private readonly stage: RenderStage;
  private readonly signal: AbortSignal;

  constructor(
    frame: number,
    { videos, timeline: { fps } }: FilmSetup,
    stage: RenderStage,
    signal: AbortSignal,
  ) {
    this.frame = frame;
    this.fps = fps;
    this.stage = stage;
    this.signal = signal;
    this.videos = videos.filter(
      ({ clip: { start, end } }) =>
        frame >= frameFrom(start, fps) && frame < frameFrom(end ?? Number.MAX_VALUE, fps),
    );
    this.pictures = this.collectPictures();
    // The caller that awaits the pictures handles the error.
    this.pictures.catch(() => undefined);
  }

  private async collectPictures(): Promise<Pictures> {
    const { tools } = this.stage;
    const span = { first: this.frame, end: this.frame + 1, fps: this.fps };
    const pictures = new Map<string, CodedPicture | VideoPicture>();
    await Promise.all(
      this.videos.map(async (video) => {
        const picture = await tools.coded.picture(video, span);
        if (picture !== undefined) pictures.set(video.clip.key, picture);
      }),
    );
    const others = this.videos.filter(({ clip }) => !pictures.has(clip.key));
    for (const [key, picture] of await this.decode(others)) pictures.set(key, picture);
    return pictures;
  }

  /** Decodes the videos that the page failed to decode; returns their planes. */
  async decodeVideos(keys: readonly string[]): Promise<ReadonlyMap<string, VideoPicture>> {
    return this.decode(this.videos.filter(({ clip }) => keys.includes(clip.key)));
  }

  private async decode(videos: readonly ShownVideo[]): Promise<ReadonlyMap<string, VideoPicture>> {
    const { tools, context, warnings } = this.stage;
    const frames = new VideoFrames(videos, {
      tools: tools.media,
      signal: AbortSignal.any([context.signal, this.signal]),
      fps: this.fps,
      frames: this.frame + 1,
      first: this.frame,
      warnings,
    });
    const pictures = await frames.at(this.frame);
    await frames.close();
    return pictures;
  }
}
