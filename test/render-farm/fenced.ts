import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Fence } from "../../render-farm/fence/fence.ts";
import { Workspaces } from "../../render-farm/node/workspace.ts";
import { findTool } from "../../render-farm/programs/find-tool.ts";
import { fitPrograms, type Programs } from "../../render-farm/programs/program-paths.ts";

export const searchPath = "/usr/local/bin:/usr/bin:/bin";

export interface Fenced {
  readonly fence: Fence;
  readonly programs: Programs;
  readonly workspaces: Workspaces;
}

export interface Teardown {
  teardown(run: () => Promise<void>): void;
}

/** Sets up the fence as this machine allows it, with the real programs in it. */
export async function raiseFence(t: Teardown): Promise<Fenced> {
  const folder = await mkdtemp(join(tmpdir(), "klieg-test-"));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const fence = await Fence.raise(searchPath, folder);
  const programs = await fitPrograms(fence, {
    ffmpeg: await findTool(undefined, "ffmpeg", searchPath),
    ffprobe: await findTool(undefined, "ffprobe", searchPath),
    espeak: await findTool(undefined, "espeak-ng", searchPath),
  });
  return { fence, programs, workspaces: new Workspaces(fence.folders, programs) };
}
