/** What all recorders of a film share. */

import type { FilmSetup } from "../inputs/film-setup.ts";
import type { RenderStage } from "../render-stage.ts";
import type { Segment } from "./segments.ts";
import type { SharedFilm } from "./shared-segments.ts";

/** A film that is being made of its pages. */
export interface FilmCapture {
  readonly stage: RenderStage;
  readonly setup: FilmSetup;
  readonly frames: number;
  /** The segments that other nodes make of it. */
  readonly shared: SharedFilm | undefined;
  /** Gets each segment's file when it is there. */
  readonly onMade?: (segment: Segment, path: string) => void;
}
