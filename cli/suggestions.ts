/** Suggests existing commands that are close to words which name none. */

/** Returns names that begin with the given words, else names that differ by a few letters. */
export function suggestNames(names: readonly string[], words: readonly string[]): string[] {
  for (let count = words.length; count > 0; count--) {
    const start = words.slice(0, count).join(" ");
    const begun = names.filter((name) => name.startsWith(`${start} `));
    if (begun.length > 0) return nearest(begun, words).slice(0, suggestionsMax);
    const within = names.filter((name) => count === 1 && name.startsWith(start));
    if (within.length > 0) return within.slice(0, suggestionsMax);
  }
  return nearest(names, words, true).slice(0, suggestionsMax);
}

const suggestionsMax = 12;

/** Sorts names by distance; with `isStrict`, only those a few letters off are kept. */
function nearest(names: readonly string[], words: readonly string[], isStrict = false): string[] {
  const rated = names.map((name) => {
    const length = name.split(" ").length;
    const text = words.slice(0, length).join(" ").slice(0, comparedMax);
    return { name, text, distance: editDistance(text, name) };
  });
  return rated
    .filter(
      ({ text, distance }) =>
        !isStrict || distance <= Math.min(text.length - 1, Math.max(2, text.length / 3)),
    )
    .sort((one, other) => one.distance - other.distance)
    .map(({ name }) => name);
}

/** Words longer than this are not misspelt commands. */
const comparedMax = 64;

/** Levenshtein distance: the number of letters to add, remove or change. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (const [line, letter] of [...from].entries()) {
    const next = [line + 1];
    for (let at = 0; at < to.length; at++) {
      const change = (row[at] ?? 0) + (to[at] === letter ? 0 : 1);
      next.push(Math.min(change, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
