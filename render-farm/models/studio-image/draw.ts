import type { PictureRequest } from "./picture-request.ts";
import { paintScene } from "./scene.ts";

const thumbnailEdge = 512;

/** Entry point of the page: returns the picture and its thumbnail as files in base64. */
export async function draw(
  request: PictureRequest,
): Promise<{ readonly image: string; readonly thumbnail: string }> {
  const picture = paintScene(request);
  return {
    image: await encode(picture, request.format, 0.94),
    thumbnail: await encode(shrink(picture), "jpeg", 0.86),
  };
}

function shrink(picture: OffscreenCanvas): OffscreenCanvas {
  const scale = thumbnailEdge / Math.max(picture.width, picture.height);
  const width = Math.max(1, Math.round(picture.width * scale));
  const height = Math.max(1, Math.round(picture.height * scale));
  const small = new OffscreenCanvas(width, height);
  const ctx = small.getContext("2d");
  if (ctx === null) throw new Error("the page has no 2D canvas");
  ctx.imageSmoothingQuality = "high";
  ctx.drawImage(picture, 0, 0, width, height);
  return small;
}

async function encode(canvas: OffscreenCanvas, format: string, quality: number): Promise<string> {
  const blob = await canvas.convertToBlob({ type: `image/${format}`, quality });
  const bytes = new Uint8Array(await blob.arrayBuffer());
  let text = "";
  for (let at = 0; at < bytes.length; at += 32_768)
    text += String.fromCharCode(...bytes.subarray(at, at + 32_768));
  return btoa(text);
}
