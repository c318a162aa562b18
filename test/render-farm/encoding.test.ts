/** Compares films in size with x264's own medium preset at CRF 18, a common standard (F11). */
import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { findTool } from "../../render-farm/programs/find-tool.ts";
import { encoderArgs } from "../../render-farm/render/encode/encoding.ts";

const fps = 30;
const size = "s=480x270";
const plain = ["-c:v", "libx264", "-preset", "medium", "-crf", "18", "-threads", "2", "-f", "mp4"];

const path = (await findTool(undefined, "ffmpeg", "/usr/local/bin:/usr/bin:/bin")) ?? "";

function ffmpeg(args: readonly string[]): string {
  const { status, stderr } = spawnSync(path, ["-nostdin", ...args], { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return stderr;
}

/** Encodes three seconds of what ffmpeg draws, and measures the similarity (1 is equal). */
function encode(t: Test, source: string, name: string, args: readonly string[]) {
  const output = join(t.testdirName, name);
  const film = [...["-f", "lavfi", "-i", source, "-t", "3"], ...["-pix_fmt", "yuv420p", "-an"]];
  ffmpeg([...film, ...args, output]);
  const filter = "[1]format=yuv420p[drawn];[0][drawn]ssim";
  const compared = ["-i", output, "-f", "lavfi", "-i", source, "-t", "3", "-lavfi", filter];
  const similarity = /All:([0-9.]+)/.exec(ffmpeg([...compared, "-f", "null", "-"]))?.[1];
  return { bytes: statSync(output).size, similarity: Number(similarity) };
}

const photo = `smptehdbars=${size}:r=${fps},noise=alls=12:all_seed=7,loop=loop=-1:size=1`;

const films: readonly (readonly [string, string])[] = [
  ["a picture that stays", `testsrc2=${size}:r=${fps},loop=loop=-1:size=1`],
  ["a detailed picture that comes nearer", `${photo},zoompan=z='1+on/600':d=1:${size}:fps=${fps}`],
  ["fine detail that grows", `mandelbrot=${size}:r=${fps}:maxiter=200:end_scale=0.02`],
  ["noise", `testsrc2=${size}:r=${fps},noise=alls=24:allf=t:all_seed=7`],
];

for (const [film, source] of films)
  t.test(`${film} takes the bytes that it takes elsewhere at like quality (F11)`, async (t) => {
    t.testdir();
    const own = encode(t, source, "own.mp4", encoderArgs("standard", fps, 2));
    const common = encode(t, source, "common.mp4", ["-r", `${fps}`, ...plain]);
    t.ok(own.bytes < 1.15 * common.bytes, `${own.bytes} of ${common.bytes} bytes`);
    t.ok(own.similarity > common.similarity - 0.015, `${own.similarity} of ${common.similarity}`);
  });
