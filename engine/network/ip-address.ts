/** Internet addresses; this is the only file that imports the package for them. */
import ipaddr from "ipaddr.js";

/** The 4 or 16 bytes in hex; a mapped IPv4 address gives 4; undefined for any other text. */
export function hexAddress(address: string): string | undefined {
  if (!ipaddr.isValid(address)) return undefined;
  return Buffer.from(ipaddr.process(address).toByteArray()).toString("hex");
}

/** Whether it is an address of the public internet. */
export function isPublicAddress(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === "unicast";
}
