import {
  type DefaultTreeAdapterMap,
  defaultTreeAdapter,
  Parser,
  Tokenizer,
  type TreeAdapter,
} from "parse5";

/**
 * HTML as browsers read it, in time that grows with the length of the text and no faster. The only
 * importer of parse5.
 *
 * 1. No step walks farther than a bound: the depth of open elements, the attributes of a tag.
 * 2. Children are looked for from the end, where those that the standard moves always are.
 * 3. What exceeds a bound ends the reading; no such page was ever written by hand.
 */
type Tree = DefaultTreeAdapterMap;
export type TreeNode = Tree["node"];
export type TreeElement = Tree["element"];

/** Limits of a markup file; browsers nest no deeper either. */
export const markupMost = { elements: 250_000, depth: 512, attributes: 256 } as const;

/** Thrown for a file that holds more than it may; the message completes "which ...". */
export class Excess extends Error {
  static check(found: number, what: keyof typeof markupMost): void {
    const most = markupMost[what];
    if (found <= most) return;
    if (what === "depth") throw new Excess(`nests elements more than ${most} deep`);
    throw new Excess(`has more than ${most} ${what}${what === "attributes" ? " in a tag" : ""}`);
  }
}

/** Returns the `html` element. Throws `Excess`. */
export function parseTree(text: string): TreeElement | undefined {
  const parser = new BoundedParser();
  parser.tokenizer.write(text, true);
  return parser.document.childNodes.find(isElement);
}

export function isElement(node: TreeNode): node is TreeElement {
  return "tagName" in node;
}

/** Returns the children of a node; those of a template are what the template holds. */
export function getChildren(node: TreeElement): readonly TreeNode[] {
  return "content" in node ? (node as Tree["template"]).content.childNodes : node.childNodes;
}

class BoundedParser extends Parser<Tree> {
  private elements = 0;

  constructor() {
    super({ sourceCodeLocationInfo: true, treeAdapter: adapter });
    this.tokenizer = new BoundedTokenizer(this.options, this);
  }

  override onItemPush(node: Tree["parentNode"], tagId: number, isTop: boolean): void {
    this.elements += 1;
    Excess.check(this.elements, "elements");
    Excess.check(this.openElements.stackTop, "depth");
    super.onItemPush(node, tagId, isTop);
  }
}

class BoundedTokenizer extends Tokenizer {
  private starts = 0;
  private ends = 0;
  private attributes = 0;

  protected override _createStartTagToken(): void {
    this.attributes = 0;
    this.starts += 1;
    // Some start tags only add attributes to an element that exists.
    Excess.check(this.starts, "elements");
    super._createStartTagToken();
  }

  protected override _createEndTagToken(): void {
    this.attributes = 0;
    this.ends += 1;
    // Each end tag may look through all open elements in vain.
    Excess.check(this.ends, "elements");
    super._createEndTagToken();
  }

  protected override _createAttr(first: string): void {
    this.attributes += 1;
    Excess.check(this.attributes, "attributes");
    super._createAttr(first);
  }
}

const adapter: TreeAdapter<Tree> = {
  ...defaultTreeAdapter,
  insertBefore(parent, node, next) {
    parent.childNodes.splice(parent.childNodes.lastIndexOf(next), 0, node);
    node.parentNode = parent;
  },
  insertTextBefore(parent, text, next) {
    const before = parent.childNodes[parent.childNodes.lastIndexOf(next) - 1];
    if (before !== undefined && defaultTreeAdapter.isTextNode(before)) before.value += text;
    else adapter.insertBefore(parent, defaultTreeAdapter.createTextNode(text), next);
  },
  detachNode(node) {
    const siblings = node.parentNode?.childNodes ?? [];
    const at = siblings.lastIndexOf(node);
    if (at >= 0) siblings.splice(at, 1);
    node.parentNode = null;
  },
  adoptAttributes(element, attributes) {
    for (const attribute of attributes)
      if (element.attrs.every(({ name }) => name !== attribute.name)) element.attrs.push(attribute);
    Excess.check(element.attrs.length, "attributes");
  },
};
