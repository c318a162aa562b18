/** Form fields of an added text: its words, its position and its style. */

import type { EditedFilm } from "./edited-film.ts";
import type { AddedText } from "./edits-document.ts";
import { ChoiceField, LabelledField, NumberField } from "./inspector-fields.tsx";
import { changeText, findText, textDefaults } from "./text-edits.ts";

const alignments = [
  ["left", "Left"],
  ["center", "Centre"],
  ["right", "Right"],
] as const;

const weights = [
  ["300", "Light"],
  ["400", "Regular"],
  ["600", "Semibold"],
  ["700", "Bold"],
  ["900", "Black"],
] as const;

export function TextFields({ id, edited }: { id: string; edited: EditedFilm }) {
  const { session, edits } = edited;
  const found = findText(edits, id);
  if (found === undefined) return null;
  const text = { ...textDefaults, ...found };
  const change = (members: Partial<AddedText>) =>
    session.edit((old) => changeText(old, id, members), `${id} ${Object.keys(members)}`);
  return (
    <>
      <div class="wide">
        <LabelledField label="Text">
          <textarea
            rows={2}
            value={text.text}
            onInput={(event) => change({ text: event.currentTarget.value })}
          />
        </LabelledField>
      </div>
      <NumberField label="Left (px)" value={text.x} set={(x) => change({ x })} />
      <NumberField label="Top (px)" value={text.y} set={(y) => change({ y })} />
      <NumberField
        label="Wrapped at (px)"
        value={text.width}
        min={1}
        set={(width) => change({ width })}
      />
      <NumberField
        label="Size (px)"
        value={text.font_size}
        min={1}
        set={(size) => change({ font_size: size })}
      />
      <ChoiceField
        label="Weight"
        value={weightName(text.font_weight)}
        choices={withOwn(weights, weightName(text.font_weight))}
        set={(weight) => change({ font_weight: Number(weight) })}
      />
      <ChoiceField
        label="Alignment"
        value={text.align}
        choices={alignments}
        set={(align) => change({ align: align === "center" || align === "right" ? align : "left" })}
      />
      <LabelledField label="Colour">
        <ColorInput color={text.color} set={(color) => change({ color })} />
      </LabelledField>
    </>
  );
}

function ColorInput({ color, set }: { color: string; set: (color: string) => void }) {
  // A colour that is not in hexadecimal form is edited as text.
  const isHex = /^#[0-9a-f]{6}$/i.test(color);
  return isHex ? (
    <input type="color" value={color} onInput={(event) => set(event.currentTarget.value)} />
  ) : (
    <input type="text" value={color} onChange={(event) => set(event.currentTarget.value)} />
  );
}

function weightName(weight: number | "normal" | "bold"): string {
  if (typeof weight === "number") return String(weight);
  return weight === "bold" ? "700" : "400";
}

type Choices = readonly (readonly [value: string, name: string])[];

/** Keeps the current weight as a choice when the list does not contain it. */
function withOwn(choices: Choices, own: string): Choices {
  return choices.some(([value]) => value === own) ? choices : [...choices, [own, own]];
}
