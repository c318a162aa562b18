/** What to draw in a picture. */
import type { ExampleColors } from "../example-colors.ts";

export interface PictureRequest {
  readonly prompt: string;
  readonly seed: number;
  readonly width: number;
  readonly height: number;
  readonly format: "png" | "jpeg" | "webp";
  readonly negative?: string;
  readonly example?: ExampleColors;
}
