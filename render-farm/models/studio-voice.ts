import { stat } from "node:fs/promises";
import { join } from "node:path";
import { limits } from "../../config/limits.ts";
import { check, type Static, Type } from "../../config/schema.ts";
import type { Objects } from "../../engine/ports/objects.ts";
import { PortError } from "../../engine/ports/port-error.ts";
import type { TaskOutcome } from "../../engine/ports/tasks.ts";
import { deliverRecording } from "../media/delivery.ts";
import { refuseInput, type TaskContext, type TaskWorker } from "../node/task-loop.ts";
import type { Workspace, Workspaces } from "../node/workspace.ts";
import type { MediaTools } from "../programs/media-tools.ts";
import { getInput, outputTo } from "../programs/media-tools.ts";
import { bitExact, encodings, SoundFormat } from "./sound-files.ts";

/**
 * The model `studio-voice`: espeak-ng synthesises speech; ffmpeg softens it, evens the loudness and
 * adds the sound of a small room. This is formant synthesis without learned weights.
 */
const VoiceInput = Type.Object(
  {
    text: Type.String({ minLength: 1, maxLength: 5_000 }),
    direction: Type.Optional(Type.String({ maxLength: 10_000 })),
    voice: Type.Enum(["juniper", "birch", "willow", "cedar", "hazel", "rowan", "aspen", "alder"]),
    language: Type.Optional(Type.String({ pattern: "^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,4}$" })),
    speed: Type.Number({ minimum: 0.5, maximum: 2 }),
    format: SoundFormat,
    seed: Type.Integer({ minimum: 0, maximum: 4_294_967_295 }),
  },
  { additionalProperties: false },
);
type VoiceInput = Static<typeof VoiceInput>;
const isVoiceInput = check<VoiceInput>(VoiceInput);

interface Voice {
  readonly accent: string;
  /** Name of the espeak-ng voice variant. */
  readonly variant: string;
  /** Pitch from 0 to 99. */
  readonly pitch: number;
  readonly wordsPerMinute: number;
}

const voices: Readonly<Record<VoiceInput["voice"], Voice>> = {
  juniper: { accent: "en-us", variant: "f3", pitch: 48, wordsPerMinute: 158 },
  birch: { accent: "en-us", variant: "m3", pitch: 38, wordsPerMinute: 154 },
  willow: { accent: "en-us", variant: "linda", pitch: 44, wordsPerMinute: 150 },
  cedar: { accent: "en-gb-x-rp", variant: "m7", pitch: 34, wordsPerMinute: 148 },
  hazel: { accent: "en-gb", variant: "f2", pitch: 46, wordsPerMinute: 156 },
  rowan: { accent: "en-gb", variant: "Alex", pitch: 40, wordsPerMinute: 156 },
  aspen: { accent: "en-us", variant: "Andrea", pitch: 50, wordsPerMinute: 162 },
  alder: { accent: "en-us", variant: "max", pitch: 36, wordsPerMinute: 150 },
};

/** Languages of espeak-ng 1.51; BCP 47 tags fall back to their first part. */
const languages = new Set(
  "af am an ar as az ba be bg bn bpy bs ca cmn cs cv cy da de el en-029 en-gb \
en-gb-scotland en-us eo es es-419 et eu fa fi fr-be fr-ch fr-fr ga gd gn gu hak haw he \
hi hr ht hu hy ia id is it ja jbo ka kk kl kn ko kok ku ky la lb lt lv mi mk ml mr ms mt \
my ne nl no om or pa pap pl pt pt-br ro ru sd shn si sk sl sq sr sv sw ta te th tk tn tr \
tt ug uk ur uz vi yue".split(" "),
);
const otherNames: Readonly<Record<string, string>> = {
  en: "en-us",
  "en-au": "en-gb",
  "en-ie": "en-gb",
  fr: "fr-fr",
  nb: "no",
  nn: "no",
  iw: "he",
  zh: "cmn",
  "zh-hk": "yue",
  "es-mx": "es-419",
};

export function studioVoice(
  workspaces: Workspaces,
  objects: Objects,
  timeoutMs: number,
): TaskWorker {
  return {
    timeoutMs,
    async run(context): Promise<TaskOutcome> {
      const { input } = context;
      if (!isVoiceInput(input)) return refuseInput("speech", isVoiceInput.faults(input));
      if (input.language !== undefined && chooseAccent(input.language) === undefined)
        return refuseInput("speech", [
          { pointer: "/language", detail: `${input.language} is not spoken by this model` },
        ]);
      return workspaces.use((workspace) => speak(workspace, objects, input, context));
    },
  };
}

function chooseAccent(language: string): string | undefined {
  const tag = language.toLowerCase();
  const [first = tag] = tag.split("-");
  return [tag, otherNames[tag], first, otherNames[first]].find(
    (name) => name !== undefined && languages.has(name),
  );
}

async function speak(
  { folder, media }: Workspace,
  objects: Objects,
  input: VoiceInput,
  { signal, outputPrefix, reportProgress }: TaskContext,
): Promise<TaskOutcome> {
  const manner = chooseManner(input);
  const spoken = join(folder, "spoken.wav");
  await media.espeak([...manner.args, "--stdin", "-b", "1", "-w", spoken], {
    stdin: [Buffer.from(plain(input.text))],
    signal,
    timeoutMs: limits.farm.speakingMs,
    fault: "The text could not be spoken.",
  });
  reportProgress(0.5);
  const { mimeType, args } = encodings[input.format];
  const call = { signal, fault: "The voice could not be finished." };
  const shaped = join(folder, "shaped.wav");
  const form = ["-ar", "44100", "-ac", "1"];
  const shaping = [...getInput(spoken, "audio/wav"), "-af", manner.filters.join(","), ...form];
  await media.ffmpeg([...shaping, ...bitExact, "-c:a", "pcm_f32le", ...outputTo(shaped)], call);
  const level = levelSpeech(await measureLoudness(shaped, media, call));
  const finished = join(folder, `voice.${input.format}`);
  const source = [...getInput(shaped, "audio/wav"), "-af", level, ...form];
  await media.ffmpeg([...source, ...bitExact, ...args, ...outputTo(finished)], call);
  const stem = `${outputPrefix}/0`;
  const output = await deliverRecording(
    { tools: media, objects, signal, stem },
    finished,
    mimeType,
  );
  if ((output.durationSeconds ?? 0) < 0.3)
    throw new PortError("The text contains nothing that can be spoken.", false);
  return { kind: "succeeded", outputs: [output] };
}

const wantedLufs = -16;

/**
 * Measures integrated loudness (EBU R 128). It is computed from blocks of 0.4 s, of which a word
 * has few, so a short text is measured as if it were repeated.
 */
async function measureLoudness(
  path: string,
  media: MediaTools,
  call: { readonly signal: AbortSignal; readonly fault: string },
): Promise<number> {
  const { size } = await stat(path);
  const again = size < shortBytes ? ["-stream_loop", "20"] : [];
  const measure = "ebur128=metadata=1,ametadata=mode=print:key=lavfi.r128.I:file=-";
  let text = "";
  const input = getInput(path, "audio/wav", again);
  for await (const chunk of media.stream([...input, "-af", measure, "-f", "null", "-"], call))
    text = (text + chunk.toString("latin1")).slice(-4_096);
  const [, found = ""] = [...text.matchAll(/lavfi\.r128\.I=(-?[\d.]+)/g)].at(-1) ?? [];
  return Number(found || Number.NaN);
}

/** About five seconds of sound, in bytes. */
const shortBytes = 5 * 44_100 * 4;

/** Applies one gain to the whole speech and limits what would exceed -1.5 dBTP. */
function levelSpeech(lufs: number): string {
  if (!(lufs > -70)) return "anull";
  const limit = 10 ** (-1.6 / 20);
  return [
    `volume=${(wantedLufs - lufs).toFixed(2)}dB`,
    "aresample=176400",
    `alimiter=limit=${limit.toFixed(4)}:attack=5:release=50:level=false`,
    "aresample=44100",
  ].join(",");
}

/** Replaces control characters, which could switch the synthesiser's modes. */
function plain(text: string): string {
  return text.normalize("NFC").replace(/[\p{Cc}\p{Cs}]/gu, " ");
}

interface Manner {
  readonly args: readonly string[];
  readonly filters: readonly string[];
}

/** Words of the direction that change the delivery: pitch in steps, pace as a factor. */
const directions: readonly (readonly [RegExp, pitch: number, pace: number])[] = [
  [/\b(slow|slowly|calm|calmly|gentle|soothing|meditat\w*|solemn)\b/, -3, 0.88],
  [/\b(fast|quick|quickly|urgent|hurried|breaking)\b/, 2, 1.15],
  [/\b(excited|happy|cheerful|joyful|energetic|enthusias\w*|bright)\b/, 9, 1.08],
  [/\b(sad|melancholy|tired|grave|serious|sombre|somber)\b/, -7, 0.9],
  [/\b(deep|low|dark|booming|villain)\b/, -14, 0.95],
  [/\b(high|childlike|child|cartoon|squeaky)\b/, 18, 1.05],
];

function chooseManner({ voice, language, direction = "", speed, seed }: VoiceInput): Manner {
  const { accent, variant, pitch, wordsPerMinute } = voices[voice];
  const asked = direction.toLowerCase();
  const told = directions.filter(([words]) => words.test(asked));
  const bend = told.reduce((sum, [, steps]) => sum + steps, 0) + (seed % 5) - 2;
  const pace = told.reduce((product, [, , factor]) => product * factor, speed);
  const isWhispered = /\b(whisper\w*|hushed)\b/.test(asked);
  const place = language === undefined ? accent : (chooseAccent(language) ?? accent);
  const spoken = Math.round(Math.min(440, Math.max(80, wordsPerMinute * pace)));
  return {
    args: [
      ...["-v", `${place}+${isWhispered ? "whisper" : variant}`],
      ...["-s", `${spoken}`],
      ...["-p", `${Math.min(99, Math.max(0, pitch + bend))}`],
      ...["-a", "90", "-g", "2"],
    ],
    filters: [
      "highpass=f=75",
      "equalizer=f=190:t=q:w=0.9:g=2.5",
      "equalizer=f=950:t=q:w=1.2:g=-2",
      "equalizer=f=3100:t=q:w=1.1:g=-4.5",
      "equalizer=f=6200:t=q:w=1:g=2",
      "lowpass=f=9500",
      "acompressor=threshold=0.1:ratio=3:attack=8:release=140:makeup=2",
      isCathedral(asked)
        ? "aecho=0.8:0.6:60|110|180:0.3|0.22|0.14"
        : "aecho=0.9:0.4:17|31:0.1|0.06",
      "adelay=60:all=1,apad=pad_dur=0.2",
    ],
  };
}

function isCathedral(direction: string): boolean {
  return /\b(cathedral|hall|echo\w*|cave|stadium|announcement)\b/.test(direction);
}
