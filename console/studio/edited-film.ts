/** The film with the current edits applied, for all views that show a part of it. */
import type { EditSession } from "./edit-session.ts";
import type { Edits } from "./edits-document.ts";
import { playedSeconds } from "./playhead.ts";
import { type StudioClip, studioClips, type TimedFilm } from "./studio-clips.ts";

export interface FilmProps {
  /** The film as it is stored. */
  film: TimedFilm;
  session: EditSession;
}

export interface EditedFilm {
  readonly session: EditSession;
  readonly film: TimedFilm;
  readonly edits: Edits;
  readonly clips: readonly StudioClip[];
  readonly seconds: number;
  readonly fps: number;
}

/** Uses the stored edits while the edits file is invalid. */
export function createEditedFilm({ film, session }: FilmProps): EditedFilm {
  const { timeline } = film;
  const isStored = session.history.value.now === film.version;
  const read = session.edits.value;
  const edits = isStored || "fault" in read ? film.edits : read.edits;
  const seconds = timeline.duration_seconds ?? playedSeconds.value ?? 0;
  const clips = studioClips(film, session.authored, edits, seconds);
  return { session, film, edits, clips, seconds, fps: timeline.frame_rate };
}
