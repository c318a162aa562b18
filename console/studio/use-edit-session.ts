import { useEffect, useMemo, useRef } from "../view.ts";
import { EditSession } from "./edit-session.ts";
import type { StudioSource } from "./studio-source.ts";

/** Keeps a session for as long as the view is mounted; unsaved edits are stored at its end. */
export function useEditSession(source: StudioSource, onSaved: () => void): EditSession {
  const saved = useRef(onSaved);
  saved.current = onSaved;
  const session = useMemo(
    () => new EditSession({ source, onSaved: () => saved.current() }),
    [source],
  );
  useEffect(() => {
    // Makes the browser ask before the page is left with unsaved edits.
    const warn = (event: BeforeUnloadEvent) => {
      if (session.standing.peek().phase !== "stored") event.preventDefault();
    };
    addEventListener("beforeunload", warn);
    return () => {
      removeEventListener("beforeunload", warn);
      if (session.standing.peek().phase === "storing") void session.flush();
    };
  }, [session]);
  return session;
}
