import XMLBuilder from "fast-xml-builder";

/** XML as a tree of tags; this file is the only importer of fast-xml-builder. */
export type Tag = Readonly<
  Record<string, readonly Tag[] | string | Readonly<Record<string, string>>>
>;

export function tag(
  name: string,
  content: readonly Tag[] | string | number,
  attributes?: Readonly<Record<string, string>>,
): Tag {
  const children =
    typeof content === "object"
      ? content
      : [{ "#text": typeof content === "number" ? String(content) : plain(content) }];
  if (attributes === undefined) return { [name]: children };
  const written = Object.entries(attributes).map(([key, value]) => [`@_${key}`, plain(value)]);
  return { [name]: children, ":@": Object.fromEntries(written) };
}

const builder = new XMLBuilder({
  preserveOrder: true,
  ignoreAttributes: false,
  format: true,
  indentBy: " ",
  suppressEmptyNode: true,
});

/** Writes XML with a declaration and a document type. */
export function writeXml(root: Tag): string {
  const [name = ""] = Object.keys(root);
  const body: string = builder.build([root]);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE ${name}>\n${body.trim()}\n`;
}

/** Removes control characters and lone surrogates, for which XML has no place. */
function plain(text: string): string {
  return isPlain.test(text) ? text : text.toWellFormed().replace(unwritable, "");
}

const isPlain = /^[ -~]*$/;
const unwritable = /[^\P{Cc}\t\n]|[\ufffe\uffff]/gu;
