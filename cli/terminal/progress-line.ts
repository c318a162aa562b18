import type { Terminal } from "../command.ts";

const barChars = 24;

/** Progress of a job or a render. */
export interface Progress {
  readonly status: string;
  readonly status_message?: string | null;
  readonly progress?: number | null;
}

/** Shows the progress: one line that is redrawn on a terminal, or one line per status elsewhere. */
export interface ProgressLine {
  readonly show: (event: Progress) => void;
  /** Clears the line for further output. */
  readonly clear: () => void;
}

export function progressLine(terminal: Terminal): ProgressLine {
  let lastText = "";
  return {
    show(event) {
      const text = terminal.isInteractive ? drawLine(event) : plain(event);
      if (text === lastText) return;
      lastText = text;
      if (terminal.isInteractive) terminal.redraw(text);
      else terminal.say(`${text}\n`);
    },
    clear() {
      if (terminal.isInteractive && lastText !== "") terminal.redraw("");
    },
  };
}

function drawLine(event: Progress): string {
  const share = Math.min(1, Math.max(0, event.progress ?? 0));
  const full = Math.round(share * barChars);
  const bar = "█".repeat(full) + "░".repeat(barChars - full);
  return `${bar} ${String(Math.floor(share * 100)).padStart(3)} %  ${plain(event)}`;
}

function plain({ status, status_message: message }: Progress): string {
  return message === undefined || message === null ? status : `${status}: ${message}`;
}
