import { availableParallelism } from "node:os";
import { limits } from "../../config/limits.ts";
import type { FencedProgram } from "../fence/fence.ts";
import { ChildOutput } from "./child-output.ts";
import { type Command, runChild, streamChild } from "./child-process.ts";

/**
 * ffmpeg, ffprobe and espeak-ng in the fence, hardened against hostile files: no terminal, no
 * protocols but files and pipes, a demuxer fixed by the type detected from the bytes, and a bound
 * on pixels before anything is decoded.
 */
export interface MediaTools {
  /** Resolves with the standard output. `fault` is the message to the client when the run fails. */
  ffmpeg(args: readonly string[], call: ToolCall): Promise<Buffer>;
  ffprobe(args: readonly string[], call: ToolCall): Promise<Buffer>;
  espeak(args: readonly string[], call: ToolCall): Promise<Buffer>;
  /** Yields the standard output of ffmpeg as it comes. */
  stream(args: readonly string[], call: ToolCall): AsyncGenerator<Buffer>;
  /** Like `stream`, for output that is read in large pieces of known lengths. */
  output(args: readonly string[], call: ToolCall): Promise<ChildOutput>;
}

export interface ToolCall {
  readonly signal: AbortSignal;
  readonly fault: string;
  readonly timeoutMs?: number;
  /** Receives from time to time the seconds of output that are done. */
  readonly onSeconds?: (seconds: number) => void;
  readonly stdin?: Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
}

export interface MediaPrograms {
  readonly ffmpeg: FencedProgram;
  readonly ffprobe: FencedProgram;
  readonly espeak: FencedProgram;
}

type Started = Omit<ToolCall, "onSeconds"> & { readonly onOutput?: (text: string) => void };

/** Returns tools that run as `user`. */
export function mediaTools(programs: MediaPrograms, user: number | undefined): MediaTools {
  const quiet = ["-hide_banner", "-v", "error"];
  const base = [...quiet, "-nostdin", "-y"];
  const command = (
    name: keyof MediaPrograms,
    given: readonly string[],
    { timeoutMs = limits.media.toolMs, ...call }: Started,
  ): Command => {
    const { toolBytesMax: bytes, outputBytesMax: fileBytes, toolFilesMax: files } = limits.media;
    const seconds = Math.ceil(timeoutMs / 1_000) * availableParallelism();
    const [path = "", ...words] = programs[name](user, { bytes, fileBytes, files, seconds });
    return { name, path, args: [...words, ...given], timeoutMs, ...call };
  };
  return {
    ffmpeg: (args, { onSeconds, ...call }) => {
      if (onSeconds === undefined) return runChild(command("ffmpeg", [...base, ...args], call));
      const told = { ...call, onOutput: (text: string) => readProgress(text, onSeconds) };
      return runChild(command("ffmpeg", [...base, "-progress", "pipe:1", ...args], told));
    },
    stream: (args, call) => streamChild(command("ffmpeg", [...base, ...args], call)),
    output: (args, call) => ChildOutput.open(command("ffmpeg", [...base, ...args], call)),
    ffprobe: (args, call) => runChild(command("ffprobe", [...quiet, "-of", "json", ...args], call)),
    espeak: (args, call) => runChild(command("espeak", args, call)),
  };
}

function readProgress(text: string, onSeconds: (seconds: number) => void): void {
  const last = [...text.matchAll(/out_time_us=(\d+)/g)].at(-1);
  if (last !== undefined) onSeconds(Number(last[1]) / 1_000_000);
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

/** Arguments for every input: the protocols it may use and the largest size of its pictures. */
export const fences: readonly string[] = [
  ...["-protocol_whitelist", "file,pipe"],
  ...["-max_pixels", `${limits.media.pixelsMax}`],
];

/** Arguments that open a file of this detected type; `before` are further input options. */
export function getInput(path: string, mimeType: string, before: readonly string[] = []): string[] {
  const demuxer = demuxers[mimeType] ?? "mov";
  return [...before, ...fences, "-f", demuxer, "-i", `file:${path}`];
}

/** Arguments that write a file of bounded size. */
export function outputTo(path: string): string[] {
  return ["-fs", `${limits.media.outputBytesMax}`, `file:${path}`];
}
