import type { Random } from "./seeded-random.ts";

/** Smooth noise over the plane, about -1 to 1, one hill per unit. */
export type Noise = (x: number, y: number) => number;

/** Returns Perlin's gradient noise, which repeats after 256 units. */
export function gradientNoise(random: Random): Noise {
  const order = new Uint8Array(512);
  const gradientX = new Float64Array(256);
  const gradientY = new Float64Array(256);
  for (let i = 0; i < 256; i++) {
    order[i] = i;
    const angle = random.next() * 2 * Math.PI;
    gradientX[i] = Math.cos(angle);
    gradientY[i] = Math.sin(angle);
  }
  for (let i = 255; i > 0; i--) {
    const j = random.index(i + 1);
    const swapped = order[i] ?? 0;
    order[i] = order[j] ?? 0;
    order[j] = swapped;
  }
  order.copyWithin(256, 0, 256);
  const corner = (hash: number, x: number, y: number): number => {
    const i = order[hash] ?? 0;
    return (gradientX[i] ?? 0) * x + (gradientY[i] ?? 0) * y;
  };
  return (x, y) => {
    const cellX = Math.floor(x);
    const cellY = Math.floor(y);
    const u = x - cellX;
    const v = y - cellY;
    const left = order[cellX & 255] ?? 0;
    const right = order[(cellX + 1) & 255] ?? 0;
    const row = cellY & 255;
    const next = (row + 1) & 255;
    const fadeX = u * u * u * (u * (u * 6 - 15) + 10);
    const fadeY = v * v * v * (v * (v * 6 - 15) + 10);
    const top = mix(corner(left + row, u, v), corner(right + row, u - 1, v), fadeX);
    const bottom = mix(corner(left + next, u, v - 1), corner(right + next, u - 1, v - 1), fadeX);
    return 1.5 * mix(top, bottom, fadeY);
  };
}

/** Sums octaves of noise, each twice as fine and half as strong; from about -1 to 1. */
export function fractal(noise: Noise, x: number, y: number, octaves: number): number {
  let sum = 0;
  let strength = 0.5;
  let frequency = 1;
  for (let i = 0; i < octaves; i++) {
    sum += strength * noise(x * frequency + i * 17.3, y * frequency - i * 9.1);
    strength /= 2;
    frequency *= 2.03;
  }
  return sum;
}

/** Sharp crests between smooth valleys, 0 to 1: Musgrave's ridged multifractal. */
export function ridges(noise: Noise, x: number, y: number, octaves: number): number {
  let sum = 0;
  let strength = 0.5;
  let frequency = 1;
  let weight = 1;
  for (let i = 0; i < octaves; i++) {
    const crest = 1 - Math.abs(noise(x * frequency + i * 31.7, y * frequency + i * 11.9));
    const signal = crest * crest * weight;
    weight = Math.min(1, Math.max(0, signal * 1.8));
    sum += signal * strength;
    strength /= 2;
    frequency *= 2.1;
  }
  return sum;
}

export function mix(from: number, to: number, fraction: number): number {
  return from + (to - from) * fraction;
}

export function clamp01(value: number): number {
  return Math.min(1, Math.max(0, value));
}

/** Rises smoothly from 0 at `low` to 1 at `high`, which may be the lesser of the two. */
export function smoothstep(low: number, high: number, value: number): number {
  const t = clamp01((value - low) / (high - low));
  return t * t * (3 - 2 * t);
}
