/**
 * The page of `klieg preview`: plays a folder's film, edits its tracks and lists its faults. While
 * the files are broken, the last good film stays visible with the reason above it.
 */
import { useAsked } from "../asked.ts";
import { playtime } from "../format.ts";
import { Mark } from "../parts/icon.tsx";
import { RequestView, Rows } from "../parts/shown.tsx";
import { Diagnostics } from "../studio/diagnostics.tsx";
import type { EditSession } from "../studio/edit-session.ts";
import { Inspector } from "../studio/inspector.tsx";
import { Player } from "../studio/player.tsx";
import type { TimedFilm } from "../studio/studio-clips.ts";
import { Timeline } from "../studio/timeline.tsx";
import { useEditSession } from "../studio/use-edit-session.ts";
import { useEffect } from "../view.ts";
import { folderSource } from "./folder-source.ts";
import { isConnected, type Live, lastGood, live } from "./live.ts";

export function Folder() {
  const told = live.value;
  const name = told?.name;
  useEffect(() => {
    if (name !== undefined) document.title = `${name} - Klieg`;
  }, [name]);
  return (
    <main id="view">
      <div class="view">
        {!isConnected.value && (
          <p class="trouble" role="alert">
            klieg preview is not answering; start it again and open the address that it prints.
          </p>
        )}
        {told === undefined ? <Rows count={5} /> : <Work told={told} />}
      </div>
    </main>
  );
}

function Work({ told: { name, faults } }: { told: Live }) {
  const good = lastGood.value;
  if (good !== undefined) return <Film name={name} faults={faults} revision={good.revision} />;
  return (
    <>
      <Head name={name} />
      <FaultList faults={faults} />
    </>
  );
}

interface FilmProps {
  name: string;
  faults: readonly string[];
  /** Revision of the files from when they could last be shown. */
  revision: number;
}

function Film({ name, faults, revision }: FilmProps) {
  // Nothing to do after a save: the preview process reports changed files by itself.
  const session = useEditSession(folderSource, () => {});
  const { asked, again } = useAsked(
    (signal) => session.read(signal),
    [session],
    undefined,
    revision,
  );
  return (
    <>
      <Head name={name} facts={asked.phase === "ready" ? listFacts(asked.value) : undefined} />
      {faults.length > 0 && <FaultList faults={faults} />}
      <RequestView asked={asked} again={again}>
        {(film) => (
          <Studio film={film} session={session} revision={revision} isBroken={faults.length > 0} />
        )}
      </RequestView>
    </>
  );
}

interface StudioProps {
  film: TimedFilm;
  session: EditSession;
  revision: number;
  isBroken: boolean;
}

function Studio({ film, session, revision, isBroken }: StudioProps) {
  const { width, height } = film.timeline;
  return (
    <div class="two studio">
      <section class="stage-column" aria-label="Film">
        {width && height ? (
          <Player source={folderSource} revision={revision} size={{ width, height }} />
        ) : null}
        <Timeline film={film} session={session} />
      </section>
      <section class="about-column" aria-label="Details">
        <Inspector film={film} session={session} />
        {!isBroken && <Diagnostics film={film} session={session} />}
      </section>
    </div>
  );
}

function Head({ name, facts }: { name: string; facts?: string | undefined }) {
  return (
    <header class="view-head">
      <Mark />
      <h1>{name}</h1>
      {facts !== undefined && <p class="hint">{facts}</p>}
    </header>
  );
}

/** Lists the faults; the list disappears when the files have been fixed. */
function FaultList({ faults }: { faults: readonly string[] }) {
  return (
    <div class="trouble" role="alert">
      {faults.map((fault) => (
        <p key={fault}>{fault}</p>
      ))}
    </div>
  );
}

function listFacts({ timeline }: TimedFilm): string {
  const { width, height, duration_seconds: seconds, frame_rate: rate } = timeline;
  const facts = [
    width && height ? `${width} \u00d7 ${height}` : undefined,
    seconds ? playtime(seconds) : undefined,
    `${rate} frames a second`,
  ];
  return facts.filter((fact) => fact !== undefined).join(" · ");
}
