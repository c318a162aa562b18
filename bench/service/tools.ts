import { readSettings } from "../../config/settings.ts";
import { ownChromium } from "../../render-farm/browser/browser.ts";
import { findChromium } from "../../render-farm/browser/chromium-path.ts";
import { findTool } from "../../render-farm/programs/find-tool.ts";
import { type Command, output } from "./command.ts";

/** Programs that Klieg uses, given to its peers too and used to examine films. */
export interface Tools {
  readonly chromium: string;
  readonly ffmpeg: string;
  readonly ffprobe: string;
}

export async function findTools(environment: NonNullable<Command["env"]>): Promise<Tools> {
  const { chromium, ffmpeg, ffprobe } = readSettings(environment, 1);
  const searchPath = environment["PATH"] ?? "";
  return {
    chromium: (await findChromium(chromium, searchPath)) ?? ownChromium(),
    ffmpeg: await findTool(ffmpeg, "ffmpeg", searchPath),
    ffprobe: await findTool(ffprobe, "ffprobe", searchPath),
  };
}

/** Runs ffmpeg and returns its messages. */
export function ffmpeg({ ffmpeg: path }: Tools, args: readonly string[]): Promise<string> {
  return output({ path, args: ["-nostdin", "-hide_banner", "-y", ...args] });
}
