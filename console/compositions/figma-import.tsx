/** The dialog that inserts a frame of a Figma design into a composition. */
import { count } from "../format.ts";
import { attempt, notice } from "../notices.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Field } from "../parts/field.tsx";
import { klieg } from "../session.ts";
import { useState } from "../view.ts";

interface FigmaImportProps {
  composition: string;
  close: () => void;
  /** Called when the frame is in the composition. */
  onImport: () => void;
}

export function FigmaImport({ composition, close, onImport }: FigmaImportProps) {
  const [isUnderWay, setUnderWay] = useState(false);
  const [warnings, setWarnings] = useState<readonly string[]>([]);
  const insert = async (form: FormData) => {
    const request = {
      url: String(form.get("url")),
      access_token: String(form.get("token")),
      insert: true,
      start: Number(form.get("start")),
      duration_seconds: Number(form.get("seconds")),
    };
    setUnderWay(true);
    try {
      const made = await klieg.value.compositions.importFigma(composition, request);
      notice(`${count(made.layers.length)} layers of "${made.frame.name}" inserted`);
      setWarnings(made.warnings);
      onImport();
      if (made.warnings.length === 0) close();
    } finally {
      setUnderWay(false);
    }
  };
  if (warnings.length > 0)
    return (
      <Dialog title="Inserted, with differences" onClose={close}>
        <ul>
          {warnings.map((warning) => (
            <li key={warning}>{warning}</li>
          ))}
        </ul>
      </Dialog>
    );
  return (
    <Dialog title="Import from Figma" onClose={close}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          const form = new FormData(event.currentTarget);
          attempt(() => insert(form));
        }}
      >
        <FrameFields />
        <TimeFields />
        <button type="submit" disabled={isUnderWay}>
          {isUnderWay ? "Importing" : "Insert the frame"}
        </button>
      </form>
    </Dialog>
  );
}

function FrameFields() {
  return (
    <>
      <Field
        id="figma-url"
        label="Link to a frame"
        hint="In Figma, select the frame and choose Copy link to selection."
      >
        <input id="figma-url" name="url" type="url" required maxLength={2048} />
      </Field>
      <Field
        id="figma-token"
        label="Access token"
        hint="A personal access token of Figma. It is used once and not stored."
      >
        <input
          id="figma-token"
          name="token"
          type="password"
          autocomplete="off"
          required
          maxLength={1024}
        />
      </Field>
    </>
  );
}

function TimeFields() {
  return (
    <>
      <Field id="figma-start" label="Starts at, in seconds">
        <input
          id="figma-start"
          name="start"
          type="number"
          min={0}
          max={3600}
          step="any"
          value={0}
        />
      </Field>
      <Field id="figma-seconds" label="Duration, in seconds">
        <input
          id="figma-seconds"
          name="seconds"
          type="number"
          required
          min={0.1}
          max={3600}
          step="any"
          value={5}
        />
      </Field>
    </>
  );
}
