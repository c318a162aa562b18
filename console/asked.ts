/** Requests of a view to the service, and their state. */
import { KliegError } from "../clients/typescript/src/klieg.ts";
import { noteRefusal } from "./session.ts";
import { useEffect, useRef, useState } from "./view.ts";

export type Asked<T> =
  | { readonly phase: "loading" }
  | { readonly phase: "failed"; readonly fault: Fault }
  | { readonly phase: "ready"; readonly value: T };

export interface Fault {
  readonly title: string;
  readonly detail: string;
  readonly isForbidden: boolean;
  readonly isUnknown: boolean;
  readonly requestId: string | undefined;
}

export interface Asking<T> {
  readonly asked: Asked<T>;
  readonly again: () => void;
  /** Replaces the value by one that another call returned. */
  readonly put: (value: T) => void;
}

/**
 * Reads when the view appears, when one of `by` changes, for each revision of the subject, and at
 * intervals while the page is visible. The old value is shown until a newer one for the same `by`
 * arrives, and is kept when a read fails.
 */
export function useAsked<T>(
  ask: (signal: AbortSignal) => Promise<T>,
  by: readonly unknown[],
  everyMs?: (value: T) => number | undefined,
  revision?: number,
): Asking<T> {
  const [asked, setAsked] = useState<Asked<T>>({ phase: "loading" });
  const [turn, setTurn] = useState(0);
  const rhythm = useRef(everyMs);
  rhythm.current = everyMs;
  useEffect(() => setAsked({ phase: "loading" }), [...by]);
  useEffect(() => {
    const ending = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const next = (ms: number | undefined) => {
      if (ms !== undefined && !ending.signal.aborted) timer = setTimeout(run, ms);
    };
    const run = () => {
      if (document.visibilityState !== "visible") return next(hiddenMs);
      ask(ending.signal).then(
        (value) => {
          if (ending.signal.aborted) return;
          setAsked({ phase: "ready", value });
          next(rhythm.current?.(value));
        },
        (error: unknown) => {
          if (ending.signal.aborted) return;
          noteRefusal(error);
          setAsked((old) =>
            old.phase === "ready" ? old : { phase: "failed", fault: createFault(error) },
          );
          if (rhythm.current !== undefined) next(afterFaultMs);
        },
      );
    };
    run();
    return () => {
      ending.abort();
      clearTimeout(timer);
    };
  }, [...by, revision, turn]);
  return {
    asked,
    again: () => setTurn((old) => old + 1),
    put: (value) => setAsked({ phase: "ready", value }),
  };
}

const hiddenMs = 2_000;
const afterFaultMs = 5_000;

export function createFault(error: unknown): Fault {
  if (!(error instanceof KliegError)) {
    const detail = error instanceof Error ? error.message : String(error);
    return { title: "Something went wrong", detail, ...plain };
  }
  const { status, title, message, requestId } = error;
  const scope = error.problem.required_scope;
  const lacking = scope === undefined ? message : `Your token lacks the scope ${scope}.`;
  return {
    title: status === 0 ? "The service is not answering" : title,
    detail: status === 403 ? lacking : message,
    isForbidden: status === 403,
    isUnknown: status === 404,
    requestId,
  };
}

const plain = { isForbidden: false, isUnknown: false, requestId: undefined };
