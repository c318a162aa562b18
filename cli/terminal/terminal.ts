/**
 * What a command prints, on its way to a person's terminal or to a script. Text that came from a
 * service may name things that others named, so characters that would steer the terminal or reorder
 * text are written as their escapes. Those are the escapes of JSON, whose meaning they keep.
 */
import type { Terminal } from "../command.ts";

/** An output stream; `isTTY` as in Node's streams. */
interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
}

const eraseLine = "\r\u001b[2K";
const steering = /(?![\n\t])[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu;

/** `onInterrupt` becomes that of the returned terminal. */
export function openTerminal(
  results: Output,
  notes: Output,
  onInterrupt: Terminal["onInterrupt"],
): Terminal {
  return {
    print: (line) => results.write(`${escapeControls(line)}\n`),
    say: (text) => notes.write(escapeControls(text)),
    redraw: (text) => notes.write(`${eraseLine}${escapeControls(text)}`),
    onInterrupt,
    isInteractive: notes.isTTY === true,
  };
}

function escapeControls(text: string): string {
  return text.replaceAll(
    steering,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
