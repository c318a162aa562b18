/** Media types that may be stored as assets, with their extensions and their other names. */

export const extensionByType: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/webp": "webp",
  "image/gif": "gif",
  "video/mp4": "mp4",
  "video/quicktime": "mov",
  "video/webm": "webm",
  "audio/mpeg": "mp3",
  "audio/wav": "wav",
  "audio/mp4": "m4a",
  "audio/ogg": "ogg",
  "audio/flac": "flac",
  "model/gltf-binary": "glb",
  "model/gltf+json": "gltf",
  "font/woff2": "woff2",
  "font/ttf": "ttf",
  "application/octet-stream": "cube",
};

const aliases: Readonly<Record<string, string>> = {
  "image/jpg": "image/jpeg",
  "audio/x-wav": "audio/wav",
  "audio/wave": "audio/wav",
  "audio/vnd.wave": "audio/wav",
  "audio/mp3": "audio/mpeg",
  "audio/x-m4a": "audio/mp4",
  "audio/m4a": "audio/mp4",
  "audio/x-flac": "audio/flac",
  "application/ogg": "audio/ogg",
  "application/x-font-ttf": "font/ttf",
  "application/font-woff2": "font/woff2",
  "font/sfnt": "font/ttf",
};

/** Returns a declared type without its parameters, under the name that this service uses. */
export function plainType(mediaType: string): string {
  const plain = mediaType.split(";")[0]?.trim().toLowerCase() ?? "";
  return aliases[plain] ?? plain;
}
