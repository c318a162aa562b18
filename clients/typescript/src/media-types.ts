/** Media types that the service accepts as assets, by file name extension. */
const types: Readonly<Record<string, string>> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  webp: "image/webp",
  gif: "image/gif",
  mp4: "video/mp4",
  mov: "video/quicktime",
  webm: "video/webm",
  mp3: "audio/mpeg",
  wav: "audio/wav",
  m4a: "audio/mp4",
  ogg: "audio/ogg",
  flac: "audio/flac",
  glb: "model/gltf-binary",
  gltf: "model/gltf+json",
  woff2: "font/woff2",
  ttf: "font/ttf",
};

export function detectMediaType(filename: string): string {
  const extension = filename.split(".").at(-1)?.toLowerCase() ?? "";
  return types[extension] ?? "application/octet-stream";
}
