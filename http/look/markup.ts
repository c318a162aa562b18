/** HTML templates that escape every value, unless it is markup itself. */
export interface Markup {
  readonly markup: string;
}

export type MarkupValue = string | number | Markup;

const references: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

export function html(parts: TemplateStringsArray, ...values: readonly MarkupValue[]): Markup {
  let markup = parts[0] ?? "";
  for (const [at, value] of values.entries()) markup += write(value) + (parts[at + 1] ?? "");
  return { markup };
}

/** Joins parts with a line break, or with the text between them. */
export function joinMarkup(parts: readonly Markup[], between = "\n"): Markup {
  return { markup: parts.map(({ markup }) => markup).join(between) };
}

function write(value: MarkupValue): string {
  if (typeof value === "object") return value.markup;
  return String(value).replaceAll(/[&<>"']/g, (sign) => references[sign] ?? sign);
}
