/** Names are one line: without control characters (Cc) and without those that reorder text. */

/** Of a JSON schema's `pattern`. */
export const oneLinePattern = "^[^\\u0000-\\u001F\\u007F-\\u009F\\u202A-\\u202E\\u2066-\\u2069]*$";

/** What a refusal says of a text that does not match. */
export const oneLineRule =
  "must be one line, without control characters or characters that change the direction of text";

const broken = /[\s\p{Cc}\u202A-\u202E\u2066-\u2069]+/gu;

/** What most texts do not have: they stay as they are, without a new text for each space. */
const uneven = /[^\S ]|[\p{Cc}\u202A-\u202E\u2066-\u2069]| {2}|^ | $/u;

/** The text with a space for each run of white space and of characters that no name has. */
export function toOneLine(text: string): string {
  return uneven.test(text) ? text.replaceAll(broken, " ").trim() : text;
}

/** At most `max` characters from the start of the text, none of them cut in half. */
export function firstCharacters(text: string, max: number): string {
  return text.length <= max ? text : [...text.slice(0, 2 * max)].slice(0, max).join("");
}
