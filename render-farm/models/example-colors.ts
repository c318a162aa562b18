import type { Color } from "./studio-image/color.ts";
/** What a picture that was given as an example is coloured like. */
export interface ExampleColors {
  /** From its top down to its middle. */
  readonly sky: readonly [Color, Color, Color, Color, Color];
  readonly light: Color;
  readonly shadow: Color;
  readonly accent: Color;
  /** Of its lower part. */
  readonly ground: Color;
}
