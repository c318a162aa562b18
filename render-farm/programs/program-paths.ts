import { basename, dirname, extname, join } from "node:path";
import type { Fence, FencedProgram } from "../fence/fence.ts";
import type { MediaPrograms } from "./media-tools.ts";

/** The paths of this node's programs that read foreign input. */
export interface ProgramPaths {
  readonly ffmpeg: string;
  readonly ffprobe: string;
  readonly espeak: string;
}

/** The media programs in the fence, together with those of this product. */
export interface Programs extends MediaPrograms {
  readonly pictures: FencedProgram;
  readonly packets: FencedProgram;
}

export async function fitPrograms(fence: Fence, paths: ProgramPaths): Promise<Programs> {
  const findInstalled = (path: string) => fence.fit({ path, folder: dirname(path) });
  const node = { path: process.execPath, folder: dirname(process.execPath) };
  const ours = (name: string) => {
    const path = join(import.meta.dirname, "..", `${name}${extname(import.meta.filename)}`);
    return fence.fit(node, "--max-old-space-size=256", { path, folder, parts });
  };
  return {
    ffmpeg: await findInstalled(paths.ffmpeg),
    ffprobe: await findInstalled(paths.ffprobe),
    espeak: await findInstalled(paths.espeak),
    pictures: await ours("pictures/program"),
    packets: await ours("render/videos/packet-program"),
  };
}

/** Folder of the build, beside which this product's programs find their packages. */
const build = join(import.meta.dirname, "../..");
const home = dirname(build);
/** Whether npm installed this product as a package among those that it depends on. */
const isInstalled = basename(dirname(home)) === "node_modules";
const folder = isInstalled ? dirname(dirname(home)) : home;
const parts = isInstalled ? ["node_modules"] : [basename(build), "node_modules"];
