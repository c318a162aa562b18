import { isIP } from "node:net";

/** Whether a text is an address, or a network in CIDR notation (RFC 4632, RFC 4291). */
export function isNetwork(text: string): boolean {
  const [address = "", bits, more] = text.split("/");
  const most = isIP(address) === 6 ? 128 : 32;
  const isRight = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most);
  return isIP(address) !== 0 && isRight && more === undefined;
}
