/**
 * MessagePack, the form of what processes say to each other. msgpackr is imported by this file
 * only.
 */
import { Packr } from "msgpackr";

/** Plain maps and numbers, as any reader of MessagePack understands them. */
const packr = new Packr({ useRecords: false, int64AsType: "number", useTimestamp32: false });

export function pack(message: object): Uint8Array {
  return packr.pack(message);
}

/** Undefined for bytes that are no MessagePack. */
export function unpack(bytes: Uint8Array): unknown {
  try {
    return packr.unpack(bytes);
  } catch {
    return undefined;
  }
}
