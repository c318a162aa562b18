import { delimiter, join } from "node:path";
import { limits } from "../config/limits.ts";
import { ChildOutput } from "./child-output.ts";
import { runChild, streamChild } from "./child-process.ts";
import { isExecutable } from "./chromium-path.ts";

/**
 * ffmpeg and ffprobe, made fit for hostile files: no terminal, no protocol but files and pipes, the
 * demuxer forced by the type that the bytes showed, pixels bounded before anything is decoded.
 */
export interface MediaTools {
  /** Resolves with its standard output. `fault` is what a client reads when it fails. */
  ffmpeg(args: readonly string[], call: ToolCall): Promise<Buffer>;
  ffprobe(args: readonly string[], call: ToolCall): Promise<Buffer>;
  /** ffmpeg's standard output as it comes. */
  stream(args: readonly string[], call: ToolCall): AsyncGenerator<Buffer>;
  /** The same, for output that is read in large pieces of known lengths. */
  output(args: readonly string[], call: ToolCall): Promise<ChildOutput>;
}

export interface ToolCall {
  readonly signal: AbortSignal;
  readonly fault: string;
  readonly timeoutMs?: number;
  /** Hears how many seconds of the output are done, now and then. */
  readonly onSeconds?: (seconds: number) => void;
  readonly stdin?: Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
}

export function mediaTools(ffmpegPath: string, ffprobePath: string): MediaTools {
  const quiet = ["-hide_banner", "-v", "error"];
  const call = (
    path: string,
    args: readonly string[],
    given: Omit<ToolCall, "onSeconds"> & { readonly onOutput?: (text: string) => void },
  ): Promise<Buffer> => runChild({ path, args, timeoutMs: limits.media.toolMs, ...given });
  return {
    ffmpeg: (args, { onSeconds, ...given }) => {
      const base = [...quiet, "-nostdin", "-y"];
      if (onSeconds === undefined) return call(ffmpegPath, [...base, ...args], given);
      const told = { ...given, onOutput: (text: string) => hearSeconds(text, onSeconds) };
      return call(ffmpegPath, [...base, "-progress", "pipe:1", ...args], told);
    },
    stream: (args, { signal, fault, timeoutMs = limits.media.toolMs }) => {
      const all = [...quiet, "-nostdin", "-y", ...args];
      return streamChild({ path: ffmpegPath, args: all, signal, fault, timeoutMs });
    },
    output: (args, { signal, fault, timeoutMs = limits.media.toolMs }) => {
      const all = [...quiet, "-nostdin", "-y", ...args];
      return ChildOutput.open({ path: ffmpegPath, args: all, signal, fault, timeoutMs });
    },
    ffprobe: (args, given) => call(ffprobePath, [...quiet, "-of", "json", ...args], given),
  };
}

function hearSeconds(text: string, onSeconds: (seconds: number) => void): void {
  const last = [...text.matchAll(/out_time_us=(\d+)/g)].at(-1);
  if (last !== undefined) onSeconds(Number(last[1]) / 1_000_000);
}

/** The program to run: the setting, else the first on the path, else a name that cannot start. */
export async function findTool(
  setting: string | undefined,
  name: string,
  searchPath: string,
): Promise<string> {
  if (setting !== undefined) return setting;
  for (const folder of searchPath.split(delimiter).filter((part) => part !== ""))
    if (await isExecutable(join(folder, name))) return join(folder, name);
  return name;
}

const demuxers: Readonly<Record<string, string>> = {
  "video/mp4": "mov",
  "video/quicktime": "mov",
  "audio/mp4": "mov",
  "video/webm": "matroska",
  "audio/webm": "matroska",
  "audio/mpeg": "mp3",
  "audio/wav": "wav",
  "audio/ogg": "ogg",
  "audio/flac": "flac",
};

/** Arguments of every input: what it may lead to, and how large its pictures may be. */
export const fences: readonly string[] = [
  ...["-protocol_whitelist", "file,pipe"],
  ...["-max_pixels", `${limits.media.pixelsMax}`],
];

/** Arguments that open a file whose bytes showed this type; `before` are further input options. */
export function inputOf(path: string, mimeType: string, before: readonly string[] = []): string[] {
  const demuxer = demuxers[mimeType] ?? "mov";
  return [...before, ...fences, "-f", demuxer, "-i", `file:${path}`];
}

/** Arguments that write a file of bounded size. */
export function outputTo(path: string): string[] {
  return ["-fs", `${limits.media.outputBytesMax}`, `file:${path}`];
}
