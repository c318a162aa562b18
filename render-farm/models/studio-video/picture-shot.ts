/// <reference lib="dom" />
import { mix, smoothstep } from "../studio-image/noise.ts";
import { composeScene } from "../studio-image/scene.ts";
import { newCanvas } from "../studio-image/stage.ts";
import { paintRain, paintSnowfall } from "../studio-image/weather.ts";
import { type Projection, viewAt } from "./camera.ts";
import type { Shot, ShotRequest } from "./shot.ts";

/**
 * Makes a film from given pictures. The first frame is exactly the first picture and the last frame
 * exactly the last one; in between the camera moves, and the first of two pictures dissolves into
 * the second. Rain or snow in the prompt falls in front.
 */
export interface PictureShotRequest extends ShotRequest {
  /** JPEG files in base64, of the frame's size. */
  readonly firstFrame?: string;
  readonly lastFrame?: string;
}

export async function openPictureShot(request: PictureShotRequest): Promise<Shot> {
  const { width, height, fps, frames, camera, firstFrame, lastFrame } = request;
  const [first, last] = await Promise.all([decodePicture(firstFrame), decodePicture(lastFrame)]);
  const ctx = newCanvas(width, height);
  const { stage } = composeScene(request);
  const { weathers } = stage.brief;
  const show = (picture: ImageBitmap, alpha: number, away: number, seconds: number): void => {
    const view = viewAt(camera === "static" ? "static" : camera, 0.5 + away / 2, seconds);
    const { scale, left, top } = frameView(view, away, width, height);
    ctx.globalAlpha = alpha;
    ctx.setTransform(scale, 0, 0, scale, left, top);
    ctx.drawImage(picture, 0, 0, width, height);
    ctx.resetTransform();
    ctx.globalAlpha = 1;
  };
  return {
    frame(index) {
      const atSeconds = index / fps;
      const share = frames > 1 ? index / (frames - 1) : 0;
      ctx.imageSmoothingQuality = "low";
      const melted = first === undefined ? 1 : last === undefined ? 0 : smoothstep(0.3, 0.7, share);
      if (first !== undefined && melted < 1) show(first, 1, share, atSeconds);
      if (last !== undefined && melted > 0) show(last, melted, share - 1, atSeconds);
      const own = { ...stage, ctx, atSeconds: atSeconds + 1 };
      if (weathers.has("rain")) paintRain(own);
      if (weathers.has("snowfall")) paintSnowfall(own);
      return ctx;
    },
  };
}

/**
 * `away` is 0 where the picture fills the frame exactly, and 1 or -1 a whole film away from that.
 * The picture is enlarged as the camera moves, so that no edge shows.
 */
function frameView(
  view: ReturnType<typeof viewAt>,
  away: number,
  width: number,
  height: number,
): Projection {
  const gone = Math.abs(away);
  const eased = mix(gone, gone * gone * (3 - 2 * gone), 0.4);
  const sign = Math.sign(away);
  const x = (view.x + view.turn) * eased * 1.4;
  const y = view.y * eased * 1.4;
  const closer = view.zoom > 0 ? 0.16 : 0.02;
  const room = 2 * Math.max(Math.abs(x), Math.abs(y));
  const scale = 1 + Math.max(closer * eased, room + 0.01 * eased);
  return {
    scale,
    left: (width / 2) * (1 - scale) - x * width * (sign === 0 ? 0 : 1),
    top: (height / 2) * (1 - scale) - y * height * (sign === 0 ? 0 : 1),
  };
}

async function decodePicture(base64: string | undefined): Promise<ImageBitmap | undefined> {
  if (base64 === undefined) return undefined;
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  return createImageBitmap(new Blob([bytes], { type: "image/jpeg" }));
}
