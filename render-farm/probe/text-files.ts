import { PortError } from "../../engine/ports/port-error.ts";

/** Checks the structure of uploaded fonts and colour look-up tables. */

const fontTables = ["cmap", "head", "hhea", "hmtx", "maxp"];

/** Checks an uploaded font. Throws `PortError` with a sentence for the client. */
export function inspectFont(bytes: Buffer, mimeType: string): void {
  if (mimeType === "font/woff2") inspectWoff2(bytes);
  else inspectSfnt(bytes);
}

function inspectSfnt(bytes: Buffer): void {
  const count = bytes.length >= 12 ? bytes.readUInt16BE(4) : 0;
  if (count === 0 || bytes.length < 12 + count * 16) throw unfitFont("its table list is cut off");
  const tags = new Set<string>();
  for (let at = 12; at < 12 + count * 16; at += 16) {
    if (bytes.readUInt32BE(at + 8) + bytes.readUInt32BE(at + 12) > bytes.length)
      throw unfitFont("a table reaches beyond its end");
    tags.add(bytes.toString("latin1", at, at + 4));
  }
  const missing = fontTables.find((tag) => !tags.has(tag));
  if (missing !== undefined) throw unfitFont(`it has no table ${missing}`);
}

/** Checks a WOFF2 header: total length, table count, and the compressed block within the file. */
function inspectWoff2(bytes: Buffer): void {
  if (bytes.length < 48 || bytes.readUInt32BE(8) !== bytes.length)
    throw unfitFont("its length is not what it says");
  if (bytes.readUInt16BE(12) === 0) throw unfitFont("it has no tables");
  if (bytes.readUInt32BE(20) > bytes.length - 48) throw unfitFont("its tables are cut off");
}

function unfitFont(why: string): PortError {
  return new PortError(`The font is damaged: ${why}.`, false);
}

const sizeMax3 = 65;
const sizeMax1 = 65_536;

/** Checks a table in Adobe's Cube LUT 1.0: a size, then as many rows of three numbers. */
export function inspectTable(bytes: Buffer): void {
  const lines = bytes.toString("utf8").split(/\r?\n/);
  let size = 0;
  let wanted = 0;
  let rows = 0;
  for (const line of lines.map((text) => text.trim())) {
    const told = /^LUT_([13])D_SIZE\s+(\d{1,6})$/.exec(line);
    if (told !== null) {
      size = Number(told[2]);
      wanted = told[1] === "3" ? size ** 3 : size;
      if (size < 2 || size > (told[1] === "3" ? sizeMax3 : sizeMax1))
        throw unfitTable(`its size ${size} is not supported`);
    } else if (/^[-+.\d]/.test(line)) {
      const numbers = line.split(/\s+/).map(Number);
      if (numbers.length !== 3 || !numbers.every(Number.isFinite))
        throw unfitTable(`row ${rows + 1} is not three numbers`);
      rows++;
    } else if (line !== "" && !/^(#|TITLE|DOMAIN_|LUT_)/.test(line))
      throw unfitTable("it contains an unrecognized line");
  }
  if (wanted === 0 || rows !== wanted)
    throw unfitTable(`it has ${rows} rows and should have ${wanted}`);
}

function unfitTable(why: string): PortError {
  return new PortError(`The look-up table is damaged: ${why}.`, false);
}
