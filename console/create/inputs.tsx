/** An input for each kind of field. */
import { Field } from "../parts/field.tsx";
import { AssetField } from "./asset-field.tsx";
import { set, values } from "./draft.ts";
import { type FormField, optionLabel } from "./fields.ts";

/** With more options than this, the field is a drop-down list, not a row of buttons. */
const rowOptionsMax = 6;

export function Input({ field }: { field: FormField }) {
  switch (field.kind) {
    case "text":
    case "line":
      return <Text field={field} />;
    case "choice":
      return field.options.length > rowOptionsMax || longest(field.options) > 12 ? (
        <Choice field={field} />
      ) : (
        <Row field={field} />
      );
    case "number":
      return field.isSlider ? <Slider field={field} /> : <Amount field={field} />;
    case "switch":
      return <Switch field={field} />;
    case "assets":
      return <AssetField field={field} />;
  }
}

type Of<K extends FormField["kind"]> = { field: FormField & { kind: K } };

function getId({ name }: FormField): string {
  return `field-${name}`;
}

function Text({ field }: Of<"text" | "line">) {
  const value = String(values.value[field.name] ?? "");
  const common = {
    id: getId(field),
    value,
    maxLength: field.max,
    required: field.isRequired ?? false,
  };
  const write = (event: { currentTarget: { value: string } }) =>
    set(field.name, event.currentTarget.value);
  return (
    <Field id={getId(field)} label={field.label} hint={field.hint}>
      {field.kind === "text" ? (
        <textarea {...common} rows={4} onInput={write} />
      ) : (
        <input {...common} onInput={write} />
      )}
    </Field>
  );
}

function Choice({ field }: Of<"choice">) {
  const value = values.value[field.name] ?? field.standard ?? "";
  return (
    <Field id={getId(field)} label={field.label} hint={field.hint}>
      <select
        id={getId(field)}
        value={String(value)}
        onChange={(event) => set(field.name, event.currentTarget.value)}
      >
        {field.standard === undefined && <option value="">The model's choice</option>}
        {field.options.map((option) => (
          <option key={option} value={String(option)}>
            {optionLabel(option)}
          </option>
        ))}
      </select>
    </Field>
  );
}

function Row({ field }: Of<"choice">) {
  const value = String(values.value[field.name] ?? field.standard ?? "");
  return (
    <fieldset class="field">
      <legend class="label">{field.label}</legend>
      <div class="tabs">
        {field.options.map((option) => (
          <label key={option} class={String(option) === value ? "on" : ""}>
            <input
              class="unseen"
              type="radio"
              name={getId(field)}
              checked={String(option) === value}
              onChange={() => set(field.name, option)}
            />
            {field.name === "aspect_ratio" && <Shape ratio={String(option)} />}
            {optionLabel(option)}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

/** Draws a frame with the given aspect ratio. */
function Shape({ ratio }: { ratio: string }) {
  const [width = 1, height = 1] = ratio.split(":").map(Number);
  const scale = 12 / Math.max(width, height);
  const [w, h] = [Math.max(4, width * scale), Math.max(4, height * scale)];
  return (
    <svg width="14" height="14" viewBox="0 0 14 14" aria-hidden="true">
      <rect
        x={7 - w / 2}
        y={7 - h / 2}
        width={w}
        height={h}
        rx="1.2"
        fill="none"
        stroke="currentColor"
        stroke-width="1.4"
      />
    </svg>
  );
}

function Slider({ field }: Of<"number">) {
  const standard = typeof field.standard === "number" ? field.standard : field.min;
  const value = Number(values.value[field.name] ?? standard);
  return (
    <div class="field">
      <div class="slider-head">
        <label for={getId(field)}>{field.label}</label>
        <output for={getId(field)}>{value}</output>
      </div>
      <input
        id={getId(field)}
        type="range"
        min={field.min}
        max={field.max}
        step={field.step}
        value={value}
        onInput={(event) => set(field.name, event.currentTarget.valueAsNumber)}
      />
    </div>
  );
}

function Amount({ field }: Of<"number">) {
  const value = values.value[field.name];
  return (
    <Field id={getId(field)} label={field.label} hint={field.hint}>
      <input
        id={getId(field)}
        type="number"
        min={field.min}
        max={field.max}
        step={field.step}
        value={value === undefined ? "" : String(value)}
        placeholder="By chance"
        onInput={(event) => {
          const given = event.currentTarget.valueAsNumber;
          set(field.name, Number.isNaN(given) ? undefined : given);
        }}
      />
    </Field>
  );
}

function Switch({ field }: Of<"switch">) {
  const value = values.value[field.name] ?? field.standard ?? false;
  return (
    <label class="switch">
      <input
        type="checkbox"
        checked={value === true}
        onChange={(event) => set(field.name, event.currentTarget.checked)}
      />
      {field.label}
    </label>
  );
}

function longest(options: readonly (string | number)[]): number {
  return Math.max(...options.map((option) => optionLabel(option).length));
}
