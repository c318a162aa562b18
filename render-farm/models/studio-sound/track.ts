/** A stereo track in progress: 32-bit floats at 44,100 Hz, full scale at 1. */
export const rate = 44_100;

export interface Track {
  readonly left: Float32Array;
  readonly right: Float32Array;
}

export function newTrack(seconds: number): Track {
  const length = Math.round(seconds * rate);
  return { left: new Float32Array(length), right: new Float32Array(length) };
}

/** Adds a sound at a given time; `pan` is -1 left to 1 right, at equal power. Cuts the excess. */
export function add(
  { left, right }: Track,
  sound: Float32Array,
  atSeconds: number,
  gain: number,
  pan = 0,
): void {
  const start = Math.round(atSeconds * rate);
  const angle = ((pan + 1) * Math.PI) / 4;
  const [toLeft, toRight] = [
    gain * Math.cos(angle) * Math.SQRT2,
    gain * Math.sin(angle) * Math.SQRT2,
  ];
  const from = Math.max(0, -start);
  const until = Math.min(sound.length, left.length - start);
  for (let i = from; i < until; i++) {
    const value = sound[i] ?? 0;
    left[start + i] = (left[start + i] ?? 0) + value * toLeft;
    right[start + i] = (right[start + i] ?? 0) + value * toRight;
  }
}

export function addTrack(to: Track, from: Track, gain: number): void {
  for (const [target, source] of [
    [to.left, from.left],
    [to.right, from.right],
  ] as const)
    for (let i = 0; i < target.length; i++) target[i] = (target[i] ?? 0) + gain * (source[i] ?? 0);
}

/**
 * Brings the loud parts to `wanted` (root mean square) and limits what would clip. Continuous
 * sounds seem louder than impacts, so they are brought to `lasting` only.
 */
export function level({ left, right }: Track, wanted: number, lasting = wanted): void {
  const block = 4_096;
  const powers: number[] = [];
  for (let from = 0; from + block <= left.length; from += block) {
    let sum = 0;
    for (let i = from; i < from + block; i++) sum += (left[i] ?? 0) ** 2 + (right[i] ?? 0) ** 2;
    powers.push(sum / (2 * block));
  }
  const sorted = powers.sort((a, b) => b - a);
  const loud = sorted.slice(0, Math.max(1, Math.ceil(sorted.length * 0.3)));
  const power = loud.reduce((sum, one) => sum + one, 0) / Math.max(1, loud.length);
  const share = powers.reduce((sum, one) => sum + one, 0) / Math.max(1, powers.length) / power;
  const aim = lasting + (wanted - lasting) * (1 - Math.min(1, share));
  const gain = power > 1e-12 ? aim / Math.sqrt(power) : 1;
  for (const side of [left, right])
    for (let i = 0; i < side.length; i++) side[i] = round((side[i] ?? 0) * gain);
}

/** Linear up to 0.6, then compressed ever more towards 0.97. */
function round(value: number): number {
  const size = Math.abs(value);
  if (size <= 0.6) return value;
  return Math.sign(value) * (0.6 + 0.37 * Math.tanh((size - 0.6) / 0.37));
}

export function fade({ left, right }: Track, inSeconds: number, outSeconds: number): void {
  const [rise, fall] = [inSeconds * rate, outSeconds * rate];
  const last = left.length - 1;
  for (const side of [left, right])
    for (let i = 0; i <= last; i++) {
      const gain = Math.min(1, (i + 1) / (rise + 1), (last - i) / (fall + 1));
      if (gain < 1) side[i] = (side[i] ?? 0) * gain * gain * (3 - 2 * gain);
    }
}

/** Yields interleaved floats in ffmpeg's `f32le`, the byte order of all processors Node runs on. */
export function* toPcm({ left, right }: Track): Generator<Uint8Array> {
  const frames = 65_536;
  for (let from = 0; from < left.length; from += frames) {
    const count = Math.min(frames, left.length - from);
    const both = new Float32Array(count * 2);
    for (let i = 0; i < count; i++) {
      both[2 * i] = left[from + i] ?? 0;
      both[2 * i + 1] = right[from + i] ?? 0;
    }
    yield new Uint8Array(both.buffer);
  }
}
