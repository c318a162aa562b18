import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ffmpeg, type Tools } from "../service/tools.ts";
import { type Film, framesPerSecond } from "./films.ts";

/** Measures how similar two films are, with ffmpeg's filters. */

/** SSIM of the brightness (Y), as the mean over all frames. */
async function ssim(tools: Tools, film: string, reference: string): Promise<number> {
  const said = await ffmpeg(tools, [
    ...["-i", film, "-i", reference, "-lavfi", "[0:v][1:v]ssim", "-f", "null", "-"],
  ]);
  return Number(/SSIM Y:([\d.]+)/.exec(said)?.[1]);
}

export interface Fidelity {
  readonly standard: number;
  readonly medium: number;
}

/**
 * Compares `standard` with x264's medium 18 of the same film. The reference, and the source that
 * x264 encodes, is Klieg's lossless `high`, which favours the peer.
 */
export async function fidelity(
  tools: Tools,
  folder: string,
  standard: string,
  high: string,
): Promise<Fidelity> {
  const medium = join(folder, "medium.mp4");
  const coded = ["-c:v", "libx264", "-preset", "medium", "-crf", "18", "-an"];
  await ffmpeg(tools, ["-i", high, ...coded, medium]);
  return {
    standard: await ssim(tools, standard, high),
    medium: await ssim(tools, medium, high),
  };
}

const samplesWanted = 12;

/** Lowest PSNR of frames sampled evenly from two films, in dB; infinite when they are equal. */
export async function leastSimilarity(
  tools: Tools,
  { seconds }: Film,
  film: string,
  other: string,
): Promise<number> {
  const stride = Math.floor((seconds * framesPerSecond) / samplesWanted);
  // Compared as shown on a screen: planes may hold colours that no screen shows and peers lack.
  const shown = "scale=in_color_matrix=bt709,format=gbrp";
  const pick = `select=not(mod(n\\,${stride})),setpts=N/TB,${shown}`;
  const compared = `[0:v]${pick}[a];[1:v]${pick}[b];[a][b]psnr=stats_file=-`;
  const said = await ffmpeg(tools, [
    ...["-v", "error", "-i", film, "-i", other, "-lavfi", compared, "-f", "null", "-"],
  ]);
  const found = [...said.matchAll(/psnr_avg:([\d.]+|inf)/g)].map(([, text]) =>
    text === "inf" ? Number.POSITIVE_INFINITY : Number(text),
  );
  return found.length === 0 ? Number.NaN : Math.min(...found);
}

export async function sameBytes(files: readonly string[]): Promise<boolean> {
  const sums = await Promise.all(
    files.map(async (file) =>
      createHash("sha256")
        .update(await readFile(file))
        .digest("hex"),
    ),
  );
  return new Set(sums).size === 1;
}
