/**
 * Prepares markup for a film's page: elements get the keys of the timeline, fonts that it names are
 * added, and scripts stand in the order in which HyperFrames runs them.
 */
import { parseMarkup, stampTags } from "../../timeline/markup.ts";
import { withFontGate } from "./font-gate.ts";
import { withLateScripts } from "./late-scripts.ts";
import { openRoots } from "./open-roots.ts";
import { facesFor, facesPath } from "./web-fonts.ts";

export interface EntryMarkup {
  readonly text: string;
  /** Other texts that may name fonts: markup, styles and scripts. */
  readonly styled: readonly string[];
  /** Whether the bundle may bring fonts of its own. */
  readonly mayNameFaces: boolean;
  /** URL below which our own files are served, with a slash at its end. */
  readonly ownFolder: string;
}

export async function entryPage(entry: EntryMarkup): Promise<string> {
  const { text, styled, mayNameFaces, ownFolder } = entry;
  const page = openRoots(wholePage(withLateScripts(stampTags(text))));
  const { rules, areNamed } = await facesFor([page, ...styled], `${ownFolder}${facesPath}`);
  const dressed = withOpening(page, `<style>${rules}</style>`);
  return areNamed || mayNameFaces ? withFontGate(dressed, ownFolder) : dressed;
}

/** Inserts `opening` before every style and script of the author's. */
export function withOpening(page: string, opening: string): string {
  const { key, children } = parseMarkup(page).html;
  const keys = [children.find(({ tag }) => tag === "head")?.key, key];
  const tag = keys.map(Number).find(Number.isInteger);
  const doctype = /^\s*<!doctype[^>]*>/i.exec(page)?.[0].length ?? 0;
  const at = tag === undefined ? doctype : page.indexOf(">", tag) + 1;
  return `${page.slice(0, at)}${opening}${page.slice(at)}`;
}

/** Wraps markup that is no whole page into one without margins, as HyperFrames does. */
function wholePage(text: string): string {
  if (/<(!doctype|html|head|body)[\s>]/i.test(text)) return text;
  const plain = "*{margin:0;padding:0;box-sizing:border-box}";
  const style = `<style>${plain}body{overflow:hidden;font-family:"Inter",sans-serif}</style>`;
  return `<!doctype html><html><head><meta charset="utf-8">${style}</head><body>${text}</body></html>`;
}
