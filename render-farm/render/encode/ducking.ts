import { join } from "node:path";
import { writeNew } from "../../fence/own-folders.ts";
import type { MediaTools } from "../../programs/media-tools.ts";
import { passMs } from "../inputs/media-files.ts";
import type { AudioMix } from "../render-input.ts";

/** Computes how far narration lowers the music, for each millisecond of the film. */
export interface CurveSetup {
  readonly tools: MediaTools;
  readonly folder: string;
  readonly signal: AbortSignal;
}

type Ducking = NonNullable<AudioMix["ducking"]>;

const rate = 8_000;
const stepsPerSecond = 1_000;
const samplesPerStep = rate / stepsPerSecond;
/** Peak above which narration counts as sounding; it then counts for `holdMs` longer. */
const threshold = 10 ** (-42 / 20);
const holdMs = 250;

/** Writes a curve of gains as 1000 32-bit floats per second; returns its path. */
export async function duckingCurve(
  narration: string,
  ducking: Ducking,
  { tools, folder, signal }: CurveSetup,
): Promise<string> {
  const path = join(folder, "ducking.f32");
  const args = ["-i", `file:${narration}`, "-ac", "1", "-ar", `${rate}`, "-f", "s16le", "-"];
  const call = { signal, timeoutMs: passMs, fault: "The narration could not be read." };
  const loud: boolean[] = [];
  let peak = 0;
  let counted = 0;
  let odd: Buffer = Buffer.alloc(0);
  for await (const chunk of tools.stream(args, call)) {
    const bytes = Buffer.concat([odd, chunk]);
    const whole = bytes.length & ~1;
    odd = bytes.subarray(whole);
    for (let at = 0; at < whole; at += 2) {
      peak = Math.max(peak, Math.abs(bytes.readInt16LE(at)) / 32_768);
      counted += 1;
      if (counted < samplesPerStep) continue;
      loud.push(peak > threshold);
      peak = 0;
      counted = 0;
    }
  }
  const gains = gainCurve(loud, ducking);
  await writeNew(path, Buffer.from(gains.buffer, gains.byteOffset, gains.byteLength));
  return path;
}

/** Gain that falls within the attack when narration begins, and rises within the release after. */
export function gainCurve(loud: readonly boolean[], ducking: Ducking): Float32Array {
  const { amount_db: amount = -12, attack_ms: attack = 50, release_ms: release = 400 } = ducking;
  const gains = new Float32Array(loud.length);
  let held = 0;
  let depth = 0;
  for (const [at, isLoud] of loud.entries()) {
    held = isLoud ? holdMs : held - 1;
    depth = held > 0 ? Math.min(1, depth + 1 / attack) : Math.max(0, depth - 1 / release);
    gains[at] = 10 ** ((amount * depth) / 20);
  }
  return gains;
}
