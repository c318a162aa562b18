/** One clip on its lane. Its keyboard shortcuts are listed in `keys.ts`. */
import { Icon } from "../parts/icon.tsx";
import { deleteClip } from "./clip-edits.ts";
import type { EditedFilm } from "./edited-film.ts";
import { moveTo, type Placement, trimEnd, trimStart } from "./placement.ts";
import { playhead, sought } from "./playhead.ts";
import type { StudioClip } from "./studio-clips.ts";
import type { Drag, useDrag } from "./use-drag.ts";

interface LaneClipProps {
  clip: StudioClip;
  edited: EditedFilm;
  row: number;
  isHeld: boolean;
  drag: ReturnType<typeof useDrag>;
  rows: { readonly current: Element | null };
  place: (clip: StudioClip, placement: Placement) => void;
}

export function LaneClip(props: LaneClipProps) {
  const { clip, edited, row, isHeld, drag } = props;
  const { session, seconds } = edited;
  const isSelected = session.selected.value === clip.key;
  const states = [
    ...["clip", clip.kind, isSelected ? "selected" : "", isHeld ? "held" : ""],
    ...[clip.isShown ? "" : "off", clip.fixed === undefined ? "" : "fixed"],
  ];
  return (
    <button
      type="button"
      class={states.filter((state) => state !== "").join(" ")}
      aria-pressed={isSelected}
      title={getTitle(clip)}
      style={barStyle(clip, row, seconds)}
      onPointerDown={(event) => hold(event, props)}
      onPointerMove={drag.pull}
      onPointerUp={drag.letGo}
      onPointerCancel={drag.giveUp}
      onKeyDown={(event) => {
        if (clip.fixed === undefined && press(event, props)) event.preventDefault();
      }}
      onClick={() => {
        session.selected.value = clip.key;
        const isSeen = playhead.peek() >= clip.start && playhead.peek() < clip.end;
        if (!isSeen) sought.value = { seconds: Math.max(0, clip.start) };
      }}
    >
      {clip.diagnostics.length > 0 && <Icon name="failures" size={13} />}
      {clip.fixed !== undefined && clip.host === "" && <Icon name="lock" size={12} />}
      <span class="clip-name">{clip.name}</span>
      {clip.fixed === undefined && (
        <>
          <span class="grip start" data-grip="start" />
          <span class="grip end" data-grip="end" />
        </>
      )}
    </button>
  );
}

/** A touch on a clip that is not selected scrolls the page. */
function hold(
  event: PointerEvent,
  { clip, edited: { session }, drag, rows: { current } }: LaneClipProps,
): void {
  const isChosen = session.selected.peek() === clip.key;
  if (event.button !== 0 || clip.fixed !== undefined || current === null) return;
  if (event.pointerType === "touch" && !isChosen) return;
  session.selected.value = clip.key;
  const name = event.target instanceof HTMLElement ? event.target.dataset["grip"] : undefined;
  drag.hold(clip, event, current, name === "start" || name === "end" ? name : "whole");
}

/** Handles a key; returns whether it did something. */
function press(event: KeyboardEvent, { clip, edited, place }: LaneClipProps): boolean {
  const { session, fps } = edited;
  const { key, altKey, shiftKey, ctrlKey, metaKey } = event;
  if (ctrlKey || metaKey) return false;
  const frame = 1 / fps;
  const sideways: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1 };
  const upright: Readonly<Record<string, number>> = { ArrowUp: -1, ArrowDown: 1 };
  const by = sideways[key];
  const lanes = upright[key];
  if (by !== undefined && altKey && shiftKey)
    place(clip, trimStart(clip, clip.start + by * frame, fps));
  else if (by !== undefined && altKey) place(clip, trimEnd(clip, clip.end + by * frame, fps));
  else if (by !== undefined)
    place(clip, moveTo(clip, clip.start + by * (shiftKey ? 1 : frame), fps));
  else if (lanes !== undefined && !altKey)
    place(clip, { ...clip, lane: Math.max(Math.min(0, clip.lane), clip.lane + lanes) });
  else if (key === "[") place(clip, trimStart(clip, playhead.peek(), fps));
  else if (key === "]") place(clip, trimEnd(clip, playhead.peek(), fps));
  else if (key === "Delete" || key === "Backspace") session.edit((old) => deleteClip(old, clip));
  else return false;
  return true;
}

export function GhostClip({ drag, row, seconds }: { drag: Drag; row: number; seconds: number }) {
  const { clip, next } = drag;
  return (
    <span class={`clip ghost ${clip.kind}`} style={barStyle(next, row, seconds)}>
      {next.start.toFixed(2)} to {next.end.toFixed(2)} s
    </span>
  );
}

function barStyle({ start, end }: Placement, row: number, seconds: number) {
  const from = Math.max(0, start);
  const to = Math.min(seconds, end);
  return {
    top: `calc(var(--row) * ${row} + 0.125rem)`,
    left: `${(100 * from) / seconds}%`,
    width: `${Math.max(0.5, (100 * (to - from)) / seconds)}%`,
  };
}

function getTitle({ name, start, end, fixed, diagnostics, isShown }: StudioClip): string {
  const lines = [
    `${name}: ${start.toFixed(2)} to ${end.toFixed(2)} s`,
    isShown ? undefined : "Not shown.",
    fixed,
    ...diagnostics.map(({ message }) => message),
  ];
  return lines.filter((line) => line !== undefined).join("\n");
}
