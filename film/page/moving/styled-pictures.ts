/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import { rulesIn } from "../style-rules.ts";

/**
 * Moving pictures that styles name (backgrounds, borders, markers, masks, what stands before and
 * after elements): a variable takes the place of the address, and inherits its value into shadow
 * roots and pseudo-elements from the element on which it is set.
 */
export type VariableFor = (url: string) => string | undefined;

/** Replaces addresses by variables in the sheets of a document or a shadow root. */
export function changeSheets(place: Document | ShadowRoot, variableFor: VariableFor): void {
  for (const sheet of [...place.styleSheets, ...place.adoptedStyleSheets])
    changeSheet(sheet, variableFor);
}

/** Replaces addresses by variables in the inline styles of its elements. */
export function changeStyles(place: Document | ShadowRoot, variableFor: VariableFor): void {
  for (const element of place.querySelectorAll<HTMLElement | SVGElement>('[style*="url("]'))
    changeStyle(element.style, place.baseURI, variableFor);
}

function changeSheet(sheet: CSSStyleSheet, variableFor: VariableFor): void {
  changeRules(
    rulesIn(sheet),
    sheet.href ?? sheet.ownerNode?.baseURI ?? document.baseURI,
    variableFor,
  );
}

function changeRules(rules: readonly CSSRule[], base: string, variableFor: VariableFor): void {
  for (const rule of rules) {
    if ("style" in rule) changeStyle(rule.style as CSSStyleDeclaration, base, variableFor);
    if ("styleSheet" in rule && rule.styleSheet !== null)
      changeSheet(rule.styleSheet as CSSStyleSheet, variableFor);
    if ("cssRules" in rule) changeRules([...(rule.cssRules as CSSRuleList)], base, variableFor);
  }
}

function changeStyle(style: CSSStyleDeclaration, base: string, variableFor: VariableFor): void {
  for (const name of [...style]) {
    const value = style.getPropertyValue(name);
    if (!value.includes("url(")) continue;
    const changed = value.replace(addresses, (whole: string, quoted: string, plain: string) => {
      const address = quoted ?? plain;
      const url = URL.canParse(address, base) ? new URL(address, base).href : "";
      const variable = variableFor(url);
      return variable === undefined ? whole : `var(${variable})`;
    });
    if (changed !== value) style.setProperty(name, changed, style.getPropertyPriority(name));
  }
}

const addresses = /url\(\s*(?:["']([^"']*)["']|([^)"']*?))\s*\)/g;
