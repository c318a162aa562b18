/**
 * A composition as it plays: its own page in a frame that reaches nothing else, and the controls
 * around it. What the frame tells is a stranger's word, so every member is checked.
 */
import type { PreviewOrder } from "../../film/preview/messages.ts";
import { useAsked } from "../asked.ts";
import { Icon } from "../parts/icon.tsx";
import { Shown } from "../parts/shown.tsx";
import { effect, useEffect, useRef, useState } from "../view.ts";
import { playhead, sought } from "./playhead.ts";
import type { StudioSource } from "./studio-source.ts";

interface PlayerProps {
  source: StudioSource;
  /** Another one for other files. */
  revision: number;
  size: Size;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

export function Player({ source, revision, size }: PlayerProps) {
  const { asked, again } = useAsked(source.preview, [source], undefined, revision);
  return (
    <div class="card player">
      <Shown asked={asked} again={again}>
        {(path) => <Stage key={path} path={path} size={size} />}
      </Shown>
    </div>
  );
}

interface StageProps {
  path: string;
  size: Size;
}

interface Told {
  readonly frames: number;
  readonly fps: number;
  readonly frame: number;
  readonly isPlaying: boolean;
  readonly warnings: readonly string[];
  readonly failure: string | undefined;
}

const untold: Told = {
  ...{ frames: 0, fps: 30, frame: 0, isPlaying: false, warnings: [] },
  failure: undefined,
};

function Stage({ path, size }: StageProps) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [told, setTold] = useState(untold);
  const order = (one: PreviewOrder) => frame.current?.contentWindow?.postMessage(one, "*");
  useEffect(() => {
    const listen = ({ source, data }: MessageEvent<unknown>) => {
      if (source === null || source !== frame.current?.contentWindow) return;
      setTold((old) => withNews(old, data));
    };
    addEventListener("message", listen);
    return () => removeEventListener("message", listen);
  }, []);
  const { fps, frames } = told;
  useEffect(() => {
    if (frames === 0) return undefined;
    // Where the film stood before its files changed.
    order({ kind: "seek", frame: Math.round(playhead.peek() * fps) });
    const before = sought.peek();
    return effect(() => {
      const asked = sought.value;
      if (asked === undefined || asked === before) return;
      order({ kind: "seek", frame: Math.round(asked.seconds * fps) });
    });
  }, [frames, fps]);
  useEffect(() => {
    if (frames > 0) playhead.value = told.frame / fps;
  }, [told.frame, fps]);
  return (
    <>
      <Screen path={path} size={size} frame={frame} isReady={frames > 0} />
      {told.failure !== undefined && <p class="wrong">{told.failure}</p>}
      <Controls told={told} order={order} />
      {told.warnings.length > 0 && (
        <ul class="hint">
          {told.warnings.map((warning) => (
            <li key={warning}>{warning}</li>
          ))}
        </ul>
      )}
    </>
  );
}

interface ScreenProps extends StageProps {
  frame: { current: HTMLIFrameElement | null };
  isReady: boolean;
}

/** The frame has the film's own size and is scaled to the room there is. */
function Screen({ path, size: { width, height }, frame, isReady }: ScreenProps) {
  const room = useRef<HTMLDivElement>(null);
  const [scale, setScale] = useState(0);
  useEffect(() => {
    const { current } = room;
    if (current === null) return undefined;
    const watch = new ResizeObserver(() => setScale(current.clientWidth / width));
    watch.observe(current);
    return () => watch.disconnect();
  }, [width]);
  return (
    <div ref={room} class="screen" style={{ aspectRatio: `${width} / ${height}` }}>
      <iframe
        ref={frame}
        title="Preview"
        src={path}
        sandbox="allow-scripts"
        allow="autoplay"
        data-ready={isReady}
        width={width}
        height={height}
        style={{ transform: `scale(${scale})` }}
      />
    </div>
  );
}

interface ControlsProps {
  told: Told;
  order: (order: PreviewOrder) => void;
}

function Controls({ told, order }: ControlsProps) {
  const { frame, frames, fps, isPlaying } = told;
  const [isMuted, setMuted] = useState(false);
  const play = () => order({ kind: isPlaying ? "pause" : "play" });
  const mute = () => {
    setMuted(!isMuted);
    order({ kind: "mute", isMuted: !isMuted });
  };
  return (
    <div class="controls">
      <button
        type="button"
        class="bare icon-only"
        disabled={frames === 0}
        aria-label={isPlaying ? "Pause" : "Play"}
        onClick={play}
      >
        <Icon name={isPlaying ? "pause" : "play"} />
      </button>
      <input
        type="range"
        aria-label="Frame"
        aria-valuetext={`frame ${frame} of ${frames}`}
        min={0}
        max={Math.max(0, frames - 1)}
        value={frame}
        disabled={frames === 0}
        onInput={(event) => order({ kind: "seek", frame: event.currentTarget.valueAsNumber })}
      />
      <output class="hint">
        {(frame / fps).toFixed(2)} s · frame {frame}
      </output>
      <button
        type="button"
        class="bare icon-only"
        aria-label="Sound"
        aria-pressed={!isMuted}
        onClick={mute}
      >
        <Icon name={isMuted ? "close" : "sound"} />
      </button>
    </div>
  );
}

type Words = { readonly [name: string]: unknown };

function withNews(old: Told, data: unknown): Told {
  if (typeof data !== "object" || data === null) return old;
  const { kind, frame, frames, fps, isPlaying, warnings, message } = data as Words;
  if (kind === "at" && isCount(frame)) return { ...old, frame, isPlaying: isPlaying === true };
  if (kind === "failed" && typeof message === "string")
    return { ...old, failure: message.slice(0, textMax) };
  if (kind !== "ready" || !isCount(frames) || !isCount(fps) || fps === 0) return old;
  const all: readonly unknown[] = Array.isArray(warnings) ? warnings.slice(0, warningsMax) : [];
  const sentences = all.filter((one) => typeof one === "string");
  return {
    ...old,
    frames,
    fps,
    warnings: [...new Set(sentences.map((one) => one.slice(0, textMax)))],
  };
}

const textMax = 300;
const warningsMax = 20;

function isCount(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value < 10_000_000;
}
