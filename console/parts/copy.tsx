import { notice } from "../notices.ts";
import { Icon } from "./icon.tsx";

/** Copies a text. Without TLS browsers give pages no clipboard, so the text is selected instead. */
export function Copy({ text, label = "Copy" }: { text: string; label?: string }) {
  return (
    <button type="button" class="plain small" onClick={() => copy(text)}>
      <Icon name="copy" size={16} />
      {label}
    </button>
  );
}

export function copy(text: string): void {
  const clipboard: Clipboard | undefined = navigator.clipboard;
  if (clipboard === undefined) {
    fallBack(text);
    return;
  }
  clipboard.writeText(text).then(
    () => notice("Copied"),
    () => fallBack(text),
  );
}

function fallBack(text: string): void {
  prompt("Copy this:", text);
}
