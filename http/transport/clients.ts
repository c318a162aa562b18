/**
 * Who counts as one client wherever something is counted by address: an IPv4 address, also one that
 * is mapped into IPv6, or the /64 of an IPv6 address, of which one household or machine has all
 * addresses. The /48 around it, which one customer of a provider may have, is counted as well, with
 * a larger bound.
 */
import { hexAddress } from "../../engine/network/ip-address.ts";

export interface Client {
  readonly name: string;
  /** The /48 of an IPv6 address. */
  readonly network: string | undefined;
}

/** How many times as much as one client a /48 may have. */
const networkFactor = 16;
const mappedPrefix = "00000000000000000000ffff";

/** What is no address is a client of its own. */
export function findClient(address: string): Client {
  const hex = hexAddress(address);
  return hex === undefined ? { name: address, network: undefined } : clientAt(hex);
}

/** By the 4 or 16 bytes of an address in hex. */
export function clientAt(hex: string): Client {
  if (hex.length === 8) return { name: hex, network: undefined };
  if (hex.startsWith(mappedPrefix)) return { name: hex.slice(24), network: undefined };
  return { name: hex.slice(0, 16), network: hex.slice(0, 12) };
}

export interface Bound {
  readonly name: string;
  readonly most: number;
}

/** What the client and its network may each have, where a client may have `most`. */
export function findBounds({ name, network }: Client, most: number): readonly Bound[] {
  const own = { name, most };
  return network === undefined ? [own] : [own, { name: network, most: most * networkFactor }];
}

/**
 * Whether the client or its network has more than it may, where a client may have `most`. `count`
 * tells how much a name has, or counts one more for it first: it is called once for each name.
 */
export function exceeds(client: Client, most: number, count: (name: string) => number): boolean {
  const excesses = findBounds(client, most).filter((bound) => count(bound.name) > bound.most);
  return excesses.length > 0;
}
