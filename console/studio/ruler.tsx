/** The ruler above the lanes, in seconds; a click on it moves the playhead. */

import { clamp } from "./placement.ts";
import { sought } from "./playhead.ts";

interface RulerProps {
  seconds: number;
  zoom: number;
  fps: number;
}

const steps = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1_800, 3_600];
const ticksMax = 8;

export function Ruler({ seconds, zoom, fps }: RulerProps) {
  const step = steps.find((one) => seconds / one <= ticksMax * zoom) ?? seconds;
  const ticks = Array.from({ length: Math.ceil(seconds / step) }, (_, at) => at * step);
  const seek = (event: PointerEvent & { readonly currentTarget: HTMLElement }) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    const at = ((event.clientX - left) / Math.max(1, width)) * seconds;
    sought.value = { seconds: clamp(at, 0, seconds - 1 / fps) };
  };
  return (
    // For keyboard users, the slider below the picture does the same.
    <div
      class="ruler"
      aria-hidden="true"
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        seek(event);
      }}
      onPointerMove={(event) => {
        if (event.currentTarget.hasPointerCapture(event.pointerId)) seek(event);
      }}
    >
      {ticks.map((tick) => (
        <span key={tick} style={{ left: `${(100 * tick) / seconds}%` }}>
          {timeText(tick, step)}
        </span>
      ))}
    </div>
  );
}

function timeText(seconds: number, step: number): string {
  if (step < 1) return seconds.toFixed(1);
  const rest = String(Math.round(seconds % 60)).padStart(2, "0");
  return `${Math.floor(seconds / 60)}:${rest}`;
}
