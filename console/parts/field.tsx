import type { ComponentChildren } from "../view.ts";

interface FieldProps {
  id: string;
  label: string;
  hint?: string | undefined;
  wrong?: string | undefined;
  children: ComponentChildren;
}

/** A label, its input, and a hint or an error. */
export function Field({ id, label, hint, wrong, children }: FieldProps) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children}
      {wrong !== undefined ? (
        <p class="wrong" role="alert">
          {wrong}
        </p>
      ) : (
        hint !== undefined && <p class="hint">{hint}</p>
      )}
    </div>
  );
}
