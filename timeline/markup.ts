import { keyAttribute } from "./key-attribute.ts";
import { Excess, getChildren, isElement, parseTree, type TreeElement } from "./markup-tree.ts";

/**
 * HTML as the timeline needs it.
 *
 * An element's key is the offset of its tag in the file, so the server can stamp the tags
 * (`stamped`) and readers of the page find the element again, whatever scripts do to it.
 */
export interface Element {
  readonly key: string;
  readonly tag: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** Children of the element; those of a template are what the template holds. */
  readonly children: readonly Element[];
  /** Text directly inside the element. */
  readonly text: string;
}

export interface Markup {
  /** The `html` element; an empty one for a file that holds too much. */
  readonly html: Element;
  /** What the file holds too much of; undefined for nothing. */
  readonly excess: string | undefined;
  /** Length of the file's text. */
  readonly length: number;
}

/** Parses a file and never fails: every text is some document. */
export function parseMarkup(text: string): Markup {
  const { length } = text;
  try {
    const html = parseTree(text);
    return { html: html === undefined ? nothing : convertNode(html, 0), excess: undefined, length };
  } catch (failure) {
    if (failure instanceof Excess) return { html: nothing, excess: failure.message, length };
    throw failure;
  }
}

const nothing: Element = { key: "0", tag: "html", attributes: {}, children: [], text: "" };

function convertNode(node: TreeElement, depth: number): Element {
  Excess.check(depth, "depth");
  const attributes: Record<string, string> = {};
  for (const { name, value } of node.attrs) attributes[name] ??= value;
  const children: Element[] = [];
  let text = "";
  for (const child of getChildren(node)) {
    if ("value" in child && child.nodeName === "#text") text += child.value;
    if (isElement(child)) children.push(convertNode(child, depth + 1));
  }
  const key = String(node.sourceCodeLocation?.startTag?.startOffset ?? `-${node.tagName}`);
  return { key, tag: node.tagName, attributes, children, text };
}

/** Yields the element and all below it, in the order of the document. */
export function* everyElement(element: Element): Generator<Element> {
  const next = [element];
  for (let at = next.pop(); at !== undefined; at = next.pop()) {
    yield at;
    for (let child = at.children.length - 1; child >= 0; child--) {
      const below = at.children[child];
      if (below !== undefined) next.push(below);
    }
  }
}

/** Returns the same text with a key on each tag that the timeline may name. */
export function stampTags(text: string): string {
  const inserts: { readonly at: number; readonly text: string }[] = [];
  for (const element of everyElement(parseMarkup(text).html))
    if (isNamable(element) && /^\d+$/.test(element.key)) {
      const at = Number(element.key) + 1 + element.tag.length;
      inserts.push({ at, text: ` ${keyAttribute}="${element.key}"` });
    }
  inserts.sort((one, other) => one.at - other.at);
  let result = "";
  let from = 0;
  for (const { at, text: insert } of inserts) {
    if (at <= from) continue;
    result += text.slice(from, at) + insert;
    from = at;
  }
  return result + text.slice(from);
}

const mediaTags = new Set(["video", "audio", "img"]);

function isNamable({ tag, attributes }: Element): boolean {
  if (mediaTags.has(tag) || attributes["id"] !== undefined) return true;
  return Object.keys(attributes).some((name) => name.startsWith("data-"));
}

/** Returns an element's name in diagnostics, such as `video#hero`. */
export function getName({ tag, attributes }: Element): string {
  const id = attributes["id"] ?? attributes["data-composition-id"];
  return id === undefined ? tag : `${tag}#${id.slice(0, 80)}`;
}

export function hasClass({ attributes }: Element, name: string): boolean {
  return (attributes["class"] ?? "").split(/\s+/).includes(name);
}
