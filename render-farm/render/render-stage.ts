import type { Objects } from "../../engine/ports/objects.ts";
import type { TaskOutput } from "../../engine/ports/tasks.ts";
import type { FilmReport } from "../../film/page/plan.ts";
import type { PageScripts } from "../../film/page-scripts.ts";
import type { Timeline } from "../../timeline/model.ts";
import type { TaskContext } from "../node/task-loop.ts";
import type { Workspaces } from "../node/workspace.ts";
import type { Pictures } from "../pictures/pictures.ts";
import type { MediaTools } from "../programs/media-tools.ts";
import type { KnownMedia } from "./inputs/known-media.ts";
import type { MediaFiles } from "./inputs/media-files.ts";
import type { PageFiles } from "./inputs/page-files.ts";
import type { StoredBundle } from "./inputs/stored-bundle.ts";
import type { Patience } from "./page/film-page-session.ts";
import type { SpareBrowsers } from "./page/spare-browsers.ts";
import { RenderError, type Warnings } from "./render-error.ts";
import type { RenderInput } from "./render-input.ts";
import type { CodedPictures } from "./videos/coded-pictures.ts";

export interface StudioTools {
  readonly workspaces: Workspaces;
  /** Reads the screenshots of all renders with one program. */
  readonly screenshots: Pictures;
  readonly known: KnownMedia;
  readonly browsers: SpareBrowsers;
  readonly coded: CodedPictures;
  readonly scripts: PageScripts;
  /** Number of pages that paint one film in parallel. */
  readonly pages: number;
  readonly patience: Patience;
  /** Takes a line for the operator's log. */
  readonly note: (line: string) => void;
}

/** The tools of the studio, together with those of one render. */
export interface RenderTools extends StudioTools {
  readonly media: MediaTools;
  readonly pictures: Pictures;
}

/** State that films and stills both work with. */
export interface RenderStage {
  readonly tools: RenderTools;
  readonly objects: Objects;
  readonly input: RenderInput;
  readonly context: TaskContext;
  readonly folder: string;
  readonly bundle: StoredBundle;
  readonly media: MediaFiles;
  readonly files: PageFiles;
  readonly warnings: Warnings;
}

/** Result of making a film or a still. */
export interface Made {
  readonly output: TaskOutput;
  readonly details: object;
}

/**
 * Reports a fault of the page when the animation library that its scripts use is missing for a
 * known reason; otherwise warns that whatever it should animate stays still.
 */
export function checkAnimation(
  { lacksTimeline, refusal }: FilmReport,
  faults: readonly string[],
  { diagnostics }: Timeline,
  warnings: Warnings,
): void {
  if (refusal !== undefined) {
    const thrown = faults.map((fault) => `a script threw: ${fault}`);
    throw new RenderError("invalid_composition", [refusal, ...thrown.slice(0, 5)].join("; "));
  }
  if (!lacksTimeline) {
    for (const fault of faults) warnings.add(`a script threw: ${fault}`);
    return;
  }
  const remote = diagnostics
    .filter(({ code, element }) => code === "remote" && element?.startsWith("script") === true)
    .map(({ message }) => message);
  const reasons = [...remote, ...faults.map((fault) => `a script threw: ${fault}`)];
  const lack = "no timeline registered in window.__timelines";
  if (reasons.length > 0)
    throw new RenderError("invalid_composition", [lack, ...reasons.slice(0, 5)].join("; "));
  warnings.add(`${lack}; elements that scripts should animate do not move`);
}

/** Warns of a black background, unless a warning about the markup already does. */
export function warnOfBlackGround(
  { isGrounded }: FilmReport,
  { diagnostics }: Timeline,
  warnings: Warnings,
): void {
  if (isGrounded || diagnostics.some(({ code }) => code === "no_background")) return;
  warnings.add("nothing paints the background of page, body or root; the film is black there");
}
