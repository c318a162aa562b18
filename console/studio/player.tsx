/**
 * The player of a composition: its page in a frame without access to anything else, and the
 * controls around it.
 */
import type { PreviewOrder } from "../../film/preview/messages.ts";
import { useAsked } from "../asked.ts";
import { Icon } from "../parts/icon.tsx";
import { RequestView } from "../parts/shown.tsx";
import { type ComponentChildren, effect, useEffect, useRef, useState } from "../view.ts";
import { playedSeconds, playhead, playToggles, sought } from "./playhead.ts";
import type { StudioSource } from "./studio-source.ts";
import { type Told, untold, withNews } from "./told.ts";

interface PlayerProps {
  source: StudioSource;
  /** Revision of the files, which changes when they do. */
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
      <RequestView asked={asked} again={again}>
        {(path) => <Stage path={path} size={size} />}
      </RequestView>
    </div>
  );
}

const failureShownMs = 1_500;

type Order = (order: PreviewOrder) => void;

/**
 * The page of the newest files loads behind the page of the previous ones and replaces it once both
 * show the same frame, so that an edit causes no flicker.
 */
function Stage({ path, size }: { path: string; size: Size }) {
  const [front, setFront] = useState(path);
  const { frames, toldByPath } = usePages();
  const told = toldByPath[front] ?? untold;
  const next = toldByPath[path] ?? untold;
  const orderTo =
    (page: string): Order =>
    (one) =>
      frames.current.get(page)?.contentWindow?.postMessage(one, "*");
  const order: Order = (one) => {
    orderTo(front)(one);
    if (one.kind !== "seek") return;
    // The next page may replace this one before this one has shown the frame.
    if (path !== front) orderTo(path)(one);
    playhead.value = Math.min(one.frame, told.frames - 1) / told.fps;
  };
  useEffect(() => {
    if (next.frames === 0 || path === front) return;
    orderTo(path)({ kind: "seek", frame: Math.round(playhead.peek() * next.fps) });
  }, [path, front, next.frames]);
  const wanted = Math.min(next.frames - 1, Math.round(playhead.peek() * next.fps));
  const isDrawn = next.frames > 0 && next.frame === wanted;
  useEffect(() => {
    if (path === front || next.failure === undefined) return undefined;
    // Usually the files were replaced while the page loaded: the next page is about to load.
    const timer = setTimeout(() => setFront(path), failureShownMs);
    return () => clearTimeout(timer);
  }, [path, front, next.failure]);
  useEffect(() => {
    if (path === front || !isDrawn) return;
    if (told.isPlaying) orderTo(path)({ kind: "play" });
    setFront(path);
  }, [path, front, isDrawn]);
  useEffect(() => {
    if (told.frames === 0) return;
    playhead.value = told.frame / told.fps;
    playedSeconds.value = told.frames / told.fps;
  }, [told.frame, told.frames, told.fps]);
  useOrders(told, order, front, path);
  const pages = path === front ? [path] : [path, front];
  return (
    <>
      <Screen size={size}>
        {pages.map((page) => (
          <Page
            key={page}
            path={page}
            size={size}
            frames={frames}
            isFront={page === front}
            isReady={page === front && told.frames > 0}
          />
        ))}
      </Screen>
      {told.failure !== undefined && <p class="wrong">{told.failure}</p>}
      <Controls told={told} order={order} />
      <Warnings of={told} />
    </>
  );
}

function Warnings({ of: { warnings } }: { of: Told }) {
  if (warnings.length === 0) return null;
  return (
    <ul class="hint">
      {warnings.map((warning) => (
        <li key={warning}>{warning}</li>
      ))}
    </ul>
  );
}

type Frames = { readonly current: Map<string, HTMLIFrameElement> };

/** Holds the frames of the loaded pages, and what each page has reported. */
function usePages() {
  const frames: Frames = useRef(new Map<string, HTMLIFrameElement>());
  const [toldByPath, setTold] = useState<Readonly<Record<string, Told>>>({});
  useEffect(() => {
    const listen = ({ source, data }: MessageEvent<unknown>) => {
      const open = [...frames.current].filter(([, { contentWindow }]) => contentWindow !== null);
      const [page] = open.find(([, { contentWindow }]) => contentWindow === source) ?? [];
      if (page === undefined) return;
      const paths = open.map(([path]) => path);
      setTold((old) => {
        const kept = Object.entries(old).filter(([path]) => paths.includes(path));
        return { ...Object.fromEntries(kept), [page]: withNews(old[page] ?? untold, data) };
      });
    };
    addEventListener("message", listen);
    return () => removeEventListener("message", listen);
  }, []);
  return { frames, toldByPath };
}

/** Follows requests to the player from elsewhere in the studio. */
function useOrders(
  { frames, fps, isPlaying }: Told,
  order: Order,
  front: string,
  path: string,
): void {
  useEffect(() => {
    if (frames === 0) return undefined;
    let known = sought.peek();
    return effect(() => {
      const asked = sought.value;
      if (asked === undefined || asked === known) return;
      known = asked;
      order({ kind: "seek", frame: Math.round(asked.seconds * fps) });
    });
  }, [frames, fps, front, path]);
  const toggles = useRef(playToggles.peek());
  useEffect(() => {
    if (toggles.current === playToggles.value) return;
    toggles.current = playToggles.value;
    order({ kind: isPlaying ? "pause" : "play" });
  }, [playToggles.value]);
}

interface ScreenProps {
  size: Size;
  children: ComponentChildren;
}

/** The frames have the film's own size and are scaled to the available space. */
function Screen({ size: { width, height }, children }: ScreenProps) {
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
      <div class="scaled" style={{ width, height, transform: `scale(${scale})` }}>
        {children}
      </div>
    </div>
  );
}

interface PageProps {
  path: string;
  size: Size;
  frames: Frames;
  isFront: boolean;
  isReady: boolean;
}

function Page({ path, size, frames, isFront, isReady }: PageProps) {
  const own = useRef<HTMLIFrameElement>(null);
  useEffect(() => {
    if (own.current !== null) frames.current.set(path, own.current);
    return () => {
      frames.current.delete(path);
    };
  }, [path]);
  return (
    <iframe
      ref={own}
      class={isFront ? "front" : undefined}
      title={isFront ? "Preview" : "The next preview"}
      tabIndex={isFront ? undefined : -1}
      src={path}
      sandbox="allow-scripts"
      allow="autoplay"
      data-ready={isReady}
      width={size.width}
      height={size.height}
    />
  );
}

interface ControlsProps {
  told: Told;
  order: Order;
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
