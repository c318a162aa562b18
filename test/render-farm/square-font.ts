/**
 * Makes a TrueType font in which every character is a full square, an em wide: a text in it is a
 * block of colour, and without the font it is not.
 */
export function squareFont(family: string): Buffer {
  const tables: readonly (readonly [tag: string, bytes: Buffer])[] = [
    ["OS/2", windows()],
    ["cmap", characters()],
    ["glyf", Buffer.concat([square(), square()])],
    ["head", head()],
    ["hhea", words(1, 0, 800, -200, 0, 1_000, 0, 0, 1_000, 1, 0, 0, 0, 0, 0, 0, 0, 2)],
    ["hmtx", words(1_000, 0, 1_000, 0)],
    ["loca", words(0, square().length / 2, square().length)],
    ["maxp", words(1, 0, 2, 4, 1, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0)],
    ["name", names(family)],
    ["post", words(3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)],
  ];
  const directory: Buffer[] = [words(1, 0, tables.length, 128, 3, tables.length * 16 - 128)];
  const bodies: Buffer[] = [];
  let at = 12 + 16 * tables.length;
  for (const [tag, bytes] of tables) {
    const body = Buffer.concat([bytes, Buffer.alloc(-bytes.length & 3)]);
    const entry = Buffer.alloc(16);
    entry.write(tag, "latin1");
    entry.writeUInt32BE(sum(body), 4);
    entry.writeUInt32BE(at, 8);
    entry.writeUInt32BE(bytes.length, 12);
    directory.push(entry);
    bodies.push(body);
    at += body.length;
  }
  return Buffer.concat([...directory, ...bodies]);
}

function words(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(2 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt16BE(value & 0xffff, 2 * index);
  return bytes;
}

function sum(bytes: Buffer): number {
  let total = 0;
  for (let at = 0; at < bytes.length; at += 4) total = (total + bytes.readUInt32BE(at)) >>> 0;
  return total;
}

/** One outline with four corners, from 200 below the baseline to 800 above it. */
function square(): Buffer {
  const outline = words(1, 0, -200, 1_000, 800, 3, 0);
  const flags = Buffer.from([1, 1, 1, 1]);
  const across = words(0, 0, 1_000, 0);
  const up = words(-200, 1_000, 0, -1_000);
  return Buffer.concat([outline, flags, across, up]);
}

/** Maps all characters from space to tilde to glyph 1: a segment whose offset stays 0. */
function characters(): Buffer {
  const glyphs = Array.from({ length: 95 }, () => 1);
  const segments = [126, 0xffff, 0, 32, 0xffff, 0, 1, 4, 0, ...glyphs];
  const format = [4, 2 * (7 + segments.length), 0, 4, 4, 1, 0, ...segments];
  return words(0, 1, 3, 1, 0, 12, ...format);
}

function head(): Buffer {
  const dates = [0, 0, 0, 0, 0, 0, 0, 0];
  const box = [0, -200, 1_000, 800];
  return words(1, 0, 1, 0, 0, 0, 0x5f0f, 0x3cf5, 3, 1_000, ...dates, ...box, 0, 8, 2, 0, 0);
}

function windows(): Buffer {
  const sizes = [4, 1_000, 400, 5, 0, 650, 700, 0, 140, 650, 700, 0, 480, 50, 250, 0];
  const panose = [0, 0, 0, 0, 0];
  const ranges = [0, 1, 0, 0, 0, 0, 0, 0];
  const vendor = [0x4b4c, 0x4947];
  const rest = [64, 32, 126, 800, -200, 0, 800, 200, 0, 1, 0, 0, 500, 700, 0, 32, 0];
  return words(...sizes, ...panose, ...ranges, ...vendor, ...rest);
}

function names(family: string): Buffer {
  const text = Buffer.from(family, "utf16le").swap16();
  const ids = [1, 2, 4, 6];
  const records = ids.flatMap((id) => [3, 1, 0x409, id, text.length, 0]);
  return Buffer.concat([words(0, ids.length, 6 + 12 * ids.length, ...records), text]);
}
