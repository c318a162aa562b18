import XMLBuilder from "fast-xml-builder";

/** XML as a tree of tags; the only importer of fast-xml-builder. */
export type Tag = Readonly<
  Record<string, readonly Tag[] | string | Readonly<Record<string, string>>>
>;

export function tag(
  name: string,
  content: readonly Tag[] | string | number,
  attributes: Readonly<Record<string, string>> = {},
): Tag {
  const children = Array.isArray(content) ? content : [{ "#text": plain(String(content)) }];
  const written = Object.entries(attributes).map(([key, value]) => [`@_${key}`, plain(value)]);
  return written.length === 0
    ? { [name]: children }
    : { [name]: children, ":@": Object.fromEntries(written) };
}

const builder = new XMLBuilder({
  preserveOrder: true,
  ignoreAttributes: false,
  format: true,
  indentBy: " ",
  suppressEmptyNode: true,
});

/** With a declaration and a document type. */
export function writeXml(root: Tag): string {
  const [name = ""] = Object.keys(root);
  const body: string = builder.build([root]);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE ${name}>\n${body.trim()}\n`;
}

/** XML has no place for control characters and halves of letters. */
function plain(text: string): string {
  return text.toWellFormed().replace(/[^\P{Cc}\t\n]|[\ufffe\uffff]/gu, "");
}
