/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import type { Composition } from "../../timeline/model.ts";

/**
 * Prepares markup of one file to be shown in the page of another: its addresses lead to the files
 * beside it, and its styles apply to its own markup only. The server resolves which file is meant.
 */
export const sceneAttribute = "data-klieg-scene";

export function rebaseMarkup(content: DocumentFragment, path: string): void {
  for (const element of content.querySelectorAll("[src],[href],[style]")) {
    for (const name of ["src", "href"]) {
      const address = element.getAttribute(name);
      if (address !== null) element.setAttribute(name, rebaseUrl(address, path));
    }
    const style = element.getAttribute("style");
    if (style?.includes("url(") === true) element.setAttribute("style", rebaseStyle(style, path));
  }
}

/** The plain address is sent along, because browsers drop path segments above the root. */
function rebaseUrl(address: string, path: string): string {
  if (address === "" || /^([a-z][a-z0-9+.-]*:|\/|#)/i.test(address)) return address;
  const [whole = "", ...hash] = address.split("#");
  const joint = whole.includes("?") ? "&" : "?";
  const asked = `klieg-from=${encodeURIComponent(path)}&klieg-as=${encodeURIComponent(whole)}`;
  return [`${whole}${joint}${asked}`, ...hash].join("#");
}

function rebaseStyle(text: string, path: string): string {
  return text.replace(
    /url\(\s*(["']?)([^"')]+)\1\s*\)/gi,
    (_, quote: string, address: string) =>
      `url(${quote}${rebaseUrl(address.trim(), path)}${quote})`,
  );
}

/** Moves styles into the page's head; in the markup, they would count as children. */
export async function takeStyles(
  content: DocumentFragment,
  { key, path }: Composition,
): Promise<void> {
  for (const element of content.querySelectorAll("style,link[rel~=stylesheet]")) {
    const { text, from } = await listWritten(element, path);
    const style = document.createElement("style");
    style.media = element.getAttribute("media") ?? "";
    style.textContent = scopeRules(rebaseStyle(text, from), key);
    element.remove();
    document.head.append(style);
  }
}

/** Returns a stylesheet's text, and the file to which its addresses are relative. */
async function listWritten(element: Element, path: string) {
  const address = element.getAttribute("href");
  if (!(element instanceof HTMLLinkElement) || address === null)
    return { text: element.textContent ?? "", from: path };
  const [plain = ""] = address.split(/[?#]/);
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  const text = await fetch(address).then(
    (answer) => (answer.ok ? answer.text() : ""),
    () => "",
  );
  return { text, from: `${folder}${plain}` };
}

/** Key frames, fonts and the like cannot be scoped; all other rules apply within the host only. */
function scopeRules(text: string, key: string): string {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(text);
  const global: string[] = [];
  const local: string[] = [];
  for (const rule of sheet.cssRules) {
    const isGlobal =
      rule instanceof CSSKeyframesRule ||
      rule instanceof CSSFontFaceRule ||
      rule instanceof CSSPropertyRule;
    (isGlobal ? global : local).push(rule.cssText);
  }
  const own = local
    .join("\n")
    .replace(/(^|[{},>\s])(:root|html|body)(?=[\s,.:#[{>+~])/g, "$1:scope");
  return `${global.join("\n")}\n@scope ([${sceneAttribute}="${key}"]) {\n${own}\n}`;
}
