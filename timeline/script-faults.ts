import type { Findings } from "./diagnostics.ts";
import type { Element } from "./markup.ts";

/** Warns of what throws as soon as an inline script runs, so that a film would not move. */
export function warnOfScript(
  element: Element,
  path: string,
  isScene: boolean,
  findings: Findings,
): void {
  const { src, type = "" } = element.attributes;
  const isClassic = /^(|(text|application)\/(java|ecma)script)$/i.test(type.trim());
  if (element.tag !== "script" || src !== undefined || !isClassic) return;
  const fault = syntaxFault(element.text);
  if (fault !== undefined)
    findings.addWarning("unsupported", { path, element }, `does not run: ${fault}`);
  if (isScene && /\bdocument\s*\.\s*write(ln)?\s*\(/.test(element.text))
    findings.addWarning(
      "unsupported",
      { path, element },
      "calls document.write, which replaces the page that has loaded",
    );
}

/** Finds a syntax error: the script is compiled and never run. */
function syntaxFault(text: string): string | undefined {
  if (text.length > checkedMax) return undefined;
  try {
    new Function(text);
    return undefined;
  } catch (fault) {
    return fault instanceof SyntaxError ? fault.message.slice(0, 200) : undefined;
  }
}

/** Longest script that is checked: longer ones would take too long, and are libraries. */
const checkedMax = 200_000;
