/** MessagePack, the encoding of messages between processes. Only this file imports msgpackr. */
import { Packr } from "msgpackr";

/** Uses plain maps and numbers, which every MessagePack decoder understands. */
const packr = new Packr({ useRecords: false, int64AsType: "number", useTimestamp32: false });

export function pack(message: object): Uint8Array {
  return packr.pack(message);
}

/** Returns undefined for bytes that are not valid MessagePack. */
export function unpack(bytes: Uint8Array): unknown {
  try {
    return packr.unpack(bytes);
  } catch {
    return undefined;
  }
}
