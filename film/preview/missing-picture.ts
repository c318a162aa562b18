/// <reference lib="dom" />
import type { LivePicture } from "../page/film-videos.ts";

const createElement = document.createElement.bind(document);
const size = { width: 640, height: 360 };

/** What stands for a picture that the preview cannot show: a plain box with its name and why. */
export function missingPicture(name: string, why: string): LivePicture {
  return { ...size, paint: (pen) => paintNotice(pen, name, why) };
}

/** Returns the same plain box as the address of an image. */
export function missingImage(name: string, why: string): string {
  const canvas = Object.assign(createElement("canvas"), size);
  const pen = canvas.getContext("2d");
  if (pen !== null) paintNotice(pen, name, why);
  return canvas.toDataURL();
}

function paintNotice(pen: CanvasRenderingContext2D, name: string, why: string): void {
  const { width, height } = size;
  pen.fillStyle = "#4a4f57";
  pen.fillRect(0, 0, width, height);
  pen.fillStyle = "#fff";
  pen.textAlign = "center";
  pen.font = "24px sans-serif";
  pen.fillText(name, width / 2, height / 2 - 12, width - 40);
  pen.fillText(why, width / 2, height / 2 + 24, width - 40);
}
