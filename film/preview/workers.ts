/// <reference lib="dom" />
import { ownAddress } from "../page/own-address.ts";

/**
 * Browsers refuse workers loaded from files to a page with an opaque origin. Such a page gets its
 * worker from a text that loads the file; module workers stay refused. Runs before any of the
 * author's scripts.
 */
export function lendWorkers(): void {
  const base = ownAddress(".");
  window.Worker = class extends window.Worker {
    constructor(address: string | URL, options?: WorkerOptions) {
      const { href } = new URL(address, document.baseURI);
      const isOurs = href.startsWith(base) && options?.type !== "module";
      super(isOurs ? loaderFor(href) : href, options);
    }
  };
}

function loaderFor(href: string): string {
  const text = `importScripts(${JSON.stringify(href)});`;
  return URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
}
