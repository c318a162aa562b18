/// <reference lib="dom" />
/// <reference lib="dom.iterable" />

/** Finds the fonts that the first frame needs, and what no font here can show. */
const facesMax = 300;
const elementsMax = 5_000;
const lettersMax = 1_000;

/** The bundle's faces, and our most used ones, to load at once; others load when used. */
export function promptFaces(): readonly FontFace[] {
  return [...document.fonts]
    .filter(
      (face) =>
        !isOurs(face) || (face.display === "block" && face.style === "normal" && isLatin(face)),
    )
    .slice(0, facesMax);
}

function isLatin({ unicodeRange }: FontFace): boolean {
  return /^U\+0+-FF\b/i.test(unicodeRange);
}

/** Our faces set `font-display`: `block`, or `fallback` for the default family. */
function isOurs({ display }: FontFace): boolean {
  return display === "block" || display === "fallback";
}

/** Lays out the page, so that the faces which it uses begin to load, and waits for them. */
export async function facesUsed(): Promise<void> {
  if (![...document.fonts].some(({ status }) => status === "unloaded")) {
    if (document.fonts.status === "loading") await document.fonts.ready;
    return;
  }
  document.documentElement.getBoundingClientRect();
  if (document.fonts.status === "loading") await document.fonts.ready;
}

interface Writing {
  /** The computed `font-family`, in order of preference. */
  readonly families: string;
  readonly letters: Set<string>;
}

/** Returns a sentence for each missing family, and for the letters that no font here has. */
export function lackingFonts(): readonly string[] {
  const pen = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  if (pen === null) return [];
  const writings = writingsIn(document.body);
  const sentences = new Set<string>();
  const lacking = new Set<string>();
  for (const { families, letters } of writings) {
    const names = familiesIn(families);
    const [first] = names;
    if (first !== undefined && !isGeneric(first) && !hasFamily(first, pen)) {
      const shown = names.find((name) => isGeneric(name) || hasFamily(name, pen)) ?? "another font";
      sentences.add(`no font named ${first} is available; its text is shown in ${shown}`);
    }
    for (const letter of letters) if (!hasGlyph(letter, families, pen)) lacking.add(letter);
  }
  if (lacking.size > 0) {
    const some = [...lacking].slice(0, 20).join("");
    sentences.add(`no font here has the letters "${some}"; they are shown as empty boxes`);
  }
  return [...sentences];
}

function writingsIn(root: HTMLElement): readonly Writing[] {
  const byFamilies = new Map<string, Writing>();
  let letters = 0;
  for (const element of [...root.querySelectorAll("*")].slice(0, elementsMax)) {
    if (/^(SCRIPT|STYLE|TEMPLATE)$/.test(element.tagName)) continue;
    const text = [...element.childNodes]
      .map((node) => (node.nodeType === Node.TEXT_NODE ? node.textContent : ""))
      .join("");
    if (text.trim() === "") continue;
    const families = getComputedStyle(element).fontFamily;
    const writing = byFamilies.get(families) ?? { families, letters: new Set() };
    byFamilies.set(families, writing);
    for (const letter of text)
      if (letters < lettersMax && isDrawn.test(letter) && !writing.letters.has(letter)) {
        writing.letters.add(letter);
        letters += 1;
      }
  }
  return [...byFamilies.values()];
}

/** Matches characters with a glyph of their own, except ASCII. */
const isDrawn = /[^\0-\x7f\p{M}\p{Z}\p{Cc}\p{Cf}\p{Cs}\p{Cn}]/u;

function familiesIn(list: string): readonly string[] {
  const names = list.match(/"[^"]*"|'[^']*'|[^,]+/g) ?? [];
  return names.map((name) => name.trim().replace(/^["']|["']$/g, "")).filter((name) => name !== "");
}

const generic = new RegExp(
  "^(serif|sans-serif|monospace|cursive|fantasy|math|emoji|fangsong|system-ui|ui-[a-z-]+|" +
    "-apple-system|BlinkMacSystemFont)$",
  "i",
);

function isGeneric(name: string): boolean {
  return generic.test(name);
}

const known = new Map<string, boolean>();

/** Text in a missing family is exactly as wide as in the family after it. */
function hasFamily(name: string, pen: CanvasRenderingContext2D): boolean {
  const before = known.get(name);
  if (before !== undefined) return before;
  const plain = (family: string): string => family.replace(/^["']|["']$/g, "").toLowerCase();
  const isFace = [...document.fonts].some(({ family }) => plain(family) === name.toLowerCase());
  const width = (families: string): number => {
    pen.font = `72px ${families}`;
    return pen.measureText("mmMwWliI10@&").width;
  };
  const quoted = `"${name.replaceAll('"', "")}"`;
  const isOther = ["monospace", "serif"].some((base) => width(`${quoted},${base}`) !== width(base));
  known.set(name, isFace || isOther);
  return isFace || isOther;
}

const size = 32;

/** A letter that no font has looks like a code point that is not assigned. */
function hasGlyph(letter: string, families: string, pen: CanvasRenderingContext2D): boolean {
  const [one, other] = [letter, unassigned].map((text) => {
    pen.canvas.width = size;
    pen.font = `24px ${families}`;
    pen.fillText(text, 2, 26);
    return new Uint32Array(pen.getImageData(0, 0, size, size).data.buffer);
  });
  return one === undefined || one.some((pixel, at) => pixel !== other?.[at]);
}

const unassigned = "\u0378";
