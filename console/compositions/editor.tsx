/** Editor of a text file. A save replaces only the version that was read. */
import type {
  Composition,
  CompositionFile,
  EffectiveTimeline,
} from "../../clients/typescript/src/generated/models.ts";
import { attempt } from "../notices.ts";
import { Icon } from "../parts/icon.tsx";
import { getParameter as askedFor, refine } from "../place.ts";
import { klieg } from "../session.ts";
import { useEffect, useLayoutEffect, useRef, useState } from "../view.ts";
import { elementLine } from "./element-line.ts";

interface EditorProps {
  composition: Composition;
  file: CompositionFile;
  text: string;
  changed: () => void;
  /** Diagnostics of this file. */
  diagnostics: EffectiveTimeline["diagnostics"];
}

export function Editor({ composition, file, text, changed, diagnostics }: EditorProps) {
  const { written, setWritten, isChanged, etag, setSaved } = useWritten(text, file.etag);
  const area = useShownElement();
  const { compositions } = klieg.value;
  const save = () =>
    attempt(async () => {
      const over = { ifMatch: etag.current };
      const bytes = new Blob([written]);
      const stored = await compositions.putFile(composition.id, file.path, bytes, over);
      etag.current = stored.etag;
      setSaved(written);
      changed();
    }, "Saved");
  const remove = () => {
    if (!confirm(`Delete ${file.path}?`)) return;
    attempt(async () => {
      await compositions.deleteFile(composition.id, file.path);
      refine({ file: undefined });
      changed();
    }, "Deleted");
  };
  return (
    <div class="editor">
      <div class="editor-head">
        <p class="hint">
          {file.path}
          {isChanged && " · not saved"}
        </p>
        <button type="button" class="bare small" onClick={remove}>
          Delete
        </button>
        <button type="button" class="small" disabled={!isChanged} onClick={save}>
          <Icon name="check" size={16} />
          Save
        </button>
      </div>
      <Findings
        diagnostics={diagnostics}
        text={written}
        show={(one) => area.current !== null && showElement(area.current, one)}
      />
      <textarea
        ref={area}
        aria-label={file.path}
        spellcheck={false}
        wrap="off"
        value={written}
        onInput={(event) => setWritten(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "s" || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          if (isChanged) save();
        }}
      />
    </div>
  );
}

/** Scrolls the text to the element that the address names. */
function useShownElement() {
  const area = useRef<HTMLTextAreaElement>(null);
  const element = askedFor("element");
  useEffect(() => {
    if (element !== undefined && area.current !== null) showElement(area.current, element);
  }, [element]);
  return area;
}

/** Holds the user's changes to the stored text, whose version `etag` names. */
function useWritten(text: string, newest: string) {
  const [written, setWritten] = useState(text);
  const [saved, setSaved] = useState(text);
  const etag = useRef(newest);
  const isChanged = written !== saved;
  // A layout effect: text typed between a paint and its effects would count as stored.
  useLayoutEffect(() => {
    // Another client stored this version; the changes here stay, and saving them is refused.
    if (isChanged) return;
    etag.current = newest;
    setWritten(text);
    setSaved(text);
  }, [text, newest]);
  useEffect(() => warnWhile(isChanged), [isChanged]);
  return { written, setWritten, isChanged, etag, setSaved };
}

interface FindingsProps {
  diagnostics: EditorProps["diagnostics"];
  text: string;
  show: (element: string) => void;
}

/** Lists the file's diagnostics, with their lines where those can be found. */
function Findings({ diagnostics, text, show }: FindingsProps) {
  if (diagnostics.length === 0) return null;
  return (
    <ul class="editor-diagnostics">
      {diagnostics.map(({ severity, path, message, element }) => {
        const line = element ? elementLine(text, element) : undefined;
        return (
          <li key={message} class={severity === "error" ? "wrong" : "warned"}>
            {element && line !== undefined && (
              <button type="button" class="plain small" onClick={() => show(element)}>
                Line {line}
              </button>
            )}
            <span>{message.startsWith(path) ? message.slice(path.length + 2) : message}</span>
          </li>
        );
      })}
    </ul>
  );
}

/** Selects the element's line and scrolls to it. */
function showElement(area: HTMLTextAreaElement, element: string): void {
  const line = elementLine(area.value, element);
  if (line === undefined) return;
  const lines = area.value.split("\n");
  const before = lines.slice(0, line - 1).join("\n");
  const start = line === 1 ? 0 : before.length + 1;
  area.focus();
  area.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0));
  const lineHeight = Number.parseFloat(getComputedStyle(area).lineHeight);
  area.scrollTop = (line - 3) * lineHeight;
}

/** Makes the browser ask before the page is left with changes. */
function warnWhile(isChanged: boolean): (() => void) | undefined {
  if (!isChanged) return undefined;
  const warn = (event: BeforeUnloadEvent) => event.preventDefault();
  addEventListener("beforeunload", warn);
  return () => removeEventListener("beforeunload", warn);
}
