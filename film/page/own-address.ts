/// <reference lib="dom" />

/**
 * Where the bundle lies: a preview's scripts are in a folder of it, and in a render the film's page
 * tells it. It is asked first, because scripts may write another address into the history.
 */
const entry = ownScript() ?? location.href;

function ownScript(): string | undefined {
  const { currentScript } = document;
  if (!(currentScript instanceof HTMLScriptElement) || currentScript.src === "") return undefined;
  return new URL("..", currentScript.src).href;
}

/** Whether no other page shares the page's origin: in a preview no page can look into another. */
export function isApart(): boolean {
  return window.origin === "null";
}

/** The address of a file of the bundle, or of ours, whose path begins at the bundle's root. */
export function ownAddress(path: string): string {
  return new URL(encodeURI(path), entry).href;
}
