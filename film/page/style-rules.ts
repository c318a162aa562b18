/// <reference lib="dom" />
/// <reference lib="dom.iterable" />

/** Rules of a sheet; none for a sheet of another origin, which a page may not read. */
export function rulesIn(sheet: CSSStyleSheet): readonly CSSRule[] {
  try {
    return [...sheet.cssRules];
  } catch {
    // Such a sheet was not in the bundle, so it has no rules to consider.
    return [];
  }
}
