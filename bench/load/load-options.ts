import type { LoadProfile } from "./by-turns.ts";

/** Options of the scenarios that measure under load. */
export interface LoadOptions extends LoadProfile {
  /** How many accounts the load comes from. */
  readonly accounts: number;
}

/** The load also goes to peers. */
export interface PeerLoadOptions<Peer> extends LoadOptions {
  readonly peers: readonly Peer[];
}

export const loadDefaults = {
  seconds: 12,
  rounds: 3,
  connections: 256,
  threads: 2,
  accounts: 2_000,
} as const;

export const loadOptions: readonly string[] = [
  "--seconds N      of one round (12)",
  "--rounds N       of each system (3)",
  "--connections N  open at once (256)",
  "--threads N      of the load generator (2)",
  "--accounts N     that the load comes from (2000)",
];

export const peersOption = '--peers NAMES    with commas between (all); "" for none';

export const quickLoad: readonly string[] = [
  "--seconds",
  "3",
  "--rounds",
  "2",
  "--accounts",
  "500",
];
