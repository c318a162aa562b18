/** Rules for names of one line: no control characters (Cc) and none that reorder text. */

/** The rule as the `pattern` of a JSON schema. */
export const oneLinePattern = "^[^\\u0000-\\u001F\\u007F-\\u009F\\u202A-\\u202E\\u2066-\\u2069]*$";

/** The message of a refusal for a text that does not match the pattern. */
export const oneLineRule =
  "must be one line, without control characters or characters that change the direction of text";

const broken = /[\s\p{Cc}\u202A-\u202E\u2066-\u2069]+/gu;

/** Tests whether a text needs cleaning; most do not and are returned without being copied. */
const uneven = /[^\S ]|[\p{Cc}\u202A-\u202E\u2066-\u2069]| {2}|^ | $/u;

/** Replaces each run of white space and of characters that are not allowed in names by a space. */
export function toOneLine(text: string): string {
  return uneven.test(text) ? text.replaceAll(broken, " ").trim() : text;
}

/** Returns at most `max` characters from the start of the text, none of them cut in half. */
export function firstCharacters(text: string, max: number): string {
  return text.length <= max ? text : [...text.slice(0, 2 * max)].slice(0, max).join("");
}
