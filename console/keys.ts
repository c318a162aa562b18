/**
 * Keyboard shortcuts of all views: `/` goes to the search field, `j` and `k` move through a list,
 * `g` and a letter open a view, `?` shows the list of keys. Enter is the browser's own: the row
 * that `j` selected has the focus.
 */
import { at, go } from "./place.ts";
import { signal } from "./view.ts";

export const areKeysShown = signal(false);

export const keys: readonly (readonly [key: string, does: string])[] = [
  ["/", "Search"],
  ["j  k", "Next and previous in a list"],
  ["Enter", "Open the selected item"],
  ["g c", "Create"],
  ["g j", "Jobs"],
  ["g a", "Assets"],
  ["g f", "Compositions"],
  ["g s", "Agents"],
  ["g u", "Account"],
  ["g o", "Operator's overview"],
  ["Ctrl Enter", "Send the form"],
  ["Ctrl S", "Save the file"],
  ["Space", "Play or pause the film"],
  ["Ctrl Z", "Undo an edit of the film; with Shift, redo it"],
  ["← →", "Move the clip by a frame; with Shift, by a second"],
  ["↑ ↓", "Move the clip to the next track"],
  ["Alt ← →", "Trim the clip's end by a frame; with Shift, its start"],
  ["[  ]", "Trim the clip's start or end to the playhead"],
  ["Delete", "Remove the clip"],
  ["?", "This list"],
];

const views: Readonly<Record<string, string>> = {
  c: "create",
  j: "jobs",
  a: "assets",
  f: "compositions",
  s: "agents",
  u: "account",
  o: "operator",
};

const leaderMs = 1_200;
let isLed = false;

export function followKeys(): void {
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (isTyping(event.target)) {
      if (event.key === "Escape" && event.target instanceof HTMLElement) event.target.blur();
      return;
    }
    if (document.querySelector("dialog[open]") !== null) return;
    if (press(event.key)) event.preventDefault();
  });
}

/** Handles a key; returns whether it did something. */
function press(key: string): boolean {
  const view = isLed ? views[key] : undefined;
  isLed = false;
  if (view !== undefined) return finish(() => go(at(view)));
  if (key === "g") {
    isLed = true;
    setTimeout(() => {
      isLed = false;
    }, leaderMs);
    return true;
  }
  if (key === "/") return focusOn(document.querySelector<HTMLElement>("[data-search]"));
  if (key === "j" || key === "k") return step(key === "j" ? 1 : -1);
  if (key === "?") return finish(() => (areKeysShown.value = true));
  return false;
}

function finish(act: () => unknown): true {
  act();
  return true;
}

function focusOn(element: HTMLElement | null | undefined): boolean {
  element?.focus();
  element?.scrollIntoView({ block: "nearest" });
  return element !== null && element !== undefined;
}

function step(by: 1 | -1): boolean {
  const rows = [...document.querySelectorAll<HTMLElement>("[data-row]")];
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  const next = at < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, at + by));
  return focusOn(rows[next]);
}

/** Whether the user is typing; sliders and check boxes take no letters. */
export function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches(typed);
}

const typed =
  "input:not([type=range], [type=checkbox], [type=color]), textarea, select, [contenteditable]";
