/// <reference lib="dom" />
import type { LivePicture } from "../page/film-videos.ts";

const createElement = document.createElement.bind(document);

/** What stands for a video that the browser cannot play: a plain box with its name. */
export function missingPicture(name: string): LivePicture {
  const source = Object.assign(createElement("canvas"), { width: 640, height: 360 });
  const { width, height } = source;
  const pen = source.getContext("2d");
  if (pen !== null) {
    pen.fillStyle = "#4a4f57";
    pen.fillRect(0, 0, width, height);
    pen.fillStyle = "#fff";
    pen.textAlign = "center";
    pen.font = "24px sans-serif";
    pen.fillText(name, width / 2, height / 2 - 12, width - 40);
    pen.fillText(
      "This browser cannot play it; the render shows it.",
      width / 2,
      height / 2 + 24,
      width - 40,
    );
  }
  return { source, width, height };
}
