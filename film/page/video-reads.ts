/// <reference lib="dom" />

/**
 * Scripts that draw a video into a canvas or a texture get what its screen shows, because the video
 * itself plays nothing in a film.
 */
type ScreenOf = (video: HTMLVideoElement) => HTMLCanvasElement | undefined;

let reads = 0;

/** Whether any script has drawn a video. */
export function areVideosRead(): boolean {
  return reads > 0;
}

export function lendScreens(screenOf: ScreenOf): void {
  const lend = (value: unknown): unknown => {
    if (!(value instanceof HTMLVideoElement)) return value;
    reads += 1;
    return screenOf(value) ?? value;
  };
  const owners: readonly (readonly [owner: object, ...names: string[]])[] = [
    [CanvasRenderingContext2D.prototype, "drawImage", "createPattern"],
    [OffscreenCanvasRenderingContext2D.prototype, "drawImage", "createPattern"],
    [WebGLRenderingContext.prototype, "texImage2D", "texSubImage2D"],
    [WebGL2RenderingContext.prototype, "texImage2D", "texSubImage2D", "texImage3D"],
    [window, "createImageBitmap"],
  ];
  for (const [owner, ...names] of owners)
    for (const name of names) {
      const real: unknown = Reflect.get(owner, name);
      if (typeof real !== "function") continue;
      const value = function (this: unknown, ...values: unknown[]): unknown {
        return Reflect.apply(real, this, values.map(lend));
      };
      Object.defineProperty(owner, name, { value, configurable: true, writable: true });
    }
}

/** Gives the video the properties and events of one that has loaded. */
export function feignLoaded(
  video: HTMLVideoElement,
  { width, height }: { readonly width: number; readonly height: number },
): void {
  const says = { readyState: 4, videoWidth: width, videoHeight: height };
  for (const [name, value] of Object.entries(says))
    Object.defineProperty(video, name, { value, configurable: true });
  const requestVideoFrameCallback = (call: VideoFrameRequestCallback): number => {
    waiting.set(video, [...(waiting.get(video) ?? []), call]);
    return 0;
  };
  Object.defineProperty(video, "requestVideoFrameCallback", { value: requestVideoFrameCallback });
}

const waiting = new WeakMap<HTMLVideoElement, readonly VideoFrameRequestCallback[]>();

export function tellLoaded(videos: readonly HTMLVideoElement[]): void {
  for (const video of videos)
    for (const name of ["loadedmetadata", "loadeddata", "canplay", "canplaythrough"])
      video.dispatchEvent(new Event(name));
}

/** Runs the script callbacks that wait for a new picture of the video. */
export function tellPicture(video: HTMLVideoElement, seconds: number): void {
  const calls = waiting.get(video) ?? [];
  waiting.delete(video);
  const { videoWidth: width, videoHeight: height } = video;
  const now = seconds * 1_000;
  const times = { presentationTime: now, expectedDisplayTime: now, mediaTime: seconds };
  for (const call of calls)
    try {
      call(now, { ...times, width, height, presentedFrames: 1 });
    } catch (fault) {
      globalThis.reportError(fault);
    }
}
