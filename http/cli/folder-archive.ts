/**
 * A folder as a ZIP archive that is read from the disk while it is sent: files as they are, their
 * sums before them (APPNOTE 6.3.10, sections 4.3 and 4.4).
 */
import { createReadStream, openAsBlob } from "node:fs";

type Bytes = Buffer<ArrayBuffer>;

const version = 20;
const utf8Names = 0x800;
/** 1980-01-01, the first date of the format. */
const noDate = 33;

/** `files` by their paths in the archive; less than 4 GiB together. */
export async function archiveOf(files: ReadonlyMap<string, string>): Promise<Blob> {
  const parts: (Blob | Bytes)[] = [];
  const list: Bytes[] = [];
  let offset = 0;
  for (const [path, file] of files) {
    const name = Buffer.from(path);
    const bytes = await openAsBlob(file);
    const shared = sharedFields(await sumOf(file), bytes.size, name.length);
    const head = Buffer.concat([Buffer.from("PK\x03\x04", "latin1"), shared, name]);
    parts.push(head, bytes);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    const madeBy = Buffer.from([version, 0]);
    list.push(Buffer.from("PK\x01\x02", "latin1"), madeBy, shared, rest, name);
    offset += head.length + bytes.size;
  }
  const end = endOf(files.size, Buffer.concat(list).length, offset);
  return new Blob([...parts, ...list, end], { type: "application/zip" });
}

/** The fields before a file that its entry in the final list repeats. */
function sharedFields(sum: number, sizeBytes: number, nameBytes: number): Bytes {
  const fields = Buffer.alloc(26);
  fields.writeUInt16LE(version, 0);
  fields.writeUInt16LE(utf8Names, 2);
  fields.writeUInt16LE(noDate, 8);
  fields.writeUInt32LE(sum, 10);
  fields.writeUInt32LE(sizeBytes, 14);
  fields.writeUInt32LE(sizeBytes, 18);
  fields.writeUInt16LE(nameBytes, 22);
  return fields;
}

function endOf(count: number, listBytes: number, offset: number): Bytes {
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(count, 8);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(listBytes, 12);
  end.writeUInt32LE(offset, 16);
  return end;
}

async function sumOf(file: string): Promise<number> {
  let sum = 0;
  for await (const chunk of createReadStream(file)) sum = crc32(chunk as Buffer, sum);
  return sum;
}

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = (value >>> 1) ^ (value & 1 ? 0xedb88320 : 0);
  return value;
});

/** ISO 3309; goes on from the sum of what came before. */
export function crc32(bytes: Uint8Array, before = 0): number {
  let sum = ~before;
  for (const byte of bytes) sum = (sum >>> 8) ^ (table[(sum ^ byte) & 255] ?? 0);
  return ~sum >>> 0;
}
