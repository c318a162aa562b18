import { join } from "node:path";
import { measured } from "../command.ts";
import { framesPerSecond } from "./films.ts";
import type { OpenPeer } from "./renderers.ts";

/** The film `clips` by one command, with the encoder's settings that Klieg uses for `standard`. */
export const openBareFfmpeg: OpenPeer = async ({ tools }) => [
  {
    name: "ffmpeg",
    render: (_, film, output) => {
      const clip = join(film, "clip.mp4");
      const fit = `scale=1920:1080,setsar=1,fps=${framesPerSecond},format=yuv420p`;
      const joined = [0, 1, 2].map((at) => `[${at}:v]${fit}[v${at}]`).join(";");
      const args = [
        ..."-nostdin -v error -y -t 4 -i".split(" "),
        clip,
        ...["-loop", "1", "-framerate", `${framesPerSecond}`, "-t", "4"],
        ...["-i", join(film, "photo.jpg")],
        ...["-ss", "5", "-t", "4", "-i", clip],
        ...["-filter_complex", `${joined};[v0][v1][v2]concat=n=3:v=1[v]`, "-map", "[v]"],
        ..."-c:v libx264 -preset superfast -crf 20 -profile:v high -threads 2".split(" "),
        ..."-movflags +faststart".split(" "),
        output,
      ];
      return measured({ path: tools.ffmpeg, args });
    },
  },
];
