import { inflateRawSync } from "node:zlib";

export interface Unzipped {
  readonly path: string;
  readonly bytes: Buffer;
  /** Time as it stands in the archive, which knows no zone. */
  readonly modified: string;
  readonly method: number;
}

/** Reads the files of an archive in their order (APPNOTE 6.3.10, section 4.3.12). */
export function unzip(archive: Buffer): readonly Unzipped[] {
  const end = archive.lastIndexOf(Buffer.from("PK\x05\x06", "latin1"));
  const files: Unzipped[] = [];
  let at = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left--) {
    const [method, time] = [archive.readUInt16LE(at + 10), archive.readUInt16LE(at + 12)];
    const date = archive.readUInt16LE(at + 14);
    const packed = archive.readUInt32LE(at + 20);
    const [name, extra, comment] = [28, 30, 32].map((place) => archive.readUInt16LE(at + place));
    const local = archive.readUInt32LE(at + 42);
    const path = archive.toString("utf8", at + 46, at + 46 + (name ?? 0));
    const from = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
    const bytes = inflateRawSync(archive.subarray(from, from + packed));
    files.push({ path, bytes, modified: formatInstant(date, time), method });
    at += 46 + (name ?? 0) + (extra ?? 0) + (comment ?? 0);
  }
  return files;
}

function formatInstant(date: number, time: number): string {
  const two = (value: number): string => String(value).padStart(2, "0");
  const day = `${1980 + (date >> 9)}-${two((date >> 5) & 15)}-${two(date & 31)}`;
  return `${day}T${two(time >> 11)}:${two((time >> 5) & 63)}:${two((time & 31) * 2)}`;
}
