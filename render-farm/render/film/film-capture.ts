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
  /** What other nodes make of it too. */
  readonly shared: SharedFilm | undefined;
  /** Learns of each segment's file when that is there. */
  readonly onMade?: (segment: Segment, path: string) => void;
}
