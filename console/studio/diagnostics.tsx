/** The film's diagnostics, each with a link to its place. */
import type { EffectiveTimeline } from "../../clients/typescript/src/generated/models.ts";
import { words } from "../format.ts";
import { Icon } from "../parts/icon.tsx";
import type { EditSession } from "./edit-session.ts";
import { isAbout, type TimedFilm } from "./studio-clips.ts";

interface DiagnosticsProps {
  film: TimedFilm;
  session: EditSession;
  /** Opens the file that a diagnostic is about in an editor, where there is one. */
  open?: OpenPlace | undefined;
}

export type OpenPlace = (path: string, element?: string) => void;

export function Diagnostics({ film, session, open }: DiagnosticsProps) {
  const { diagnostics, clips } = film.timeline;
  const choose = (one: DiagnosticProps["one"]) => {
    const clip = clips.find(({ id }) => isAbout(one.element, id));
    if (clip !== undefined) session.selected.value = clip.key;
    open?.(one.path, one.element ?? undefined);
  };
  return (
    <div class="card panel">
      <h2>Check</h2>
      {diagnostics.length === 0 ? (
        <p class="all-well">
          <Icon name="check" />
          Nothing to mend
        </p>
      ) : (
        <ul class="diagnostics">
          {diagnostics.map((one) => (
            <Diagnostic key={one.message} one={one} choose={choose} />
          ))}
        </ul>
      )}
    </div>
  );
}

interface DiagnosticProps {
  one: EffectiveTimeline["diagnostics"][number];
  choose: (one: DiagnosticProps["one"]) => void;
}

function Diagnostic({ one, choose }: DiagnosticProps) {
  const { severity, code, message, path, element, attribute } = one;
  const place = [element ?? undefined, attribute ?? undefined];
  return (
    <li>
      <span class={severity === "error" ? "badge bad" : "badge warn"}>{words(severity)}</span>
      <p>{message}</p>
      <p class="hint">
        <button type="button" class="bare small" onClick={() => choose(one)}>
          {path}
        </button>
        {place.filter((part) => part !== undefined).join(" ")} <code>{code}</code>
      </p>
    </li>
  );
}
