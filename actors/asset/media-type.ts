/**
 * Detects a file's type by its first bytes; names and declared types are only hints. Covers what
 * may be uploaded. SVG is not supported: it is a program.
 *
 * Sources: PNG 1.2 5.2, JFIF, RFC 9649 (WebP), GIF89a, ISO 14496-12 4.3 and the MP4 registry's
 * brands, RFC 8794 and WebM's DocType, RFC 3533 (Ogg), RFC 9639 (FLAC), ISO 11172-3 (frame header),
 * glTF 2.0 4.4, WOFF2 4, OpenType's sfnt versions, Adobe's Cube LUT 1.0.
 */

/** Number of leading bytes of a file that `detectMediaType` needs. */
export const sniffedBytes = 65_536;

/** Returns undefined for a type that is not accepted. `filename` matters only for `.cube`. */
export function detectMediaType(firstBytes: Uint8Array, filename?: string): string | undefined {
  const bytes = Buffer.from(firstBytes.buffer, firstBytes.byteOffset, firstBytes.byteLength);
  return byMagic(bytes) ?? byBrand(bytes) ?? byText(bytes, filename) ?? mpegAudio(bytes);
}

const magics: readonly (readonly [offset: number, hex: string, type: string])[] = [
  [0, "89504e470d0a1a0a", "image/png"],
  [0, "ffd8ff", "image/jpeg"],
  [0, "474946383961", "image/gif"],
  [0, "474946383761", "image/gif"],
  [0, "664c6143", "audio/flac"],
  [0, "4f676753", "audio/ogg"],
  [0, "494433", "audio/mpeg"],
  [0, "676c5446", "model/gltf-binary"],
  [0, "774f4632", "font/woff2"],
  [0, "00010000", "font/ttf"],
  [0, "74727565", "font/ttf"],
];

function byMagic(bytes: Buffer): string | undefined {
  for (const [offset, hex, type] of magics)
    if (bytes.toString("hex", offset, offset + hex.length / 2) === hex) return type;
  if (textAt(bytes, 0, 4) === "RIFF") {
    const form = textAt(bytes, 8, 4);
    if (form === "WEBP") return "image/webp";
    if (form === "WAVE") return "audio/wav";
  }
  if (bytes.toString("hex", 0, 4) === "1a45dfa3")
    return bytes.subarray(0, 64).includes("webm") ? "video/webm" : undefined;
  return undefined;
}

/** ISO base media: the major brand decides. Old QuickTime files have no brand at all. */
function byBrand(bytes: Buffer): string | undefined {
  const box = textAt(bytes, 4, 4);
  if (box === "moov" || box === "wide" || box === "mdat") return "video/quicktime";
  if (box !== "ftyp") return undefined;
  const brand = textAt(bytes, 8, 4);
  if (brand === "qt  ") return "video/quicktime";
  if (/^(M4A|M4B|M4P)/.test(brand)) return "audio/mp4";
  // These brands are still images in the same container.
  if (/^(avif|avis|heic|heix|hevc|mif1|msf1|crx )/.test(brand)) return undefined;
  return "video/mp4";
}

function byText(bytes: Buffer, filename: string | undefined): string | undefined {
  const start = bytes.toString("utf8", 0, 4_096).replace(/^\uFEFF/, "");
  const isModel = /"(?:asset|accessors|bufferViews|meshes)"\s*:/;
  if (/^\s*\{/.test(start) && isModel.test(bytes.toString("utf8", 0, sniffedBytes)))
    return "model/gltf+json";
  const isCube = filename?.toLowerCase().endsWith(".cube") === true;
  const isTable = /^(?:\s*(?:#[^\n]*|TITLE[^\n]*|DOMAIN_(?:MIN|MAX)[^\n]*)\n)*\s*LUT_[13]D_SIZE\s/;
  return isCube && isTable.test(start.replaceAll("\r\n", "\n"))
    ? "application/octet-stream"
    : undefined;
}

/** MPEG audio without a tag starts with a frame header, and has another where that frame ends. */
function mpegAudio(bytes: Buffer): string | undefined {
  const length = frameLength(bytes, 0);
  const isFrame = length !== undefined && frameLength(bytes, length) !== undefined;
  return isFrame ? "audio/mpeg" : undefined;
}

const kilobits1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const kilobits2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const hertz = [44_100, 48_000, 32_000];

/** Returns the length of an MP3 frame; only Layer III is accepted, which is what an MP3 is. */
function frameLength(bytes: Buffer, at: number): number | undefined {
  if (at + 4 > bytes.length || bytes[at] !== 0xff) return undefined;
  const [second = 0, third = 0] = [bytes[at + 1], bytes[at + 2]];
  const version = (second >> 3) & 3;
  if ((second & 0xe0) !== 0xe0 || version === 1 || ((second >> 1) & 3) !== 1) return undefined;
  const isFirst = version === 3;
  const rate = (isFirst ? kilobits1 : kilobits2)[third >> 4];
  const sampling = hertz[(third >> 2) & 3];
  if (rate === undefined || rate === 0 || sampling === undefined) return undefined;
  const divided = sampling / (version === 3 ? 1 : version === 2 ? 2 : 4);
  return Math.floor(((isFirst ? 144_000 : 72_000) * rate) / divided) + ((third >> 1) & 1);
}

function textAt(bytes: Buffer, offset: number, length: number): string {
  return bytes.toString("latin1", offset, offset + length);
}
