/** The page of `klieg preview`: a folder's film as it plays, its lanes, and what is wrong. */
import type { EffectiveTimeline } from "../../clients/typescript/src/generated/models.ts";
import { useAsked } from "../asked.ts";
import { playtime } from "../format.ts";
import { Mark } from "../parts/icon.tsx";
import { Empty, Rows, Shown } from "../parts/shown.tsx";
import { Diagnostics, Lanes } from "../studio/diagnostics.tsx";
import { Player } from "../studio/player.tsx";
import { useEffect } from "../view.ts";
import { folderSource } from "./folder-source.ts";
import { isConnected, type Live, live } from "./live.ts";

export function Folder() {
  const told = live.value;
  useEffect(() => {
    if (told !== undefined) document.title = `${told.name} - Klieg`;
  }, [told?.name]);
  return (
    <main id="view">
      <div class="view">
        {!isConnected.value && (
          <p class="wrong" role="alert">
            klieg preview does not answer; start it again and open the address that it prints.
          </p>
        )}
        {told === undefined ? <Rows count={5} /> : <Film told={told} />}
      </div>
    </main>
  );
}

function Film({ told: { name, revision, fault } }: { told: Live }) {
  if (fault === null) return <Playing name={name} revision={revision} />;
  return (
    <>
      <Head name={name} />
      <Broken reason={fault} />
    </>
  );
}

function Playing({ name, revision }: { name: string; revision: number }) {
  const { asked, again } = useAsked(folderSource.timeline, [], undefined, revision);
  return (
    <>
      <Head name={name} facts={asked.phase === "ready" ? factsOf(asked.value) : undefined} />
      <Shown asked={asked} again={again}>
        {(timeline) => <Studio timeline={timeline} revision={revision} />}
      </Shown>
    </>
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

function Studio({ timeline, revision }: { timeline: EffectiveTimeline; revision: number }) {
  const { width, height, diagnostics } = timeline;
  const error = diagnostics.find(({ severity }) => severity === "error");
  return (
    <div class="two studio">
      <section class="stage-column" aria-label="Film">
        {error === undefined && width && height ? (
          <Player source={folderSource} revision={revision} size={{ width, height }} />
        ) : (
          <Broken reason={error?.message ?? "The film has no size."} />
        )}
        <Lanes timeline={timeline} />
      </section>
      <section class="about-column" aria-label="Diagnostics">
        <Diagnostics timeline={timeline} />
      </section>
    </div>
  );
}

/** It goes by itself when the files are mended. */
function Broken({ reason }: { reason: string }) {
  return (
    <div class="card" role="alert">
      <Empty icon="failures" title="Nothing to show">
        <p>{reason}</p>
      </Empty>
    </div>
  );
}

function factsOf({ width, height, duration_seconds, frame_rate }: EffectiveTimeline): string {
  const facts = [
    width && height ? `${width} \u00d7 ${height}` : undefined,
    duration_seconds ? playtime(duration_seconds) : undefined,
    `${frame_rate} frames a second`,
  ];
  return facts.filter((fact) => fact !== undefined).join(" · ");
}
