/** Brief messages about what was done or refused; they disappear by themselves. */
import { createFault } from "./asked.ts";
import { noteRefusal } from "./session.ts";
import { signal } from "./view.ts";

export interface Notice {
  readonly id: number;
  readonly kind: "done" | "refused";
  readonly text: string;
}

const shownMs = 6_000;
const atOnceMax = 4;
let last = 0;

export const notices = signal<readonly Notice[]>([]);

export function notice(text: string, kind: Notice["kind"] = "done"): void {
  const id = ++last;
  notices.value = [...notices.value, { id, kind, text }].slice(-atOnceMax);
  setTimeout(() => dismiss(id), shownMs);
}

export function dismiss(id: number): void {
  notices.value = notices.value.filter((shown) => shown.id !== id);
}

export function refuse(error: unknown): void {
  noteRefusal(error);
  notice(createFault(error).detail, "refused");
}

/** Runs a button's action and reports what goes wrong. */
export function attempt(act: () => Promise<unknown>, done?: string): void {
  act().then(
    () => {
      if (done !== undefined) notice(done);
    },
    (error: unknown) => refuse(error),
  );
}
