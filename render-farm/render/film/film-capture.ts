/** State that all recorders of a film share. */

import type { FilmSetup } from "../inputs/film-setup.ts";
import type { RenderStage } from "../render-stage.ts";
import type { Segment } from "./segments.ts";
import type { SharedFilm } from "./shared-segments.ts";

/** A film that is being captured from its pages. */
export interface FilmCapture {
  readonly stage: RenderStage;
  readonly setup: FilmSetup;
  readonly frames: number;
  /** The segments that other nodes make for this film. */
  readonly shared: SharedFilm | undefined;
  /** Receives the file of each segment when it is finished. */
  readonly onMade?: (segment: Segment, path: string) => void;
}
