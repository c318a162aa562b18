/** Whether a picture's file holds more than one picture that follow each other in time. */
export function isMoving(bytes: Buffer): boolean {
  const head = bytes.toString("latin1", 0, 16);
  if (head.startsWith("GIF8")) return hasSecondImage(bytes);
  if (head.startsWith("RIFF") && head.slice(8, 15) === "WEBPVP8")
    return bytes.toString("latin1", 12, 16) === "VP8X" && ((bytes[20] ?? 0) & 2) !== 0;
  if (head.startsWith("\x89PNG")) return hasAnimationControl(bytes);
  return head.slice(4, 12) === "ftypavis" || isMovingDrawing(bytes);
}

/** Whether an SVG is animated, by elements of its own or by styles. */
function isMovingDrawing(bytes: Buffer): boolean {
  if (!/<svg[\s>]/.test(bytes.toString("utf8", 0, drawingHeadBytes))) return false;
  return /<(animate\w*|set)[\s/>]|@keyframes\b/.test(bytes.toString("utf8"));
}

/** How far into a file an SVG's first tag may be, after what other programs put before it. */
const drawingHeadBytes = 4_096;

/** GIF89a: after the screen descriptor come blocks, each of sub-blocks with their lengths. */
function hasSecondImage(bytes: Buffer): boolean {
  let at = 13 + tableBytes(bytes[10]);
  for (let images = 0; at < bytes.length; ) {
    const kind = bytes[at];
    if (kind === 0x2c) {
      images += 1;
      if (images > 1) return true;
      at += 10 + tableBytes(bytes[at + 9]) + 1;
    } else if (kind === 0x21) at += 2;
    else return false;
    for (let length = bytes[at] ?? 0; length > 0; length = bytes[at] ?? 0) at += length + 1;
    at += 1;
  }
  return false;
}

/** Size in bytes of the colour table that a packed field declares. */
function tableBytes(packed = 0): number {
  return (packed & 0x80) === 0 ? 0 : 3 * 2 ** ((packed & 7) + 1);
}

/** APNG: its `acTL` chunk comes before the picture's bytes. */
function hasAnimationControl(bytes: Buffer): boolean {
  for (let at = 8; at + 8 <= bytes.length; ) {
    const kind = bytes.toString("latin1", at + 4, at + 8);
    if (kind === "acTL") return true;
    if (kind === "IDAT") return false;
    at += 12 + bytes.readUInt32BE(at);
  }
  return false;
}
