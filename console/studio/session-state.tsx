/** Shows whether the edits are stored, and what can be done when they are not. */
import { Icon } from "../parts/icon.tsx";
import type { ComponentChildren } from "../view.ts";
import type { EditSession } from "./edit-session.ts";

interface SessionTroubleProps {
  session: EditSession;
  open: ((path: string) => void) | undefined;
}

export function SessionTrouble({ session, open }: SessionTroubleProps) {
  const standing = session.standing.value;
  const read = session.edits.value;
  if (standing.phase === "conflict")
    return (
      <Trouble text="Someone else has changed the edits in the meantime, and yours are not saved.">
        <button type="button" class="small" onClick={() => void session.takeTheirs()}>
          Load theirs
        </button>
        <span class="hint">Undo then restores yours.</span>
      </Trouble>
    );
  if (standing.phase === "failed")
    return (
      <Trouble text={`Your edits are not saved: ${standing.sentence}`}>
        <button type="button" class="small" onClick={() => void session.flush()}>
          <Icon name="repeat" size={16} />
          Try again
        </button>
      </Trouble>
    );
  if ("fault" in read)
    return (
      <Trouble text={read.fault}>
        {open !== undefined && (
          <button type="button" class="plain small" onClick={() => open("klieg-edits.json")}>
            Open the file
          </button>
        )}
        <button type="button" class="danger small" onClick={() => session.startAnew()}>
          Start without these edits
        </button>
      </Trouble>
    );
  return null;
}

export function StoredHint({ session }: { session: EditSession }) {
  const { phase } = session.standing.value;
  const { past, future } = session.history.value;
  if (past.length + future.length === 0) return null;
  return (
    <p class="hint" role="status">
      {phase === "stored" ? "Edits are stored" : "Edits are not saved yet"}
    </p>
  );
}

function Trouble({ text, children }: { text: string; children: ComponentChildren }) {
  return (
    <div class="trouble" role="alert">
      <p>{text}</p>
      <div class="actions">{children}</div>
    </div>
  );
}
