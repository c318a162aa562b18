import type { ExampleColors } from "../example-colors.ts";
import type { Color } from "./color.ts";
import { colorsByName } from "./named-colors.ts";
import { hashText } from "./seeded-random.ts";
import {
  counts,
  type Setting,
  type Style,
  type SubjectKind,
  settings,
  styles,
  subjects,
  type TimeOfDay,
  times,
  type Weather,
  weathers,
} from "./vocabulary.ts";

export type { TimeOfDay } from "./vocabulary.ts";

/**
 * The parts of a prompt that the vocabulary covers. A colour word applies to the next noun within
 * three words ("a red paper kite"); a colour without a noun tints the whole picture.
 */
export interface Brief {
  /** Mixed into the seed, so that any two prompts differ even in words that are not known. */
  readonly hash: number;
  readonly settings: readonly Setting[];
  readonly subjects: readonly Subject[];
  readonly time: TimeOfDay | undefined;
  readonly weathers: ReadonlySet<Weather>;
  readonly style: Style;
  readonly tints: readonly Color[];
  readonly colorsByNoun: ReadonlyMap<Setting | "sky", Color>;
  /** Colours of the example pictures, if any were given. */
  readonly example: ExampleColors | undefined;
  /** Settings, subjects, weathers and styles that must not appear. */
  readonly unwanted: ReadonlySet<Setting | SubjectKind | Weather | Style>;
}

export interface Subject {
  readonly kind: SubjectKind;
  /** The word in the prompt, for details that depend on it: a shark is a grey fish. */
  readonly word: string;
  readonly color: Color | undefined;
  readonly count: number;
}

const nounReach = 3;
const countReach = 4;
const pluralCounts: Partial<Record<SubjectKind, number>> = { bird: 9, fish: 12, balloon: 5 };
const phrases: readonly (readonly [RegExp, string])[] = [
  [/golden hour/g, "golden-hour"],
  [/northern lights/g, "northern-lights"],
  [/hot[ -]air/g, ""],
  [/palm tree/g, "palm"],
  [/coral reef/g, "reef"],
  [/(cherry|sakura) blossoms?/g, "$1"],
  [/pixel art/g, "retro"],
  [/under the sea|under water/g, "underwater"],
  [/above the clouds/g, "cloud"],
  [/milky way/g, "milky"],
];

export function readPrompt(prompt: string, negative?: string, example?: ExampleColors): Brief {
  const unwanted = findMeanings(splitWords(negative ?? ""));
  const all = splitWords(prompt);
  const words = all.filter((word, at) => {
    // A colour is dropped together with the unwanted noun that it describes.
    const owner = colorsByName.has(word) ? nounAfter(all, at) : undefined;
    return !isUnwanted(word, unwanted) && !isUnwanted(all[owner ?? at] ?? "", unwanted);
  });
  const { colorsByNoun, tints, colorAt } = readColors(words);
  return {
    hash: hashText(all.join(" ") || prompt),
    settings: distinct(words.map((word) => findMeaning(settings, word))),
    subjects: readSubjects(words, colorAt),
    time: readTime(words),
    weathers: new Set(distinct(words.map((word) => findMeaning(weathers, word)))),
    style: words.map((word) => findMeaning(styles, word)).find((style) => style) ?? "natural",
    tints,
    colorsByNoun,
    example,
    unwanted,
  };
}

/** Splits into lower-case words; a phrase with a meaning of its own becomes one word. */
export function splitWords(prompt: string): readonly string[] {
  const plain = phrases.reduce(
    (text, [phrase, word]) => text.replace(phrase, word),
    prompt.toLowerCase(),
  );
  return plain.match(/[\p{L}\p{N}][\p{L}\p{N}-]*/gu) ?? [];
}

function findMeanings(words: readonly string[]): Brief["unwanted"] {
  return new Set(
    words.flatMap((word) =>
      distinct<Setting | SubjectKind | Weather | Style>([
        findMeaning(settings, word),
        findMeaning(subjects, word),
        findMeaning(weathers, word),
        findMeaning(styles, word),
      ]),
    ),
  );
}

/** A word is unwanted if any of its meanings is. */
function isUnwanted(word: string, unwanted: Brief["unwanted"]): boolean {
  return [...findMeanings([word])].some((one) => unwanted.has(one));
}

/** "A rainy night" is a night: the light of a storm applies only if no time of day is named. */
function readTime(words: readonly string[]): TimeOfDay | undefined {
  const named = distinct(words.map((word) => findMeaning(times, word)));
  return named.find((time) => time !== "storm") ?? named[0];
}

function readSubjects(
  words: readonly string[],
  colorAt: ReadonlyMap<number, Color>,
): readonly Subject[] {
  const found = new Map<SubjectKind, Subject>();
  words.forEach((word, at) => {
    const kind = findMeaning(subjects, word);
    if (kind === undefined) return;
    const isPlural =
      !subjects.has(word) ||
      /[^s]s$|geese|cacti|wolves|people/.test(word) ||
      isHerd(word, words[at - 1]);
    const near = words.slice(Math.max(0, at - countReach), at + 1).reverse();
    const told = near.map((before) => counts.get(before)).find((count) => count !== undefined);
    const count = isPlural && (told ?? 1) === 1 ? (pluralCounts[kind] ?? 3) : (told ?? 1);
    const before = found.get(kind);
    found.set(kind, {
      kind,
      word: before?.word ?? word,
      color: before?.color ?? colorAt.get(at),
      count: Math.max(count, before?.count ?? 1),
    });
  });
  return [...found.values()];
}

function readColors(words: readonly string[]): {
  readonly tints: readonly Color[];
  readonly colorsByNoun: ReadonlyMap<Setting | "sky", Color>;
  readonly colorAt: ReadonlyMap<number, Color>;
} {
  const tints: Color[] = [];
  const colorsByNoun = new Map<Setting | "sky", Color>();
  const colorAt = new Map<number, Color>();
  words.forEach((word, at) => {
    const color = colorsByName.get(word);
    if (color === undefined || (subjects.has(word) && at === words.length - 1)) return;
    const noun = nounAfter(words, at);
    if (noun === undefined) tints.push(color);
    else if (isSkyWord(words[noun])) colorsByNoun.set("sky", color);
    else {
      colorAt.set(noun, color);
      const setting = findMeaning(settings, words[noun] ?? "");
      if (setting !== undefined) colorsByNoun.set(setting, color);
    }
  });
  return { tints, colorsByNoun, colorAt };
}

function nounAfter(words: readonly string[], at: number): number | undefined {
  for (let i = at + 1; i <= Math.min(at + nounReach, words.length - 1); i++) {
    const word = words[i] ?? "";
    if (["and", "with", "over", "on", "in", "at", "by", "under"].includes(word)) return undefined;
    if (isSkyWord(word) || findMeaning(subjects, word) || findMeaning(settings, word)) return i;
  }
  return undefined;
}

export function isSkyWord(word: string | undefined): boolean {
  return /^(sky|skies|sunset|sunrise|dawn|dusk|twilight|night|aurora|light)$/.test(word ?? "");
}

/** "fish" without an article is treated as a plural. */
function isHerd(word: string, before: string | undefined): boolean {
  return (
    word === "fish" && !(before !== undefined && (counts.has(before) || colorsByName.has(before)))
  );
}

/** Looks a word up unchanged, then as a plural. */
export function findMeaning<T>(meanings: ReadonlyMap<string, T>, word: string): T | undefined {
  const stems = [word, word.replace(/ies$/, "y"), word.replace(/es$/, ""), word.replace(/s$/, "")];
  return stems.map((stem) => meanings.get(stem)).find((found) => found !== undefined);
}

function distinct<T>(values: readonly (T | undefined)[]): readonly T[] {
  return [...new Set(values.filter((value) => value !== undefined))];
}
