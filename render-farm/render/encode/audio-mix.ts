import { join } from "node:path";
import type { AudioRole, Clip } from "../../../timeline/model.ts";
import { epsilon } from "../../../timeline/model.ts";
import type { MediaTools } from "../../programs/media-tools.ts";
import { type MediaFile, mediaInput, passMs } from "../inputs/media-files.ts";
import { mediaFault } from "../render-error.ts";
import type { AudioMix } from "../render-input.ts";
import { sourceEnd } from "../videos/video-decoding.ts";
import { duckingCurve } from "./ducking.ts";
import { exact } from "./encoding.ts";

/**
 * Mixes the film's sound with ffmpeg into one AAC file as long as the pictures: each clip at its
 * place, one bus per role, music lowered under narration, then loudness, fades and master.
 */
export interface AudibleClip {
  readonly clip: Clip;
  readonly media: MediaFile;
  /** File with the loudness at each frame of the film, which replaces the clip's own volume. */
  readonly curvePath?: string;
}

export interface MixSetup {
  readonly tools: MediaTools;
  readonly folder: string;
  readonly signal: AbortSignal;
  /** Duration of the film's frames, in seconds. */
  readonly seconds: number;
  readonly mix: AudioMix;
}

const sampleRate = 48_000;
const format = "aformat=sample_fmts=fltp:sample_rates=48000:channel_layouts=stereo";
/** Copies one channel to both sides unchanged; ffmpeg's own conversion lowers it by 3 dB. */
const bothSides = "pan=stereo|c0=c0|c1=c0";
const lossless = ["-ar", "48000", "-ac", "2", "-c:a", "flac", "-sample_fmt", "s32"];
const aac = ["-c:a", "aac", "-b:a", "192k", "-ar", "48000", "-ac", "2"];
const fault = "The sound could not be mixed.";
/** Level in dB below which a sound is inaudible. */
const silenceDb = -90;

/** Returns the path of the mix, or `undefined` when there is no sound. */
export async function mixSound(
  clips: readonly AudibleClip[],
  setup: MixSetup,
): Promise<string | undefined> {
  const { mix, folder } = setup;
  if (mix.mute === true || clips.length === 0) return undefined;
  const buses = await Promise.all(
    roles.map(async (role) => {
      const own = clips.filter(({ clip }) => clip.media?.role === role);
      return own.length === 0 ? undefined : { role, path: await mixBus(role, own, setup) };
    }),
  );
  const heard = buses.filter((bus) => bus !== undefined);
  const sum = join(folder, "sum.flac");
  await sumUp(heard, sum, setup);
  const measured = await loudness(sum, setup);
  if (measured.peakDb < silenceDb) return undefined;
  return finish(sum, measured, setup);
}

const roles: readonly AudioRole[] = ["narration", "music", "sfx", "clip"];

interface Bus {
  readonly role: AudioRole;
  readonly path: string;
}

async function mixBus(
  role: AudioRole,
  clips: readonly AudibleClip[],
  setup: MixSetup,
): Promise<string> {
  const { tools, folder, signal, seconds } = setup;
  const path = join(folder, `bus-${role}.flac`);
  const inputs = clips.flatMap(({ media }) => mediaInput(media));
  const curves = clips.filter(({ curvePath }) => curvePath !== undefined);
  const curveInputs = curves.flatMap(({ curvePath }) => [...curveInput, "-i", `file:${curvePath}`]);
  const chains = clips.map((heard, index) => {
    const at = curves.indexOf(heard);
    if (at < 0) return `[${index}:a:0]${chain(heard, seconds)}[c${index}]`;
    const gain = `[${clips.length + at}:a:0]${bothSides},${format}[g${index}]`;
    const plain = `[${index}:a:0]${chain(heard, seconds)}[d${index}]`;
    return `${gain};${plain};[d${index}][g${index}]amultiply[c${index}]`;
  });
  const all = clips.map((_, index) => `[c${index}]`).join("");
  const mixed = `amix=inputs=${clips.length}:normalize=0:duration=longest`;
  const sum = `${all}${mixed},${whole(seconds)}[out]`;
  const graph = [...chains, sum].join(";");
  const args = [...inputs, ...curveInputs, "-filter_complex", graph, "-map", "[out]"];
  const call = { signal, timeoutMs: passMs, fault: "cannot be decoded" };
  await tools.ffmpeg([...args, ...lossless, `file:${path}`], call).catch((failure: unknown) => {
    const names = clips.map(({ clip }) => clip.id || clip.kind).join(", ");
    throw mediaFault(`a sound of ${names}`, failure);
  });
  return path;
}

function chain(heard: AudibleClip, seconds: number): string {
  const { clip, curvePath, media } = heard;
  const { start = 0, rate = 1, volume: fixed = 1 } = clip.media ?? {};
  const volume = curvePath === undefined ? fixed : 1;
  const from = Math.max(0, clip.start);
  const length = Math.min(clip.end ?? seconds, seconds) - from;
  const played = (from - clip.start) * rate;
  const round = buildRound(heard, played + length * rate);
  const into = (round === undefined ? start : 0) + played;
  const end = round === undefined ? clip.media?.end : undefined;
  const wanted = Math.min(length * rate, (end ?? Number.POSITIVE_INFINITY) - into);
  const delay = Math.round(from * sampleRate);
  return [
    ...(media.channels === 1 ? [bothSides] : []),
    format,
    ...(round ?? []),
    `atrim=start=${into.toFixed(6)}:duration=${Math.max(1 / sampleRate, wanted).toFixed(6)}`,
    "asetpts=N/SR/TB",
    ...tempo(rate),
    `atrim=duration=${length.toFixed(6)}`,
    `volume=${volume}`,
    ...fades(heard, { from, length, seconds }),
    `adelay=${delay}S:all=1`,
    "apad",
    "asetpts=N/SR/TB",
    `atrim=duration=${seconds.toFixed(6)}`,
  ].join(",");
}

/**
 * Linear fades at the clip's own edges, even if the film shows only a part of it; both are
 * shortened when together they are longer than the clip.
 */
function fades(
  { clip }: AudibleClip,
  { from, length, seconds }: { from: number; length: number; seconds: number },
): readonly string[] {
  const { fadeIn = 0, fadeOut = 0 } = clip.media ?? {};
  const end = clip.end ?? seconds;
  const share = Math.min(1, (end - clip.start) / (fadeIn + fadeOut));
  const outFrom = end - fadeOut * share - from;
  const ramp = (kind: "in" | "out", at: number, duration: number): string =>
    `afade=t=${kind}:st=${Math.max(0, at).toFixed(6)}:d=${duration.toFixed(6)}:curve=tri`;
  return [
    ...(fadeIn > 0 ? [ramp("in", 0, fadeIn * share)] : []),
    ...(fadeOut > 0 && outFrom < length ? [ramp("out", outFrom, fadeOut * share)] : []),
  ];
}

/** Filters that loop a source endlessly, from the position where it was entered to its end. */
function buildRound(heard: AudibleClip, seconds: number): readonly string[] | undefined {
  const { start = 0, isLooped = false } = heard.clip.media ?? {};
  const length = sourceEnd(heard) - start;
  if (!isLooped || length <= 0 || seconds <= length) return undefined;
  const samples = Math.round(length * sampleRate);
  return [
    `atrim=start=${start.toFixed(6)}:duration=${length.toFixed(6)}`,
    "asetpts=N/SR/TB",
    `apad=whole_len=${samples}`,
    `aloop=loop=-1:size=${samples}`,
  ];
}

function whole(seconds: number): string {
  return `apad,asetpts=N/SR/TB,atrim=duration=${seconds.toFixed(6)}`;
}

/** Splits a rate into filters, because one `atempo` filter changes the tempo by half to two. */
function tempo(rate: number): readonly string[] {
  const steps: string[] = [];
  let left = rate;
  while (left > 2 + epsilon || left < 0.5 - epsilon) {
    const step = left > 2 ? 2 : 0.5;
    steps.push(`atempo=${step}`);
    left /= step;
  }
  return Math.abs(left - 1) < epsilon ? steps : [...steps, `atempo=${left}`];
}

async function sumUp(buses: readonly Bus[], path: string, setup: MixSetup): Promise<void> {
  const { tools, signal, seconds, mix } = setup;
  const narration = buses.find(({ role }) => role === "narration");
  const curve =
    mix.ducking?.enabled === true && narration !== undefined
      ? await duckingCurve(narration.path, mix.ducking, setup)
      : undefined;
  const inputs = buses.flatMap((bus) => ["-i", `file:${bus.path}`]);
  const curves = curve === undefined ? [] : [...curveInput, "-i", `file:${curve}`];
  const ducked = buses.filter(({ role }) => curve !== undefined && isDucked(role));
  const names = ducked.map((_, index) => `[g${index}]`).join("");
  const gains =
    ducked.length === 0
      ? []
      : [`[${buses.length}:a:0]${bothSides},${format},asplit=${ducked.length}${names}`];
  const chains = buses.map((bus, index) => {
    const gain = `${format},volume=${computeGain(bus.role, mix)}dB`;
    const at = ducked.indexOf(bus);
    if (at < 0) return `[${index}:a:0]${gain}[b${index}]`;
    return `[${index}:a:0]${gain}[d${index}];[d${index}][g${at}]amultiply[b${index}]`;
  });
  const all = buses.map((_, index) => `[b${index}]`).join("");
  const master = `volume=${mix.master_gain_db ?? 0}dB`;
  const sum = `${all}amix=inputs=${buses.length}:normalize=0,${master},${whole(seconds)}[out]`;
  const graph = [...gains, ...chains, sum].join(";");
  const args = [...inputs, ...curves, "-filter_complex", graph, "-map", "[out]"];
  await tools.ffmpeg([...args, ...lossless, `file:${path}`], { signal, timeoutMs: passMs, fault });
}

const curveInput = ["-f", "f32le", "-ar", "1000", "-ac", "1"];

function isDucked(role: AudioRole): boolean {
  return role === "music" || role === "clip";
}

function computeGain(role: AudioRole, mix: AudioMix): number {
  switch (role) {
    case "narration":
      return mix.narration_gain_db ?? 0;
    case "music":
      return mix.music_gain_db ?? 0;
    case "sfx":
      return mix.sfx_gain_db ?? 0;
    case "clip":
      return mix.clip_gain_db ?? 0;
  }
}

interface Loudness {
  readonly lufs: number;
  readonly peakDb: number;
}

async function loudness(path: string, { tools, signal, mix }: MixSetup): Promise<Loudness> {
  const measures = [
    ...(typeof mix.loudness_lufs === "number" ? ["ebur128=metadata=1"] : []),
    "astats=metadata=1:measure_perchannel=none",
    "ametadata=mode=print:file=-",
  ];
  const last = ["-af", measures.join(","), "-f", "null", "-"];
  let text = "";
  const call = { signal, timeoutMs: passMs, fault };
  for await (const chunk of tools.stream(["-i", `file:${path}`, ...last], call))
    text = (text + chunk.toString("latin1")).slice(-4_096);
  const findNumber = (name: string): number => {
    const values = [...text.matchAll(new RegExp(`${name}=(-?[\\d.]+|-?inf|nan)`, "g"))];
    const value = Number(values.at(-1)?.[1] ?? Number.NaN);
    return Number.isFinite(value) ? value : Number.NEGATIVE_INFINITY;
  };
  return { lufs: findNumber("lavfi\\.r128\\.I"), peakDb: findNumber("Overall\\.Peak_level") };
}

/** Applies one gain to the whole film to reach the loudness; limits what would exceed -1 dBTP. */
async function finish(sum: string, { lufs }: Loudness, setup: MixSetup): Promise<string> {
  const { tools, folder, signal, seconds, mix } = setup;
  const wanted = mix.loudness_lufs;
  const isLevelled = typeof wanted === "number" && lufs > -70;
  const limit = 10 ** (-1.1 / 20);
  const level = isLevelled
    ? [
        `volume=${(wanted - lufs).toFixed(2)}dB`,
        "aresample=192000",
        `alimiter=limit=${limit.toFixed(4)}:attack=5:release=50:level=false`,
        "aresample=48000",
      ]
    : [];
  const fadeIn = mix.fade_in_seconds ?? 0;
  const fadeOut = Math.min(seconds, mix.fade_out_seconds ?? 0);
  const fades = [
    ...(fadeIn > 0 ? [`afade=t=in:d=${fadeIn}`] : []),
    ...(fadeOut > 0 ? [`afade=t=out:st=${(seconds - fadeOut).toFixed(6)}:d=${fadeOut}`] : []),
  ];
  const path = join(folder, "mix.m4a");
  const filters = [...level, ...fades, whole(seconds)].join(",");
  const args = ["-i", `file:${sum}`, "-af", filters, ...aac, ...exact, `file:${path}`];
  await tools.ffmpeg(args, { signal, timeoutMs: passMs, fault });
  return path;
}
