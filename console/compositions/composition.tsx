/** One composition: its files in an editor, its diagnostics, its timeline and its renders. */
import type { Composition } from "../../clients/typescript/src/generated/models.ts";
import { type Asking, useAsked } from "../asked.ts";
import { playtime } from "../format.ts";
import { attempt } from "../notices.ts";
import { Icon } from "../parts/icon.tsx";
import { RequestView } from "../parts/shown.tsx";
import { at, go, refine } from "../place.ts";
import { klieg } from "../session.ts";
import { Diagnostics } from "../studio/diagnostics.tsx";
import { Inspector } from "../studio/inspector.tsx";
import { Player } from "../studio/player.tsx";
import { Timeline } from "../studio/timeline.tsx";
import { useEditSession } from "../studio/use-edit-session.ts";
import { useMemo, useState } from "../view.ts";
import { compositionSource } from "./composition-source.ts";
import { Exports } from "./exports.tsx";
import { Files } from "./files.tsx";
import { Preview } from "./preview.tsx";
import { Renders } from "./renders.tsx";

export function CompositionView({ id }: { id: string }) {
  const asking = useAsked((signal) => klieg.value.compositions.get(id, { signal }), [id]);
  return (
    <RequestView asked={asking.asked} again={asking.again}>
      {(composition) => <Studio composition={composition} asking={asking} />}
    </RequestView>
  );
}

interface StudioProps {
  composition: Composition;
  asking: Asking<Composition>;
}

function Studio({ composition, asking }: StudioProps) {
  const { id, revision } = composition;
  const source = useMemo(() => compositionSource(id), [id]);
  const session = useEditSession(source, asking.again);
  const film = useAsked((signal) => session.read(signal), [session], undefined, revision);
  const shown = film.asked.phase === "ready" ? film.asked.value.timeline : undefined;
  // The composition's own size is not known while its files are being replaced.
  const { width, height } = shown ?? composition;
  const open = (file: string, element?: string) => refine({ file, element });
  return (
    <div class="view">
      <header class="view-head">
        <a class="button bare icon-only" href={at("compositions")} aria-label="To all compositions">
          <Icon name="back" />
        </a>
        <Name key={composition.name} composition={composition} put={asking.put} />
        <p class="hint">{listFacts(composition)}</p>
        <Actions composition={composition} />
      </header>
      <div class="two studio">
        <section class="stage-column">
          {width && height ? (
            <Player source={source} revision={revision} size={{ width, height }} />
          ) : null}
          <RequestView asked={film.asked} again={film.again}>
            {(value) => <Timeline film={value} session={session} open={open} />}
          </RequestView>
          <Files
            composition={composition}
            diagnostics={shown?.diagnostics ?? []}
            changed={asking.again}
          />
        </section>
        <section class="about-column">
          <RequestView asked={film.asked} again={film.again}>
            {(value) => <Inspector film={value} session={session} />}
          </RequestView>
          <Preview composition={composition} />
          <Renders composition={composition} />
          <RequestView asked={film.asked} again={film.again}>
            {(value) => <Diagnostics film={value} session={session} open={open} />}
          </RequestView>
          <Exports composition={composition} />
        </section>
      </div>
    </div>
  );
}

function listFacts({ width, height, duration_seconds, frame_rate, revision }: Composition): string {
  const facts = [
    width && height ? `${width} \u00d7 ${height}` : undefined,
    duration_seconds ? playtime(duration_seconds) : undefined,
    `${frame_rate} frames a second`,
    `revision ${revision}`,
  ];
  return facts.filter((fact) => fact !== undefined).join(" · ");
}

interface NameProps {
  composition: Composition;
  put: (composition: Composition) => void;
}

function Name({ composition, put }: NameProps) {
  const [name, setName] = useState(composition.name);
  const save = () => {
    if (name.trim() === "" || name === composition.name) return setName(composition.name);
    attempt(async () => {
      const changed = await klieg.value.compositions.update(composition.id, { name });
      put({ ...composition, name: changed.name, updated_at: changed.updated_at });
    }, "Renamed");
  };
  return (
    <h1 class="renamed">
      <input
        aria-label="Name"
        value={name}
        onInput={(event) => setName(event.currentTarget.value)}
        onBlur={save}
        onKeyDown={(event) => {
          if (event.key === "Enter") event.currentTarget.blur();
        }}
      />
    </h1>
  );
}

function Actions({ composition }: { composition: Composition }) {
  const { id } = composition;
  const clone = () =>
    attempt(async () => {
      const made = await klieg.value.compositions.clone(id, {});
      go(at(`compositions/${made.id}`));
    }, "Cloned");
  const remove = () => {
    if (!confirm(`Delete "${composition.name}" and all its files?`)) return;
    attempt(async () => {
      await klieg.value.compositions.delete(id);
      go(at("compositions"));
    }, "Deleted");
  };
  return (
    <div class="actions">
      <button type="button" class="plain" onClick={clone}>
        <Icon name="copy" />
        Clone
      </button>
      <button type="button" class="danger" onClick={remove}>
        <Icon name="trash" />
        Delete
      </button>
    </div>
  );
}
