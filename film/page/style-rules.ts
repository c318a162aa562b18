/// <reference lib="dom" />
/// <reference lib="dom.iterable" />

/** Rules of a sheet; none of one from elsewhere, which a page may not read. */
export function rulesIn(sheet: CSSStyleSheet): readonly CSSRule[] {
  try {
    return [...sheet.cssRules];
  } catch {
    // It was not in the bundle, so there is nothing in it.
    return [];
  }
}
