/** Digests are binary strings in keys and messages, and hex in rows, where hex is shorter. */
export function encodeHex(digest: string): string {
  return Buffer.from(digest, "latin1").toString("hex");
}

export function digestOfHex(hex: string): string {
  return Buffer.from(hex, "hex").toString("latin1");
}
