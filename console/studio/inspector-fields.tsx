/** Form fields inside their labels; a number is applied when its field loses focus. */
import { type ComponentChildren, useState } from "../view.ts";

interface NumberFieldProps {
  label: string;
  value: number | undefined;
  min?: number;
  max?: number;
  step?: number;
  /** Not called for input that is not a number. */
  set: (value: number) => void;
}

export function NumberField({ label, value, min, max, step = 1, set }: NumberFieldProps) {
  // The text being typed is kept while the film around it is read again.
  const [draft, setDraft] = useState<string | undefined>(undefined);
  const text = value === undefined ? "" : String(Math.round(value * 1_000) / 1_000);
  return (
    <LabelledField label={label}>
      <input
        type="number"
        value={draft ?? text}
        min={min}
        max={max}
        step={step}
        onInput={(event) => setDraft(event.currentTarget.value)}
        onBlur={() => setDraft(undefined)}
        onChange={({ currentTarget: { valueAsNumber } }) => {
          setDraft(undefined);
          if (Number.isFinite(valueAsNumber)) set(valueAsNumber);
        }}
      />
    </LabelledField>
  );
}

interface TickFieldProps {
  label: string;
  value: boolean;
  set: (value: boolean) => void;
}

export function TickField({ label, value, set }: TickFieldProps) {
  return (
    <label class="tick">
      <input
        type="checkbox"
        checked={value}
        onChange={(event) => set(event.currentTarget.checked)}
      />
      {label}
    </label>
  );
}

interface ChoiceFieldProps {
  label: string;
  value: string;
  choices: readonly (readonly [value: string, name: string])[];
  set: (value: string) => void;
}

export function ChoiceField({ label, value, choices, set }: ChoiceFieldProps) {
  return (
    <LabelledField label={label}>
      <select value={value} onChange={(event) => set(event.currentTarget.value)}>
        {choices.map(([one, name]) => (
          <option key={one} value={one}>
            {name}
          </option>
        ))}
      </select>
    </LabelledField>
  );
}

export function LabelledField({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is the child.
    <label class="field">
      <span>{label}</span>
      {children}
    </label>
  );
}
