/** MIME types of a bundle's files, by extension. */
const types: Readonly<Record<string, string>> = {
  html: "text/html",
  htm: "text/html",
  js: "text/javascript",
  mjs: "text/javascript",
  css: "text/css",
  json: "application/json",
  svg: "image/svg+xml",
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  webp: "image/webp",
  gif: "image/gif",
  woff2: "font/woff2",
  woff: "font/woff",
  ttf: "font/ttf",
  otf: "font/otf",
  wasm: "application/wasm",
};

/** Returns a file's type by its extension, or else the one declared at its upload. */
export function getType(path: string, declared: string): string {
  const extension = path.slice(path.lastIndexOf(".") + 1).toLowerCase();
  return types[extension] ?? declared;
}
