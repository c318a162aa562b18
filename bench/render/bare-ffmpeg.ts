import { join } from "node:path";
import { runCommand } from "../service/command.ts";
import { framesPerSecond } from "./films.ts";
import type { OpenPeer } from "./renderers.ts";

/**
 * Makes films of clips by one command each: the same cuts, holds, gaps and sound, with the encoder
 * settings that Klieg uses for `standard`.
 */
export const openBareFfmpeg: OpenPeer = async ({ tools }) => [
  {
    name: "ffmpeg",
    render: ({ name }, film, output) => {
      const made = name === "blocks" ? blocksArgs(film) : clipsArgs(film);
      const args = [..."-nostdin -v error -y".split(" "), ...made, ...encoding, output];
      return runCommand({ path: tools.ffmpeg, args });
    },
  },
];

const encoding =
  "-c:v libx264 -preset superfast -crf 20 -profile:v high -threads 2 -movflags +faststart".split(
    " ",
  );

function clipsArgs(film: string): readonly string[] {
  const clip = join(film, "clip.mp4");
  const fit = `scale=1920:1080,setsar=1,fps=${framesPerSecond},format=yuv420p`;
  const joined = [0, 1, 2].map((at) => `[${at}:v]${fit}[v${at}]`).join(";");
  return [
    ...["-t", "4", "-i", clip],
    ...photo(film, 4),
    ...["-ss", "5", "-t", "4", "-i", clip],
    ...["-filter_complex", `${joined};[v0][v1][v2]concat=n=3:v=1[v]`, "-map", "[v]"],
  ];
}

function blocksArgs(film: string): readonly string[] {
  const clip = join(film, "clip.mp4");
  const pad = "scale=1920:1080:force_original_aspect_ratio=decrease,pad=1920:1080:-1:-1";
  const fit = `${pad},setsar=1,fps=${framesPerSecond},format=yuv420p`;
  const held = "tpad=stop_mode=clone:stop_duration=2.695652";
  const gap = "tpad=stop_mode=add:stop_duration=1:color=black";
  const graph = [
    `[0:v]${fit},${held},${gap}[v0]`,
    `[1:v]${fit}[v1]`,
    `[2:v]${fit}[v2]`,
    "[v0][v1][v2]concat=n=3:v=1[v]",
    "[3:a]atempo=1.15,aformat=channel_layouts=stereo,apad=whole_dur=16.695652[a]",
  ];
  return [
    ...["-t", "6", "-i", clip],
    ...photo(film, 3),
    ...["-ss", "5", "-t", "4", "-i", clip],
    ...["-i", join(film, "tone.m4a")],
    ...["-filter_complex", graph.join(";"), "-map", "[v]", "-map", "[a]"],
    ..."-c:a aac -b:a 192k".split(" "),
  ];
}

function photo(film: string, seconds: number): readonly string[] {
  const looped = ["-loop", "1", "-framerate", `${framesPerSecond}`, "-t", `${seconds}`];
  return [...looped, "-i", join(film, "photo.jpg")];
}
