import { inflateSync } from "node:zlib";

/** Enough of PNG to look at pixels: 8 bits, RGB or RGBA, not interlaced. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  /** Returns channels of 0 to 255; `x` and `y` are shares of the width and height. */
  at(x: number, y: number): readonly [red: number, green: number, blue: number];
}

export function readPng(file: Buffer): Pixels {
  const width = file.readUInt32BE(16);
  const height = file.readUInt32BE(20);
  const size = file[25] === 6 ? 4 : 3;
  const rows = unfilter(inflateSync(Buffer.concat(readChunks(file, "IDAT"))), width, height, size);
  return {
    width,
    height,
    at(x, y) {
      const column = Math.min(width - 1, Math.floor(x * width));
      const row = Math.min(height - 1, Math.floor(y * height));
      const from = (row * width + column) * size;
      return [rows[from] ?? 0, rows[from + 1] ?? 0, rows[from + 2] ?? 0];
    },
  };
}

function readChunks(file: Buffer, kind: string): readonly Buffer[] {
  const found: Buffer[] = [];
  for (let at = 8; at < file.length; ) {
    const length = file.readUInt32BE(at);
    if (file.toString("latin1", at + 4, at + 8) === kind)
      found.push(file.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  return found;
}

function unfilter(raw: Buffer, width: number, height: number, size: number): Uint8Array {
  const stride = width * size;
  const rows = new Uint8Array(stride * height);
  for (let row = 0; row < height; row++) {
    const filter = raw[row * (stride + 1)] ?? 0;
    for (let i = 0; i < stride; i++) {
      const at = row * stride + i;
      const left = i < size ? 0 : (rows[at - size] ?? 0);
      const up = row === 0 ? 0 : (rows[at - stride] ?? 0);
      const corner = i < size || row === 0 ? 0 : (rows[at - stride - size] ?? 0);
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter] ?? 0;
      rows[at] = (raw[row * (stride + 1) + 1 + i] ?? 0) + guess;
    }
  }
  return rows;
}

function paeth(left: number, up: number, corner: number): number {
  const guess = left + up - corner;
  const [byLeft, byUp, byCorner] = [left, up, corner].map((value) => Math.abs(guess - value));
  if ((byLeft ?? 0) <= (byUp ?? 0) && (byLeft ?? 0) <= (byCorner ?? 0)) return left;
  return (byUp ?? 0) <= (byCorner ?? 0) ? up : corner;
}
