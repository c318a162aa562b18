import { everyElement, parseMarkup } from "../../timeline/markup.ts";
import { type VendorFolder, vendorFolder } from "./vendor-folder.ts";

/** A page's import map (HTML, "8.1.6.2 Import maps"). */
interface MapText {
  readonly imports?: Readonly<Record<string, unknown>>;
  readonly [member: string]: unknown;
}

/** Addresses of imports by a bare name, merged from the import maps of all pages. */
export class ImportMap {
  private readonly addresses = new Map<string, string>();

  constructor(pages: readonly string[]) {
    for (const page of pages)
      for (const { map } of mapsIn(page))
        for (const [name, address] of Object.entries(map.imports ?? {}))
          if (typeof address === "string") this.addresses.set(name, address);
  }

  /** Bare names whose address is a single remote file. */
  get remoteNames(): readonly string[] {
    return [...this.addresses].flatMap(([name, to]) =>
      isRemote(to) && !name.endsWith("/") ? [name] : [],
    );
  }

  /** Returns a name's remote address; the longest matching prefix in the map counts. */
  resolve(name: string): string | undefined {
    const beginnings = [...this.addresses.keys()]
      .filter((one) => one === name || (one.endsWith("/") && name.startsWith(one)))
      .sort((one, other) => other.length - one.length);
    const [beginning] = beginnings;
    const to = beginning === undefined ? undefined : this.addresses.get(beginning);
    if (beginning === undefined || to === undefined || !isRemote(to)) return undefined;
    return new URL(name.slice(beginning.length), new URL(to, "https://bundle.invalid")).href;
  }
}

/** Returns the page with its import maps leading into the folder for all files taken there. */
export async function withImportMap(page: string, store: VendorFolder): Promise<string> {
  let result = page;
  for (const { from, to, map } of mapsIn(page).reverse()) {
    const kept = Object.entries(map.imports ?? {}).filter(([, address]) => !isRemote(address));
    if (kept.length === Object.keys(map.imports ?? {}).length) continue;
    const taken = [...store.bare].map(
      ([name, file]) => [name, `./${vendorFolder}/${file}`] as const,
    );
    const integrity: Record<string, string> = {};
    for (const [, file] of store.bare)
      integrity[`./${vendorFolder}/${file}`] = await store.readIntegrity(file);
    const imports = Object.fromEntries([...kept, ...taken]);
    const text = JSON.stringify({ ...map, imports, integrity }, undefined, 2);
    result = `${result.slice(0, from)}\n${text}\n${result.slice(to)}`;
  }
  return result;
}

function isRemote(address: unknown): boolean {
  return typeof address === "string" && /^\s*(https?:)?\/\//i.test(address);
}

/** Returns a page's import maps with their positions; one that is not JSON is ignored. */
function mapsIn(page: string) {
  return [...everyElement(parseMarkup(page).html)].flatMap(({ tag, attributes, text, key }) => {
    if (tag !== "script" || attributes["type"]?.toLowerCase() !== "importmap") return [];
    const from = page.indexOf(text, Number(key));
    try {
      return [{ from, to: from + text.length, map: JSON.parse(text) as MapText }];
    } catch {
      return [];
    }
  });
}
