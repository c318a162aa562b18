import { type Element, hasClass } from "./markup.ts";
import { rulesIn, type Stylesheets } from "./stylesheets.ts";

/**
 * Whether the page, its body or the root paints what is behind everything, as far as can be read
 * from the styles; where none does the film is black there.
 */
export function mayHaveGround(html: Element, root: Element, sheets: Stylesheets): boolean {
  if (sheets.isPartial) return true;
  const body = html.children.find(({ tag }) => tag === "body");
  const grounds = [html, root, ...(body === undefined ? [] : [body])];
  return sheets.all.some((sheet) =>
    rulesIn(sheet).some(
      ({ selectors, declarations }) =>
        paints.test(declarations) &&
        (sheet.isAttribute
          ? grounds.includes(sheet.element)
          : selectors.some((selector) => grounds.some((ground) => mayMean(selector, ground)))),
    ),
  );
}

const clear = "(transparent|none|inherit|initial|unset)";
const paints = new RegExp(
  `(^|[\\s;])background(-color|-image)?\\s*:\\s*(?!${clear}\\s*(;|!|$))`,
  "i",
);

/** Whether a selector may mean an element, by the selector's last part alone. */
function mayMean(selector: string, element: Element): boolean {
  const last = selector.split(/[\s>+~]+/).at(-1) ?? "";
  if (/::|:(before|after)/.test(last)) return false;
  if (last.startsWith("*") || last.startsWith("&")) return true;
  if (last.startsWith(":root")) return element.tag === "html";
  const { tag, attributes } = element;
  const named = last.split(/[.#[:]/)[0]?.toLowerCase();
  if (named !== "" && named !== tag) return false;
  const id = /#([\w-]+)/.exec(last)?.[1];
  if (id !== undefined && id !== attributes["id"]) return false;
  const classes = [...last.matchAll(/\.([\w-]+)/g)].map(([, name = ""]) => name);
  if (!classes.every((name) => hasClass(element, name))) return false;
  const asked = [...last.matchAll(/\[([\w-]+)/g)].map(([, name = ""]) => name);
  return asked.every((name) => attributes[name] !== undefined);
}
