/** The timeline: clips on their tracks, to move, trim and delete by pointer or keyboard. */
import { playtime } from "../format.ts";
import { Icon } from "../parts/icon.tsx";
import { useEffect, useRef, useState } from "../view.ts";
import { placeClip, putBack } from "./clip-edits.ts";
import { createEditedFilm, type EditedFilm, type FilmProps } from "./edited-film.ts";
import type { Edits } from "./edits-document.ts";
import { GhostClip, LaneClip } from "./lane-clip.tsx";
import type { Placement } from "./placement.ts";
import { playhead } from "./playhead.ts";
import { Ruler } from "./ruler.tsx";
import { SessionTrouble, StoredHint } from "./session-state.tsx";
import { type Lane, listLanes, type StudioClip } from "./studio-clips.ts";
import { followStudioKeys } from "./studio-keys.ts";
import { addText, newTextId } from "./text-edits.ts";
import { TrackHead } from "./track-head.tsx";
import { useDrag } from "./use-drag.ts";

interface TimelineProps extends FilmProps {
  open?: ((path: string) => void) | undefined;
}

export function Timeline(props: TimelineProps) {
  const { session } = props;
  const edited = createEditedFilm(props);
  const [zoom, setZoom] = useState(1);
  useEffect(() => followStudioKeys(session), [session]);
  return (
    <div class="card panel timeline">
      <div class="panel-head">
        <h2>Timeline</h2>
        <p class="hint">{edited.seconds > 0 && playtime(edited.seconds)}</p>
        <StoredHint session={session} />
        <Tools edited={edited} zoom={zoom} setZoom={setZoom} />
      </div>
      <SessionTrouble session={session} open={props.open} />
      {edited.seconds > 0 && <Lanes edited={edited} zoom={zoom} />}
      <RemovedClips edited={edited} />
    </div>
  );
}

const zoomMax = 16;

interface ToolsProps {
  edited: EditedFilm;
  zoom: number;
  setZoom: (zoom: number) => void;
}

function Tools({ edited, zoom, setZoom }: ToolsProps) {
  const { session, film } = edited;
  const { past, future } = session.history.value;
  const { width, height } = film.timeline;
  const canAdd = width != null && height != null && !("fault" in session.edits.value);
  return (
    <div class="actions">
      <Tool name="undo" label="Undo" isOff={past.length === 0} act={() => session.undo()} />
      <Tool name="redo" label="Redo" isOff={future.length === 0} act={() => session.redo()} />
      <Tool name="minus" label="Show more time" isOff={zoom <= 1} act={() => setZoom(zoom / 2)} />
      <Tool
        name="plus"
        label="Show less time"
        isOff={zoom >= zoomMax}
        act={() => setZoom(zoom * 2)}
      />
      <button
        type="button"
        class="plain small"
        disabled={!canAdd}
        onClick={() => addNewText(edited, { width: width ?? 0, height: height ?? 0 })}
      >
        <Icon name="text" size={16} />
        Add text
      </button>
    </div>
  );
}

interface ToolProps {
  name: "undo" | "redo" | "plus" | "minus";
  label: string;
  isOff: boolean;
  act: () => void;
}

function Tool({ name, label, isOff, act }: ToolProps) {
  return (
    <button
      type="button"
      class="bare icon-only small"
      aria-label={label}
      title={label}
      disabled={isOff}
      onClick={act}
    >
      <Icon name={name} size={16} />
    </button>
  );
}

const textSeconds = 3;

/** Adds a text at the playhead, on a track that is free there. */
function addNewText(
  { session, clips, edits, seconds, fps }: EditedFilm,
  size: { readonly width: number; readonly height: number },
): void {
  const start = Math.max(0, Math.min(playhead.peek(), seconds - 1 / fps));
  const end = seconds > start ? Math.min(seconds, start + textSeconds) : start + textSeconds;
  const own = clips.filter(({ host }) => host === "");
  const last = Math.max(-1, ...own.map(({ lane }) => lane), ...lanesSaid(edits));
  const isTaken = own.some((clip) => clip.lane === last && clip.start < end && clip.end > start);
  const isTextLane = own.every((clip) => clip.lane !== last || clip.isText);
  const lane = isTextLane && !isTaken && last >= 0 ? last : last + 1;
  const ids = [...clips.map(({ id }) => id), ...Object.keys(edits.clips ?? {})];
  const id = newTextId(new Set([...ids, ...(edits.deleted ?? [])]));
  session.edit((old) => addText(old, { id, start, duration: end - start, lane, ...size }));
  session.selected.value = id;
}

function lanesSaid({ tracks = {} }: Edits): readonly number[] {
  return Object.keys(tracks).map(Number);
}

function Lanes({ edited, zoom }: { edited: EditedFilm; zoom: number }) {
  const { clips, edits, seconds, fps } = edited;
  const rows = useRef<HTMLDivElement>(null);
  const lanes = listLanes(clips, edits);
  const own = lanes.filter(({ host }) => host === "");
  const next = Math.max(-1, ...own.map(({ index }) => index)) + 1;
  const indices = [...own.map(({ index }) => index), next];
  const place = placeBy(edited);
  const drag = useDrag({ clips, edits, fps, seconds, lanes: indices }, place);
  const { dragged } = drag;
  const getRow = (host: string, lane: number) =>
    lanes.findIndex((one) => one.host === host && one.index === lane);
  const isNew = dragged?.grip === "whole" && rows.current !== null;
  const ghostRow = dragged === undefined ? 0 : indices.indexOf(dragged.next.lane);
  return (
    <div class="lane-frame">
      <div class="track-heads">
        {lanes.map((lane) => (
          <TrackHead key={`${lane.host} ${lane.index}`} lane={lane} edited={edited} />
        ))}
      </div>
      <div class="lane-scroll">
        <div class="lane-list" style={{ width: `${zoom * 100}%` }}>
          <Ruler seconds={seconds} zoom={zoom} fps={fps} />
          <div class="lane-rows">
            <div ref={rows} class="own-rows">
              {own.map((lane) => (
                <Row key={lane.index} lane={lane} />
              ))}
            </div>
            {lanes.slice(own.length).map((lane) => (
              <Row key={`${lane.host} ${lane.index}`} lane={lane} />
            ))}
            {isNew && <div class="lane new-lane">A new track</div>}
            {clips.map((clip) => (
              <LaneClip
                key={clip.key}
                clip={clip}
                edited={edited}
                row={getRow(clip.host, clip.lane)}
                isHeld={dragged?.clip.key === clip.key}
                drag={drag}
                rows={rows}
                place={place}
              />
            ))}
            {dragged !== undefined && (
              <GhostClip
                drag={dragged}
                row={ghostRow === own.length ? lanes.length : ghostRow}
                seconds={seconds}
              />
            )}
            <Playhead seconds={seconds} />
          </div>
        </div>
      </div>
    </div>
  );
}

function placeBy({ session }: EditedFilm) {
  return (clip: StudioClip, placement: Placement) =>
    session.edit((old) => placeClip(old, clip, placement));
}

function Playhead({ seconds }: { seconds: number }) {
  return <span class="playhead" style={{ left: `${(100 * playhead.value) / seconds}%` }} />;
}

function Row({ lane }: { lane: Lane }) {
  return <div class={lane.host === "" ? "lane" : "lane inner"} />;
}

function RemovedClips({ edited: { session, edits } }: { edited: EditedFilm }) {
  const { deleted = [] } = edits;
  if (deleted.length === 0) return null;
  return (
    <p class="taken-out">
      <span class="hint">Taken out</span>
      {deleted.map((id) => (
        <button
          key={id}
          type="button"
          class="plain small"
          title="Put it back"
          onClick={() => session.edit((old) => putBack(old, id))}
        >
          <Icon name="undo" size={14} />
          {id}
        </button>
      ))}
    </p>
  );
}
