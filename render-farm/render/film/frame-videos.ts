import { VideoFrames } from "../videos/video-frames.ts";
import type { FilmCapture } from "./film-capture.ts";
import type { Sample } from "./samples.ts";

/** Pictures of the videos that are visible in a frame, by clip key. */
export type FrameVideos = NonNullable<Sample["videos"]>;

/** Decodes the videos of one frame separately, whatever is being captured meanwhile. */
export async function decodeVideosAt(
  frame: number,
  { stage, setup }: FilmCapture,
): Promise<FrameVideos> {
  const { tools, context, warnings } = stage;
  const { signal } = context;
  const { fps } = setup.timeline;
  const only = { tools: tools.media, signal, fps, frames: frame + 1, first: frame, warnings };
  const videos = new VideoFrames(setup.videos, only);
  try {
    return await videos.at(frame);
  } finally {
    await videos.close();
  }
}
