/**
 * Finds the words of a prompt that the studio does not draw, which are reported to the client.
 * Words that only join others, or that describe pictures in general, are left out.
 */
import { colorsByName } from "./named-colors.ts";
import { findMeaning, isSkyWord, splitWords } from "./prompt.ts";
import { counts, settings, styles, subjects, times, weathers } from "./vocabulary.ts";

const joining = new Set(
  (
    "a an the and or but with without of on in at by under over above below into onto from to for as " +
    "is are was be its it this that these those his her their our your my one some any many few more " +
    "near beside behind before after between through across along around against off up down out " +
    "very much so too just only all every each both other another there here where while when which who " +
    "photo photograph photography picture image painting drawing illustration render rendering art " +
    "artwork scene view shot style styled portrait landscape poster wallpaper background foreground " +
    "quality detailed detail details high highly ultra hd 4k 8k uhd best masterpiece professional " +
    "beautiful pretty lovely nice stunning gorgeous amazing epic cinematic dramatic realistic " +
    "photorealistic soft warm cold cool bright dark light lighting lit shadow shadows colour color " +
    "colours colors colorful colourful tone tones mood atmosphere calm quiet peaceful serene wide close " +
    "closeup close-up macro lens bokeh focus depth field composition centered minimal simple clean big " +
    "large small little tiny huge tall long old new young wild free single alone empty distant far " +
    "flying standing sitting running walking sailing swimming floating rising falling setting glowing " +
    "shining seen looking made like no not"
  ).split(" "),
);

const namedMax = 8;

/** Returns a sentence about undrawn words for the job, or none. */
export function undrawnWarnings(prompt: string): readonly string[] {
  const words = undrawnWords(prompt);
  if (words.length === 0) return [];
  const more = words.length > namedMax ? ` and ${words.length - namedMax} more` : "";
  const named = words.slice(0, namedMax).join(", ").slice(0, 160);
  return [`Not drawn, because this model does not know these words: ${named}${more}.`];
}

/** Returns each undrawn word once, in the prompt's order. */
export function undrawnWords(prompt: string): readonly string[] {
  const words = splitWords(prompt).filter((word) => !isKnown(word));
  return [...new Set(words)];
}

function isKnown(word: string): boolean {
  if (joining.has(word) || counts.has(word) || colorsByName.has(word) || isSkyWord(word))
    return true;
  if (/^\p{N}+$/u.test(word)) return true;
  return [settings, subjects, times, weathers, styles].some(
    (meanings) => findMeaning<unknown>(meanings, word) !== undefined,
  );
}
