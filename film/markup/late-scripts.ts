import { type Element, parseMarkup } from "../../timeline/markup.ts";

/**
 * Runs a page's scripts when HyperFrames does: inline scripts of the body that no other script
 * follows run once the whole body is there, so they find what is written after them.
 */
export function withLateScripts(text: string): string {
  const body = parseMarkup(text).html.children.find(({ tag }) => tag === "body");
  const all = body === undefined ? [] : listShownElements(body);
  const others = all.findLastIndex((element) => element.tag === "script" && !isInline(element));
  const scripts = all.slice(others + 1).filter(({ tag }) => tag === "script");
  const [first] = scripts;
  const isLast = first === undefined || all.indexOf(first) + scripts.length === all.length;
  const ranges = scripts.map((script) => getSourceRange(script, text));
  if (isLast || ranges.some((range) => range === undefined)) return text;
  let rest = "";
  let late = "";
  let from = 0;
  for (const [start, end] of ranges.filter((range) => range !== undefined)) {
    rest += text.slice(from, start);
    late += text.slice(start, end);
    from = end;
  }
  rest += text.slice(from);
  const end = [...rest.matchAll(/<\/body>/gi)].at(-1)?.index ?? rest.length;
  return rest.slice(0, end) + late + rest.slice(end);
}

/** Lists the elements in document order, without the contents of templates. */
function listShownElements(parent: Element): readonly Element[] {
  const shown: Element[] = [];
  const next = [...parent.children].reverse();
  for (let at = next.pop(); at !== undefined; at = next.pop()) {
    shown.push(at);
    if (at.tag !== "template") for (const child of [...at.children].reverse()) next.push(child);
  }
  return shown;
}

/** Whether it is a classic inline script that does not depend on its own position. */
function isInline({ attributes: { src, type = "" }, text }: Element): boolean {
  const isClassic = /^(|(text|application)\/(java|ecma)script)$/i.test(type.trim());
  return src === undefined && isClassic && !/currentScript|document\.write/.test(text);
}

function getSourceRange({ key, text: inner }: Element, text: string) {
  const start = Number(key);
  const open = text.indexOf(inner, start);
  const end = open < 0 ? null : /^<\/script[^>]*>/i.exec(text.slice(open + inner.length));
  return end === null ? undefined : ([start, open + inner.length + end[0].length] as const);
}
