import { VideoFrames } from "../videos/video-frames.ts";
import type { FilmCapture } from "./film-capture.ts";
import type { Segment } from "./segments.ts";

type Shown = Awaited<ReturnType<VideoFrames["at"]>>;

/**
 * Pictures of the videos in the segments of one recorder. A segment that continues the last one
 * keeps its decoders, because each new decoder has a program to start and about a second of video
 * to decode first.
 */
export class SegmentFrames {
  private readonly shoot: FilmCapture;
  private videos: VideoFrames | undefined;
  private at = -1;

  constructor(capture: FilmCapture) {
    this.shoot = capture;
  }

  /** Yields the segment frame by frame; the next frame is decoded meanwhile. */
  async *of({ from, to }: Segment): AsyncGenerator<readonly [frame: number, videos: Shown]> {
    const videos = await this.videosFrom(from);
    let next = videos.at(from);
    for (let frame = from; frame < to; frame++) {
      const shown = await next;
      if (frame + 1 < to) next = videos.at(frame + 1);
      next.catch(() => undefined);
      this.at = frame + 1;
      yield [frame, shown];
    }
  }

  /** Ends the decoders. */
  async close(): Promise<void> {
    await this.videos?.close();
  }

  private async videosFrom(frame: number): Promise<VideoFrames> {
    if (this.videos !== undefined && this.at === frame) return this.videos;
    await this.close();
    const { stage, setup, frames } = this.shoot;
    const { tools, context, warnings } = stage;
    this.videos = new VideoFrames(setup.videos, {
      tools: tools.media,
      signal: context.signal,
      fps: setup.timeline.fps,
      frames,
      first: frame,
      warnings,
    });
    return this.videos;
  }
}
