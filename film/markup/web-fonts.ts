import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { type WebFont, webFonts } from "../../config/web-fonts.ts";

/**
 * Gives pages the fonts that they name from font packages instead of from the machine, so that a
 * film looks the same wherever it is rendered. Fonts that a bundle brings itself take precedence.
 */
export const facesPath = "faces/";

export interface Faces {
  readonly rules: string;
  /** Whether scripts may measure text in these fonts. */
  readonly areNamed: boolean;
}

/** Style rules for the families that these texts name; each file is fetched when it is used. */
export async function facesFor(texts: readonly string[], address: string): Promise<Faces> {
  const text = texts.join("\n");
  const own = new Set(
    [...text.matchAll(/@font-face\s*\{[^}]*?font-family\s*:\s*["']?([^;"'}]+)/gi)].map(
      ([, name = ""]) => name.trim().toLowerCase(),
    ),
  );
  const rules: string[] = [];
  let areNamed = false;
  for (const [index, font] of webFonts.entries())
    for (const family of font.families) {
      const isWanted = isNamed(family, text);
      if (own.has(family.toLowerCase()) || (!isWanted && family !== usual)) continue;
      areNamed ||= isWanted;
      // Named families (`block`) are loaded at once, the default one (`fallback`) when it is used.
      rules.push(
        await writeFaces(font, family, isWanted ? "block" : "fallback", `${address}${index}/`),
      );
    }
  return { rules: rules.join("\n"), areNamed };
}

/** The browsers' default family. */
const usual = "Times New Roman";

function isNamed(family: string, text: string): boolean {
  return new RegExp(`(?<![\\w-])${family}(?![\\w-])`, "i").test(text);
}

const require = createRequire(import.meta.url);
const sheets = new Map<string, Promise<string>>();

async function writeFaces(
  font: WebFont,
  family: string,
  display: "block" | "fallback",
  address: string,
): Promise<string> {
  const texts = await Promise.all(font.sheets.map((sheet) => sheetText(font, sheet)));
  return texts
    .join("\n")
    .replace(/\/\*.*?\*\//g, "")
    .replace(/font-family:[^;]*;/g, `font-family:"${family}";`)
    .replace(/font-display:[^;]*;/g, `font-display:${display};`)
    .replace(/,\s*url\([^)]*\.woff\) format\('woff'\)/g, "")
    .replace(/url\(\.\/files\//g, `url(${address}`);
}

function sheetText(font: WebFont, sheet: string): Promise<string> {
  const path = require.resolve(`${font.package}/${sheet}.css`);
  const known = sheets.get(path) ?? readFile(path, "utf8");
  sheets.set(path, known);
  return known;
}

/** Reads a font file that these rules name; `undefined` for any other path. */
export async function faceFile(path: string): Promise<Buffer | undefined> {
  const [, index = "", name = ""] = /^(\d+)\/([\w-]+\.woff2)$/.exec(path) ?? [];
  const font = webFonts[Number(index || Number.NaN)];
  const [sheet] = font?.sheets ?? [];
  if (font === undefined || sheet === undefined) return undefined;
  const folder = dirname(require.resolve(`${font.package}/${sheet}.css`));
  return readFile(join(folder, "files", name)).catch(() => undefined);
}
