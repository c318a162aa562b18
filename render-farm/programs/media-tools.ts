import { availableParallelism } from "node:os";
import { limits } from "../../config/limits.ts";
import type { FencedProgram } from "../fence/fence.ts";
import { ChildOutput } from "./child-output.ts";
import { type Command, runChild, streamChild } from "./child-process.ts";

/**
 * ffmpeg, ffprobe and espeak-ng in the fence, made fit for hostile files: no terminal, no protocol
 * but files and pipes, the demuxer forced by the type that the bytes showed, pixels bounded before
 * anything is decoded.
 */
export interface MediaTools {
  /** Resolves with its standard output. `fault` is what a client reads when it fails. */
  ffmpeg(args: readonly string[], call: ToolCall): Promise<Buffer>;
  ffprobe(args: readonly string[], call: ToolCall): Promise<Buffer>;
  espeak(args: readonly string[], call: ToolCall): Promise<Buffer>;
  /** ffmpeg's standard output as it comes. */
  stream(args: readonly string[], call: ToolCall): AsyncGenerator<Buffer>;
  /** The same, for output that is read in large pieces of known lengths. */
  output(args: readonly string[], call: ToolCall): Promise<ChildOutput>;
}

export interface ToolCall {
  readonly signal: AbortSignal;
  readonly fault: string;
  readonly timeoutMs?: number;
  /** Gets the seconds of the output that are done, now and then. */
  readonly onSeconds?: (seconds: number) => void;
  readonly stdin?: Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
}

export interface MediaPrograms {
  readonly ffmpeg: FencedProgram;
  readonly ffprobe: FencedProgram;
  readonly espeak: FencedProgram;
}

type Started = Omit<ToolCall, "onSeconds"> & { readonly onOutput?: (text: string) => void };

/** As `user` runs them. */
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

/** Arguments of every input: what it may lead to, and how large its pictures may be. */
export const fences: readonly string[] = [
  ...["-protocol_whitelist", "file,pipe"],
  ...["-max_pixels", `${limits.media.pixelsMax}`],
];

/** Arguments that open a file whose bytes showed this type; `before` are further input options. */
export function getInput(path: string, mimeType: string, before: readonly string[] = []): string[] {
  const demuxer = demuxers[mimeType] ?? "mov";
  return [...before, ...fences, "-f", demuxer, "-i", `file:${path}`];
}

/** Arguments that write a file of bounded size. */
export function outputTo(path: string): string[] {
  return ["-fs", `${limits.media.outputBytesMax}`, `file:${path}`];
}
