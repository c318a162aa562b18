/// <reference lib="dom" />

/**
 * Base URL of the bundle: a preview's scripts lie in a folder of it, and in a render it is the
 * address of the film's page. Read first, because scripts may write another address into the
 * history.
 */
const entry = ownScript() ?? location.href;

function ownScript(): string | undefined {
  const { currentScript } = document;
  if (!(currentScript instanceof HTMLScriptElement) || currentScript.src === "") return undefined;
  return new URL("..", currentScript.src).href;
}

/** Whether the page's origin is opaque, as in a preview: no page can then look into another. */
export function isApart(): boolean {
  return window.origin === "null";
}

/** URL of a file of the bundle, or of ours, whose path begins at the bundle's root. */
export function ownAddress(path: string): string {
  return new URL(encodeURI(path), entry).href;
}
