/** A file of text. It is saved only over the version that was read. */
import type {
  Composition,
  CompositionFile,
} from "../../clients/typescript/src/generated/models.ts";
import { attempt } from "../notices.ts";
import { Icon } from "../parts/icon.tsx";
import { refine } from "../place.ts";
import { klieg } from "../session.ts";
import { useEffect, useRef, useState } from "../view.ts";

interface EditorProps {
  composition: Composition;
  file: CompositionFile;
  text: string;
  changed: () => void;
}

export function Editor({ composition, file, text, changed }: EditorProps) {
  const [written, setWritten] = useState(text);
  const [saved, setSaved] = useState(text);
  const etag = useRef(file.etag);
  const isChanged = written !== saved;
  const { compositions } = klieg.value;
  const save = () =>
    attempt(async () => {
      const options = { ifMatch: etag.current };
      const stored = await compositions.putFile(
        composition.id,
        file.path,
        new Blob([written]),
        options,
      );
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
  useEffect(() => warnWhile(isChanged), [isChanged]);
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
      <textarea
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

/** The browser asks before the page is left. */
function warnWhile(isChanged: boolean): (() => void) | undefined {
  if (!isChanged) return undefined;
  const warn = (event: BeforeUnloadEvent) => event.preventDefault();
  addEventListener("beforeunload", warn);
  return () => removeEventListener("beforeunload", warn);
}
