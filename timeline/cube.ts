import type { Adjust, Grade } from "./grade.ts";

/**
 * Colour tables: reading .cube files (Adobe's Cube LUT 1.0, three dimensions) and baking a whole
 * grade into one, so that pictures, films and exports show the same colours.
 */
export interface CubeTable {
  readonly size: number;
  readonly least: Color;
  readonly most: Color;
  /** `size` cubed colours, red varying fastest. */
  readonly colors: Float32Array;
}

type Color = readonly [red: number, green: number, blue: number];

const sizeMax = 64;
export const bakedSize = 33;

/** Parses a .cube file; `undefined` when it is no such table. */
export function parseCube(text: string): CubeTable | undefined {
  let size = 0;
  let least: Color = [0, 0, 0];
  let most: Color = [1, 1, 1];
  const values: number[] = [];
  for (const line of text.split(/\r?\n/)) {
    const plain = line.replace(/#.*/, "").trim();
    if (plain === "" || plain.startsWith("TITLE")) continue;
    const [name = "", ...rest] = plain.split(/\s+/);
    if (name === "LUT_3D_SIZE") size = Number(rest[0]);
    else if (name === "DOMAIN_MIN") least = colorIn(rest) ?? least;
    else if (name === "DOMAIN_MAX") most = colorIn(rest) ?? most;
    else if (/^[-+.\d]/.test(name)) values.push(...(colorIn([name, ...rest]) ?? []));
    else if (name.startsWith("LUT_1D")) return undefined;
    if (values.length > 3 * sizeMax ** 3) return undefined;
  }
  const isWhole = Number.isInteger(size) && size >= 2 && size <= sizeMax;
  if (!isWhole || values.length !== 3 * size ** 3) return undefined;
  return { size, least, most, colors: Float32Array.from(values) };
}

function colorIn(words: readonly string[]): Color | undefined {
  const [red, green, blue] = words.map(Number);
  const isColor = [red, green, blue].every((part) => Number.isFinite(part));
  return isColor && words.length === 3 ? [red ?? 0, green ?? 0, blue ?? 0] : undefined;
}

/** Writes the grade as a .cube file of 33 steps. */
export function bakeCube(grade: Grade, table: CubeTable | undefined, title: string): string {
  const lines = [
    `TITLE "${title.replace(/[^\x20-\x7e]|"/g, "")}"`,
    `LUT_3D_SIZE ${bakedSize}`,
    "DOMAIN_MIN 0 0 0",
    "DOMAIN_MAX 1 1 1",
  ];
  const step = (index: number): number => index / (bakedSize - 1);
  for (let blue = 0; blue < bakedSize; blue++)
    for (let green = 0; green < bakedSize; green++)
      for (let red = 0; red < bakedSize; red++) {
        const color = gradeColor([step(red), step(green), step(blue)], grade, table);
        lines.push(color.map((part) => part.toFixed(6)).join(" "));
      }
  return `${lines.join("\n")}\n`;
}

/** Grades a colour, whose parts are 0 to 1, in sRGB. */
export function gradeColor(color: Color, grade: Grade, table: CubeTable | undefined): Color {
  const adjusted = adjustColor(color, grade.adjust);
  const looked = table === undefined ? adjusted : lookUpColor(adjusted, table);
  const mix = (index: 0 | 1 | 2): number =>
    clampColor(color[index] + (looked[index] - color[index]) * grade.intensity);
  return [mix(0), mix(1), mix(2)];
}

/** Adjusts exposure, in stops, and white balance in linear light, the rest as it is seen. */
function adjustColor(color: Color, adjust: Adjust): Color {
  const gain = 2 ** adjust.exposure;
  const warm = 0.2 * adjust.temperature;
  const gains: Color = [gain * (1 + warm), gain * (1 - 0.2 * adjust.tint), gain * (1 - warm)];
  const lit = each(color, (part, index) => clampPart(linear(part) * (gains[index] ?? 1)));
  const contrast = each(lit, (part) => (part - 0.5) * (1 + adjust.contrast) + 0.5);
  const light = clampColor(luma(contrast));
  const lift = 0.4 * adjust.shadows * (1 - light) ** 2 * light ** 0.5;
  const shine = 0.4 * adjust.highlights * light ** 2;
  const toned = each(contrast, (part) => part + lift + shine);
  const gray = luma(toned);
  return each(toned, (part) => clampColor(gray + (part - gray) * (1 + adjust.saturation)));
}

function lookUpColor(color: Color, { size, least, most, colors }: CubeTable): Color {
  const place = color.map((part, index) => {
    const from = least[index] ?? 0;
    const width = (most[index] ?? 1) - from || 1;
    return clampColor((part - from) / width) * (size - 1);
  });
  const low = place.map((part) => Math.min(size - 2, Math.floor(part)));
  const share = place.map((part, index) => part - (low[index] ?? 0));
  const result: [number, number, number] = [0, 0, 0];
  for (let corner = 0; corner < 8; corner++) {
    const bits = [corner & 1, (corner >> 1) & 1, corner >> 2];
    let weight = 1;
    for (const [axis, bit] of bits.entries())
      weight *= bit === 1 ? (share[axis] ?? 0) : 1 - (share[axis] ?? 0);
    const [red = 0, green = 0, blue = 0] = bits.map((bit, axis) => (low[axis] ?? 0) + bit);
    const at = 3 * (red + size * (green + size * blue));
    for (const part of [0, 1, 2] as const) result[part] += weight * (colors[at + part] ?? 0);
  }
  return result;
}

function each(color: Color, change: (part: number, index: number) => number): Color {
  return [change(color[0], 0), change(color[1], 1), change(color[2], 2)];
}

function luma([red, green, blue]: Color): number {
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function linear(part: number): number {
  return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
}

function clampPart(part: number): number {
  return part <= 0.0031308 ? part * 12.92 : 1.055 * part ** (1 / 2.4) - 0.055;
}

function clampColor(part: number): number {
  return Math.min(1, Math.max(0, part));
}
