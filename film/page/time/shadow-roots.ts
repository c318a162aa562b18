/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import { replace } from "./replace.ts";

/** The shadow roots of a page's documents, closed ones too. */
export class ShadowRoots {
  private readonly roots = new Set<ShadowRoot>();
  private readonly onFound: (root: ShadowRoot) => void;
  /** Whether copied elements may bring shadow roots that no script attached. */
  private areCopied = false;

  constructor(onFound: (root: ShadowRoot) => void) {
    this.onFound = onFound;
  }

  /** Notes the roots that a script of this window attaches or writes as markup. */
  take(view: Window & typeof globalThis): void {
    const { prototype } = view.Element;
    const { attachShadow } = prototype;
    const add = this.add.bind(this);
    replace(prototype, "attachShadow", function (this: Element, options: ShadowRootInit) {
      const root = attachShadow.call(this, options);
      add(root);
      return root;
    });
    const find = this.findIn.bind(this);
    for (const owner of [prototype, view.ShadowRoot.prototype]) {
      const real: unknown = Reflect.get(owner, "setHTMLUnsafe");
      if (typeof real !== "function") continue;
      replace(owner, "setHTMLUnsafe", function (this: Element | ShadowRoot, ...values: unknown[]) {
        Reflect.apply(real, this, values);
        find(this);
      });
    }
  }

  /** Finds the roots that the parser attached for declarations in markup. */
  findIn(node: ParentNode): void {
    for (const { shadowRoot } of node.querySelectorAll("*"))
      if (shadowRoot !== null && !this.roots.has(shadowRoot)) {
        this.add(shadowRoot);
        this.findIn(shadowRoot);
      }
  }

  /** Lists the roots that are part of a document now. */
  listAttached(documents: readonly Document[]): readonly ShadowRoot[] {
    if (this.areCopied) for (const one of documents) this.findIn(one);
    return [...this.roots].filter((root) => root.isConnected);
  }

  private add(root: ShadowRoot): void {
    if (this.roots.has(root) || this.roots.size >= rootsMax) return;
    this.roots.add(root);
    this.areCopied ||= Reflect.get(root, "clonable") === true;
    this.onFound(root);
  }
}

const rootsMax = 10_000;
