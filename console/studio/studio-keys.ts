/** Shortcuts of the studio that work wherever the focus is, except in text fields. */
import { isTyping } from "../keys.ts";
import type { EditSession } from "./edit-session.ts";
import { playToggles } from "./playhead.ts";

/** Starts handling the shortcuts, and returns a function that stops it. */
export function followStudioKeys(session: EditSession): () => void {
  const press = (event: KeyboardEvent) => {
    const { key, ctrlKey, metaKey, shiftKey, altKey, target } = event;
    if (isTyping(target) || document.querySelector("dialog[open]") !== null) return;
    const letter = key.toLowerCase();
    if ((ctrlKey || metaKey) && !altKey) {
      if (letter === "z") shiftKey ? session.redo() : session.undo();
      else if (letter === "y" && !metaKey) session.redo();
      else return;
    } else if (key === " " && !isPressable(target)) playToggles.value += 1;
    else return;
    event.preventDefault();
  };
  addEventListener("keydown", press);
  return () => removeEventListener("keydown", press);
}

/** Clips are selected by Enter, so the space bar starts playback on them too. */
function isPressable(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    target.matches("button:not(.clip), a, summary, input[type=checkbox], input[type=color]")
  );
}
