import { limits } from "../config/limits.ts";
import { type Bundle, findTarget } from "./bundle.ts";
import { type Element, everyElement } from "./markup.ts";

/** Styles of a page as they are written: in its markup, and in the files that it names. */
export interface Stylesheet {
  readonly path: string;
  /** The element that contains or names the stylesheet. */
  readonly element: Element;
  /** Text without comments; of a `style` attribute the declarations alone. */
  readonly text: string;
  readonly isAttribute: boolean;
}

export interface Stylesheets {
  readonly all: readonly Stylesheet[];
  /** Whether there are stylesheets that are not read here. */
  readonly isPartial: boolean;
}

export function readStylesheets(bundle: Bundle, html: Element, path: string): Stylesheets {
  const all: Stylesheet[] = [];
  const seen = new Set<string>();
  let isPartial = false;
  const add = (element: Element, from: string, written: string): void => {
    const text = written.replace(/\/\*[\s\S]*?(\*\/|$)/g, " ");
    all.push({ path: from, element, text, isAttribute: false });
    for (const address of importsIn(text)) addFile(element, address, from);
  };
  const addFile = (element: Element, address: string, from: string): void => {
    const target = findTarget(bundle, address, from);
    if (target.kind === "file" && seen.has(target.path)) return;
    const text = target.kind === "file" ? bundle.read(target.path) : undefined;
    if (
      target.kind !== "file" ||
      text === undefined ||
      seen.size >= limits.timeline.stylesheetsMax
    ) {
      isPartial = true;
      return;
    }
    seen.add(target.path);
    add(element, target.path, text);
  };
  for (const element of everyElement(html)) {
    const { style, href, rel = "" } = element.attributes;
    if (element.tag === "style") add(element, path, element.text);
    if (element.tag === "link" && href !== undefined && /\bstylesheet\b/i.test(rel))
      addFile(element, href, path);
    if (style !== undefined) all.push({ path, element, text: style, isAttribute: true });
  }
  return { all, isPartial };
}

const importRule =
  /@import\s+(?:url\(\s*)?(?:"([^"]*)"|'([^']*)'|(?<=url\(\s*)([^\s"')]+)|([^\s"');]+))/gi;

/** Returns the addresses of the files that a stylesheet imports. */
export function importsIn(text: string): readonly string[] {
  return [...text.matchAll(importRule)].map(([, a, b, c, d]) => a ?? b ?? c ?? d ?? "");
}

const addressed = /url\(\s*(?:"([^"]*)"|'([^']*)'|([^\s"')]+))/gi;

/** Returns all addresses in a stylesheet other than imports. */
export function addressesIn(text: string): readonly string[] {
  const rest = text.replace(importRule, "");
  return [...rest.matchAll(addressed)].map(([, a, b, c]) => a ?? b ?? c ?? "");
}

export interface StyleRule {
  readonly selectors: readonly string[];
  readonly declarations: string;
}

/** Returns the rules that hold declarations, including those inside conditions. */
export function rulesIn({ text, isAttribute }: Stylesheet): readonly StyleRule[] {
  if (isAttribute) return [{ selectors: [], declarations: text }];
  const rules: StyleRule[] = [];
  let head = "";
  let from = 0;
  let opened = -1;
  for (const { 0: mark, index } of text.matchAll(/[{};]/g)) {
    if (mark === "{") {
      head = text.slice(from, index);
      opened = index + 1;
    } else if (mark === "}" && opened >= 0) {
      const selectors = head.split(",").map((selector) => selector.trim());
      rules.push({ selectors, declarations: text.slice(opened, index) });
      opened = -1;
    }
    from = index + 1;
  }
  return rules;
}
