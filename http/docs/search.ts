/// <reference lib="dom" />
/** Searches the documentation in the browser. The index is fetched when the search is used. */
import MiniSearch from "minisearch";
import type { Entry } from "./docs-pages.ts";

const shownMax = 8;

const field = document.querySelector<HTMLInputElement>("#search");
const list = document.querySelector<HTMLOListElement>("#found");
let index: Promise<MiniSearch<Entry>> | undefined;

async function load(): Promise<MiniSearch<Entry>> {
  const response = await fetch("/docs/search.json");
  const entries = (await response.json()) as Entry[];
  const search = new MiniSearch<Entry>({
    idField: "url",
    fields: ["title", "text", "page"],
    storeFields: ["url", "page", "title", "text"],
    searchOptions: { boost: { title: 3 }, prefix: true, fuzzy: 0.15, combineWith: "AND" },
  });
  search.addAll(entries);
  return search;
}

async function show(words: string): Promise<void> {
  if (field === null || list === null) return;
  index ??= load();
  const search = await index;
  if (field.value !== words) return;
  const results = words.trim() === "" ? [] : search.search(words).slice(0, shownMax);
  list.replaceChildren(...results.map(({ id, page, title }) => item(id, page, title)));
  list.hidden = words.trim() === "";
  field.setAttribute("aria-expanded", String(!list.hidden));
  if (!list.hidden && results.length === 0) list.append(note("No page contains these words."));
}

function item(url: string, page: string, title: string): HTMLLIElement {
  const link = document.createElement("a");
  link.href = url;
  link.textContent = title;
  const place = document.createElement("small");
  place.textContent = page;
  link.append(place);
  const entry = document.createElement("li");
  entry.append(link);
  return entry;
}

function note(text: string): HTMLLIElement {
  const entry = document.createElement("li");
  entry.textContent = text;
  return entry;
}

/** Moves the focus by arrow keys from the field through the list of results, and back. */
function move(by: 1 | -1): void {
  const links = [...(list?.querySelectorAll("a") ?? [])];
  const at = links.indexOf(document.activeElement as HTMLAnchorElement) + by;
  if (at < 0) field?.focus();
  else links[Math.min(at, links.length - 1)]?.focus();
}

field?.form?.addEventListener("submit", (event) => {
  event.preventDefault();
  list?.querySelector("a")?.click();
});
field?.addEventListener("input", () => void show(field.value));
document.addEventListener("keydown", (event) => {
  const isInside = event.target === field || list?.contains(event.target as Node) === true;
  if (event.key === "/" && !isInside) {
    event.preventDefault();
    field?.focus();
  } else if (isInside && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
    event.preventDefault();
    move(event.key === "ArrowDown" ? 1 : -1);
  } else if (isInside && event.key === "Escape" && field !== null) {
    field.value = "";
    void show("");
    field.focus();
  }
});
