import type { Bundle } from "./bundle.ts";
import { type Markup, parseMarkup } from "./markup.ts";

/** The markup files of a bundle, each parsed once however often it is included. */
export class MarkupFiles {
  private readonly bundle: Bundle;
  private readonly markupByPath = new Map<string, Markup | undefined>();

  constructor(bundle: Bundle) {
    this.bundle = bundle;
  }

  /** Returns the markup of a file; `undefined` when there is no such text. */
  at(path: string): Markup | undefined {
    if (this.markupByPath.has(path)) return this.markupByPath.get(path);
    const text = this.bundle.read(path);
    const markup = text === undefined ? undefined : parseMarkup(text);
    this.markupByPath.set(path, markup);
    return markup;
  }
}
