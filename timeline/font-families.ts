import { webFonts } from "../config/web-fonts.ts";
import type { Bundle } from "./bundle.ts";
import { type Diagnostic, Findings } from "./diagnostics.ts";
import { parseMarkup } from "./markup.ts";
import { readStylesheets, rulesIn } from "./stylesheets.ts";

/**
 * Finds families that styles ask for first and that neither the bundle brings nor every farm has. A
 * machine may have them all the same, so a render looks for itself.
 */
export function missingFonts(bundle: Bundle, paths: Iterable<string>): readonly Diagnostic[] {
  const findings = new Findings();
  const own = new Set(webFonts.flatMap(({ families }) => families.map(plain)));
  const asked: (readonly [name: string, path: string])[] = [];
  for (const path of new Set(paths)) {
    const { all } = readStylesheets(bundle, parseMarkup(bundle.read(path) ?? "").html, path);
    for (const sheet of all)
      for (const { selectors, declarations } of rulesIn(sheet)) {
        const name = firstFamily(declarations);
        if (name === undefined) continue;
        if (/@font-face\s*$/i.test(selectors.at(-1) ?? "")) own.add(plain(name));
        else asked.push([name, sheet.path]);
      }
  }
  for (const [name, path] of asked)
    if (!own.has(plain(name)) && !generic.test(name) && !name.includes("var("))
      findings.addWarning(
        "missing_font",
        { path },
        `asks for the font "${name.slice(0, 80)}", which neither the bundle nor every farm has`,
      );
  return findings.all();
}

function plain(name: string): string {
  return name.toLowerCase();
}

const generic = new RegExp(
  "^(serif|sans-serif|monospace|cursive|fantasy|math|emoji|system-ui|ui-[a-z-]+|" +
    "-apple-system|BlinkMacSystemFont|inherit|initial|unset)$",
  "i",
);

function firstFamily(declarations: string): string | undefined {
  const [, list = ""] = /(?:^|[;\s])font-family\s*:\s*([^;!]+)/i.exec(declarations) ?? [];
  const [name = ""] = list.split(",");
  const bare = name.trim().replace(/^["']|["']$/g, "");
  return bare === "" ? undefined : bare;
}
