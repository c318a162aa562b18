/** What a browser takes files of a bundle for. */
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

/** A page's own files by their names; the rest as it was uploaded. */
export function getType(path: string, declared: string): string {
  const extension = path.slice(path.lastIndexOf(".") + 1).toLowerCase();
  return types[extension] ?? declared;
}
