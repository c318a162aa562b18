import { copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { ffmpeg, type Tools } from "../service/tools.ts";
import { framesPerSecond } from "./films.ts";

/** Read from the source tree, not from compiled output: films and peers have many file types. */
const sources = join(import.meta.dirname, "../../../bench");
const gsap = join(import.meta.dirname, "../../../node_modules/gsap/dist/gsap.min.js");

/** Makes the media that the films use, in one folder; the bytes are the same each time. */
export async function makeMedia(folder: string, tools: Tools): Promise<readonly string[]> {
  await mkdir(folder, { recursive: true });
  const photo = "mandelbrot=s=1200x900:start_scale=0.02:start_x=-0.7436439:start_y=0.1318259";
  await ffmpeg(tools, ["-f", "lavfi", "-i", photo, "-frames:v", "1", join(folder, "photo.jpg")]);
  const clip = `testsrc2=s=1920x1080:r=${framesPerSecond}:d=10,hue=h=20*t,format=yuv420p`;
  const tags = "-colorspace bt709 -color_primaries bt709 -color_trc bt709".split(" ");
  const coded = ["-c:v", "libx264", "-preset", "veryfast", "-crf", "20", "-g", "60"];
  const exact = ["-flags", "+bitexact", "-fflags", "+bitexact"];
  const clipPath = join(folder, "clip.mp4");
  await ffmpeg(tools, ["-f", "lavfi", "-i", clip, ...coded, ...tags, ...exact, clipPath]);
  const tone = "sine=frequency=220:beep_factor=4:duration=10:sample_rate=48000";
  const sound = ["-c:a", "aac", "-b:a", "128k", ...exact, join(folder, "tone.m4a")];
  await ffmpeg(tools, ["-f", "lavfi", "-i", tone, ...sound]);
  return ["photo.jpg", "clip.mp4", "tone.m4a"].map((name) => join(folder, name));
}

/** Lays out a film's folder as an author would: markup, with media and the library beside it. */
export async function layOut(
  film: string,
  folder: string,
  media: readonly string[],
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const page = join(sources, "films", film, "index.html");
  for (const file of [page, gsap, ...media]) await copyFile(file, join(folder, getName(file)));
}

/** Returns the folder of a peer's own files. */
export function peerSources(peer: string): string {
  return join(sources, "peers", peer);
}

function getName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
