/**
 * Detects a film that is black where its videos are not, so that its capture must have failed.
 * Anything else in a page may be black: the samples are what Chromium paints, and may fall between
 * flashes.
 */
import { even } from "../../../timeline/model.ts";
import { RenderError } from "../render-error.ts";
import { getName } from "../videos/video-decoding.ts";
import type { VideoPicture } from "../videos/video-frames.ts";
import type { FilmCapture } from "./film-capture.ts";
import { decodeVideosAt } from "./frame-videos.ts";
import type { Samples } from "./samples.ts";
import { isDark } from "./similarity.ts";

/** Throws `RenderError` when all samples are black although a visible video is not. */
export async function checkLight(samples: Samples, capture: FilmCapture): Promise<void> {
  if (!(await samples.areUnlit())) return;
  for (const frame of samples.frames) {
    const name = await findLitVideo(frame, capture);
    if (name === undefined) continue;
    throw new RenderError(
      "invalid_composition",
      `every sampled frame is black, although ${name} is not`,
    );
  }
}

async function findLitVideo(frame: number, capture: FilmCapture): Promise<string | undefined> {
  const { videos, plan } = capture.setup;
  if (videos.length === 0) return undefined;
  const pictures = await decodeVideosAt(frame, capture);
  const shown = plan.clips.find(({ key, isShown, from, to }) => {
    const picture = pictures.get(key);
    return isShown && from <= frame && frame < to && picture !== undefined && isLit(picture);
  });
  const video = videos.find(({ clip }) => clip.key === shown?.key);
  return video && getName(video);
}

/** A video with alpha does not count, because its light pixels may be transparent. */
function isLit({ planes, width, height, hasAlpha }: VideoPicture): boolean {
  return !hasAlpha && !isDark(planes.subarray(0, even(width) * even(height) * 1.5));
}
