/**
 * Returns the line, from 1, of the element that a diagnostic names as `tag#id`, or as `tag` where
 * it has no id; undefined when the text does not contain it.
 */
export function elementLine(text: string, element: string): number | undefined {
  const [tag = "", ...parts] = element.split("#");
  const id = parts.join("#");
  const found = id === "" ? text.search(tagPattern(tag)) : text.search(idPattern(id));
  return found < 0 ? undefined : text.slice(0, found).split("\n").length;
}

function idPattern(id: string): RegExp {
  const name = escapeText(id);
  return new RegExp(`\\b(?:data-composition-)?id\\s*=\\s*(?:"${name}|'${name}|${name}\\b)`);
}

function tagPattern(tag: string): RegExp {
  return new RegExp(`<${escapeText(tag)}[\\s>]`, "i");
}

function escapeText(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, "\\$&");
}
