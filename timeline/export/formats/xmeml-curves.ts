import { type Curve, getFirst, isFixed } from "../curve.ts";
import { type Tag, tag } from "./xml.ts";

/** Writes a parameter's value, and its keyframes where it changes. */
export function curveTags(
  curve: Curve,
  when: (frame: number) => number,
  value: (parts: readonly number[]) => Tag,
): readonly Tag[] {
  const first = value(getFirst(curve));
  if (isFixed(curve)) return [first];
  const keys = curve.keys.map((key) =>
    tag("keyframe", [tag("when", when(key.frame)), value(key.value)]),
  );
  return [first, ...keys];
}
