/** A clip being dragged: its prospective position until it is dropped or the drag is canceled. */
import { useEffect, useRef, useState } from "../view.ts";
import { type Edits, isLocked } from "./edits-document.ts";
import { drag, type Grip, noSnap, type Placement } from "./placement.ts";
import { playhead } from "./playhead.ts";
import type { StudioClip } from "./studio-clips.ts";

/** The surroundings of the dragged clip. */
export interface DragRoom {
  readonly clips: readonly StudioClip[];
  readonly edits: Edits;
  readonly fps: number;
  /** Length of the lanes in seconds. */
  readonly seconds: number;
  /** Tracks of the film from the top, and an additional one. */
  readonly lanes: readonly number[];
}

export interface Drag {
  readonly clip: StudioClip;
  readonly grip: Grip;
  readonly next: Placement;
}

interface Held {
  readonly clip: StudioClip;
  readonly grip: Grip;
  readonly pointerId: number;
  readonly x: number;
  /** Width, top and height of the lanes, in pixels. */
  readonly width: number;
  readonly top: number;
  readonly height: number;
}

const snapPixels = 8;
/** Movement below this counts as a click, because hands tremble. */
const stillPixels = 3;

export function useDrag(room: DragRoom, place: (clip: StudioClip, next: Placement) => void) {
  const held = useRef<Held | undefined>(undefined);
  const [dragged, setDragged] = useState<Drag | undefined>(undefined);
  const giveUp = () => {
    held.current = undefined;
    setDragged(undefined);
  };
  const isHeld = dragged !== undefined;
  useEffect(() => {
    if (!isHeld) return undefined;
    const press = (event: KeyboardEvent) => {
      if (event.key === "Escape") giveUp();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [isHeld]);
  return {
    dragged,
    giveUp,
    hold(clip: StudioClip, event: PointerEvent, lanes: Element, grip: Grip) {
      const { width, top, height } = lanes.getBoundingClientRect();
      const { pointerId, clientX: x } = event;
      held.current = { clip, grip, pointerId, x, width, top, height };
      if (event.target instanceof Element) event.target.setPointerCapture(pointerId);
    },
    pull(event: PointerEvent) {
      const { current } = held;
      if (current?.pointerId !== event.pointerId) return;
      const isStill = Math.abs(event.clientX - current.x) < stillPixels;
      const lane = current.grip === "whole" ? laneAt(event.clientY, current, room) : undefined;
      if (!isHeld && isStill && (lane ?? current.clip.lane) === current.clip.lane) return;
      setDragged({ ...current, next: pullClip(event, current, lane, room) });
    },
    letGo() {
      if (held.current !== undefined && dragged !== undefined) place(dragged.clip, dragged.next);
      giveUp();
    },
  };
}

function pullClip(event: PointerEvent, held: Held, lane: number | undefined, room: DragRoom) {
  const { clip, grip, x, width } = held;
  const secondsPerPixel = room.seconds / Math.max(1, width);
  const points = [
    ...[0, room.seconds, playhead.peek()],
    ...room.clips.filter(({ key }) => key !== clip.key).flatMap(({ start, end }) => [start, end]),
  ];
  const snap = event.altKey ? noSnap : { points, withinSeconds: snapPixels * secondsPerPixel };
  const next = drag(clip, grip, (event.clientX - x) * secondsPerPixel, room.fps, snap);
  return { ...next, lane: lane ?? clip.lane };
}

/** Returns the track under the pointer; a locked track accepts no clip. */
function laneAt(y: number, { clip, top, height }: Held, { lanes, edits }: DragRoom): number {
  // The last lane is visible only during a drag.
  const shown = Math.max(1, lanes.length - 1);
  const row = Math.floor(((y - top) * shown) / Math.max(1, height));
  const lane = lanes[Math.min(lanes.length - 1, Math.max(0, row))] ?? clip.lane;
  return isLocked(edits, lane) ? clip.lane : lane;
}
