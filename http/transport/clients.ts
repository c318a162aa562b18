/**
 * Who counts as one client wherever something is counted by address: an IPv4 address, also one that
 * is mapped into IPv6, or the /64 of an IPv6 address, of which one household or machine has all
 * addresses. The /48 around it, which one customer of a provider may have, is counted as well, with
 * a larger bound.
 */
import { hexAddress } from "../../engine/network/ip-address.ts";

export interface Client {
  readonly name: string;
  /** The /48 network of an IPv6 address. */
  readonly network: string | undefined;
}

/** Limit of a /48 network, as a multiple of the limit of one client. */
const networkFactor = 16;
const mappedPrefix = "00000000000000000000ffff";

/** A text that is not an address counts as a client of its own. */
export function findClient(address: string): Client {
  const hex = hexAddress(address);
  return hex === undefined ? { name: address, network: undefined } : clientAt(hex);
}

/** The client for an address of 4 or 16 bytes, written in hex. */
export function clientAt(hex: string): Client {
  if (hex.length === 8) return { name: hex, network: undefined };
  if (hex.startsWith(mappedPrefix)) return { name: hex.slice(24), network: undefined };
  return { name: hex.slice(0, 16), network: hex.slice(0, 12) };
}

export interface Bound {
  readonly name: string;
  readonly most: number;
}

/** Limits of a client and of its network, where each client may have `most`. */
export function findBounds({ name, network }: Client, most: number): readonly Bound[] {
  const own = { name, most };
  return network === undefined ? [own] : [own, { name: network, most: most * networkFactor }];
}

/**
 * Whether the client or its network exceeds its limit, where a client may have `most`. `count`
 * returns the count of a name, and may add one first: it is called once for each name.
 */
export function exceeds(client: Client, most: number, count: (name: string) => number): boolean {
  const excesses = findBounds(client, most).filter((bound) => count(bound.name) > bound.most);
  return excesses.length > 0;
}
