import { type DefaultTreeAdapterMap, parse } from "parse5";
import { keyAttribute } from "./key-attribute.ts";

/**
 * HTML as the timeline needs it. The only importer of parse5.
 *
 * An element's key is where its tag begins in the file, so whoever serves the file can stamp the
 * tags (`stamped`) and whoever reads the page finds the element again, whatever scripts do to it.
 */
export interface Element {
  readonly key: string;
  readonly tag: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** Those of a template are what the template holds. */
  readonly children: readonly Element[];
  /** Text directly inside. */
  readonly text: string;
}

type Node = DefaultTreeAdapterMap["node"];
type ParsedElement = DefaultTreeAdapterMap["element"];

export const elementsMax = 100_000;
const depthMax = 512;

/** The `html` element. Never fails: every text is some document. */
export function parseMarkup(text: string): Element {
  const document = parse(text, { sourceCodeLocationInfo: true });
  const html = document.childNodes.find(
    (node): node is ParsedElement => isElement(node) && node.tagName === "html",
  );
  const budget = { elements: elementsMax };
  return html === undefined ? nothing : converted(html, budget, 0);
}

const nothing: Element = { key: "0", tag: "html", attributes: {}, children: [], text: "" };

function converted(node: ParsedElement, budget: { elements: number }, depth: number): Element {
  budget.elements -= 1;
  const attributes: Record<string, string> = {};
  for (const { name, value } of node.attrs) attributes[name] ??= value;
  const children: Element[] = [];
  let text = "";
  for (const child of contentOf(node)) {
    if ("value" in child && child.nodeName === "#text") text += child.value;
    if (!isElement(child) || budget.elements <= 0 || depth >= depthMax) continue;
    children.push(converted(child, budget, depth + 1));
  }
  const key = String(node.sourceCodeLocation?.startTag?.startOffset ?? `-${node.tagName}`);
  return { key, tag: node.tagName, attributes, children, text };
}

function contentOf(node: ParsedElement): readonly Node[] {
  return "content" in node
    ? (node as DefaultTreeAdapterMap["template"]).content.childNodes
    : node.childNodes;
}

function isElement(node: Node): node is ParsedElement {
  return "tagName" in node;
}

/** The element and all below it, in the order of the document. */
export function* everyElement(element: Element): Generator<Element> {
  yield element;
  for (const child of element.children) yield* everyElement(child);
}

export interface Insert {
  readonly at: number;
  readonly text: string;
}

/** The same text with each tag that the timeline may name carrying its key, and `more` in it. */
export function stamped(text: string, more: readonly Insert[] = []): string {
  const inserts: Insert[] = [...more];
  for (const element of everyElement(parseMarkup(text)))
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

/** `video#hero`, as diagnostics name it. */
export function nameOf({ tag, attributes }: Element): string {
  const id = attributes["id"] ?? attributes["data-composition-id"];
  return id === undefined ? tag : `${tag}#${id.slice(0, 80)}`;
}

export function hasClass({ attributes }: Element, name: string): boolean {
  return (attributes["class"] ?? "").split(/\s+/).includes(name);
}
