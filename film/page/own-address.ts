/// <reference lib="dom" />

/** Where the film's page came from; scripts may write another address into the history. */
const entry = location.href;

/** The address of a file of the bundle, or of ours, whose path begins at the bundle's root. */
export function ownAddress(path: string): string {
  return new URL(encodeURI(path), entry).href;
}
