/// <reference lib="dom" />
import { ownAddress } from "../page/own-address.ts";

/**
 * Browsers refuse workers from files to a page without an origin of its own. It gets one from a
 * text that loads the file; those that are modules stay refused. Before any script of the author's
 * runs.
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
