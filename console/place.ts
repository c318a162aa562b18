/** The console's address, which alone determines the view. */
import { computed, signal } from "./view.ts";

const root = "/console";

interface Place {
  /** Path below `/console`, without slashes at either end. */
  readonly path: string;
  readonly query: URLSearchParams;
}

function read(): Place {
  const path = location.pathname.slice(root.length).replace(/^\/+|\/+$/g, "");
  return { path, query: new URLSearchParams(location.search) };
}

export const place = signal(read());

/** Segments of the path: the first names the view, the others its subject. */
export const segments = computed(() => place.value.path.split("/").map(decodeURIComponent));

addEventListener("popstate", () => {
  place.value = read();
});

/** Returns the address of a view, for links. */
export function at(path: string, query: Readonly<Record<string, string | undefined>> = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  const search = new URLSearchParams(given as [string, string][]).toString();
  return `${root}/${path}${search === "" ? "" : `?${search}`}`;
}

export function go(address: string): void {
  history.pushState(null, "", address);
  place.value = read();
  scrollTo(0, 0);
}

/** Changes the view's parameters without adding an entry to the browser's history. */
export function refine(query: Readonly<Record<string, string | undefined>>): void {
  const old = Object.fromEntries(place.value.query);
  history.replaceState(null, "", at(place.value.path, { ...old, ...query }));
  place.value = read();
}

export function getParameter(name: string): string | undefined {
  return place.value.query.get(name) ?? undefined;
}

/** Makes links inside the console change the view without loading a page. */
export function followLinks(): void {
  addEventListener("click", (event) => {
    const { target, button, metaKey, ctrlKey, shiftKey, altKey } = event;
    if (button !== 0 || metaKey || ctrlKey || shiftKey || altKey || event.defaultPrevented) return;
    const link = target instanceof Element ? target.closest("a") : null;
    if (link === null || link.target !== "" || link.hasAttribute("download")) return;
    if (link.origin !== location.origin || !`${link.pathname}/`.startsWith(`${root}/`)) return;
    event.preventDefault();
    go(link.pathname + link.search);
  });
}
