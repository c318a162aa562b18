/**
 * Finds the address that a request came from. Trusted proxies name it in `X-Forwarded-For`; any
 * client may forge that header, so it is read from the right, up to the first address that is not a
 * trusted proxy's.
 */
import { BlockList, isIP } from "node:net";

export class TrustedProxies {
  private readonly list = new BlockList();

  /** `networks` are written as `10.0.0.0/8` or `fd00::/8`, or as single addresses. */
  constructor(networks: readonly string[]) {
    for (const network of networks) {
      const [address = "", bits] = network.split("/");
      const family = isIP(address) === 6 ? "ipv6" : "ipv4";
      if (bits === undefined) this.list.addAddress(address, family);
      else this.list.addSubnet(address, Number(bits), family);
    }
  }

  has(address: string): boolean {
    const family = isIP(address);
    return family !== 0 && this.list.check(address, family === 6 ? "ipv6" : "ipv4");
  }

  /** `peer` is the address of the connection. */
  client(peer: string, forwardedFor: string | undefined): string {
    if (forwardedFor === undefined || !this.has(peer)) return peer;
    let client = peer;
    for (const entry of forwardedFor.split(",").toReversed()) {
      const address = plainAddress(entry.trim());
      if (address === undefined) return client;
      client = address;
      if (!this.has(address)) return client;
    }
    return client;
  }
}

/** The address without the port that some proxies add; undefined when it is not one. */
function plainAddress(entry: string): string | undefined {
  const inBrackets = /^\[([^\]]+)\](?::\d+)?$/.exec(entry)?.[1];
  const beforePort = /^([\d.]+):\d+$/.exec(entry)?.[1];
  const address = inBrackets ?? beforePort ?? entry;
  return isIP(address) === 0 ? undefined : address;
}
