/** ZIP archives made by hand, even such as no tool makes (APPNOTE 6.3.10, section 4.3). */
import { crc32, deflateRawSync } from "node:zlib";

export interface ZipEntry {
  readonly name: string;
  readonly bytes?: string | Uint8Array;
  /** Unix mode of the entry, for links and the like. */
  readonly mode?: number;
  /** Length that the entry claims in place of its real one. */
  readonly claimedBytes?: number;
  readonly isEncrypted?: boolean;
  readonly method?: number;
}

const utf8Flag = 0x800;

export function createZip(entries: readonly ZipEntry[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const name = Buffer.from(entry.name);
    const bytes = Buffer.from(entry.bytes ?? "");
    const packed = deflateRawSync(bytes);
    const shared = Buffer.alloc(26);
    shared.writeUInt16LE(20, 0);
    shared.writeUInt16LE(utf8Flag | (entry.isEncrypted === true ? 1 : 0), 2);
    shared.writeUInt16LE(entry.method ?? 8, 4);
    shared.writeUInt32LE(crc32(bytes), 10);
    shared.writeUInt32LE(packed.length, 14);
    shared.writeUInt32LE(entry.claimedBytes ?? bytes.length, 18);
    shared.writeUInt16LE(name.length, 22);
    parts.push(Buffer.from("PK\x03\x04", "latin1"), shared, name, packed);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(((entry.mode ?? 0o100644) << 16) >>> 0, 6);
    rest.writeUInt32LE(offset, 10);
    const madeOnUnix = Buffer.from([20, 3]);
    directory.push(Buffer.from("PK\x01\x02", "latin1"), madeOnUnix, shared, rest, name);
    offset += 30 + name.length + packed.length;
  }
  const end = Buffer.alloc(18);
  const list = Buffer.concat(directory);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(list.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...parts, list, Buffer.from("PK\x05\x06", "latin1"), end]);
}
