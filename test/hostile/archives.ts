/** Corrupts ZIP archives by seed: some bytes, sizes, names or offsets of whole ones change. */
import { createZip, type ZipEntry } from "../spec/zip-archive.ts";
import type { Dice } from "./dice.ts";

const names = [
  "index.html",
  "a.css",
  "media/photo.png",
  "../up.html",
  "/absolute",
  "back\\slash",
  "nul\0name",
  "folder/",
  "x".repeat(600),
  "index.html",
  "\u202Eright-to-left",
] as const;
const sizes = [0, 1, 10, 65_535, 2_000_000_000, 0xffff_ffff] as const;

export function hostileArchive(dice: Dice): Buffer {
  const entries = Array.from({ length: 1 + dice.number(5) }, () => hostileEntry(dice));
  const archive = createZip(entries);
  switch (dice.number(7)) {
    case 0:
      return archive.subarray(0, dice.number(archive.length));
    case 1:
      return scratch(dice, archive, 1 + dice.number(4));
    case 2:
      return scratch(dice, archive, 40);
    case 3:
      return Buffer.concat([dice.bytes(dice.number(200)), archive]);
    case 4:
      return Buffer.concat([archive, dice.bytes(dice.number(200))]);
    case 5:
      return shareBytes(archive);
    default:
      return archive;
  }
}

function hostileEntry(dice: Dice): ZipEntry {
  const name = dice.number(3) === 0 ? dice.pick(names) : `file-${dice.number(1_000)}.css`;
  const bytes = dice.number(2) === 0 ? "a{}".repeat(dice.number(2_000)) : dice.bytes(126);
  return {
    name,
    bytes,
    ...(dice.number(2) === 0 ? { claimedBytes: dice.pick(sizes) } : {}),
    ...(dice.number(6) === 0 ? { method: dice.pick([0, 8, 9, 99]) } : {}),
    ...(dice.number(12) === 0 ? { isEncrypted: true } : {}),
    ...(dice.number(12) === 0 ? { mode: dice.pick([0o120777, 0o020666, 0o100644]) } : {}),
  };
}

function scratch(dice: Dice, archive: Buffer, count: number): Buffer {
  const scratched = Buffer.from(archive);
  for (let n = 0; n < count && scratched.length > 0; n++)
    scratched[dice.number(scratched.length)] = dice.number(256);
  return scratched;
}

/** Makes every entry of the archive's list point at the first entry's bytes. */
export function shareBytes(archive: Buffer): Buffer {
  const shared = Buffer.from(archive);
  const entry = Buffer.from("PK\x01\x02", "latin1");
  for (let at = shared.indexOf(entry); at >= 0; at = shared.indexOf(entry, at + 4))
    if (at + 46 <= shared.length) shared.writeUInt32LE(0, at + 42);
  return shared;
}
