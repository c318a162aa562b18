import type { Painter } from "./painters.ts";
import type { VideoFrames } from "./video-frames.ts";

/**
 * All frames in order, painted by several pages in turns: each paints every nth frame, so that a
 * page is busy while the others' frames are encoded, and there are no seams. A frame that looks
 * like its page's last one is that one again.
 */
export interface Filming {
  readonly painters: readonly Painter[];
  readonly videos: VideoFrames;
  readonly frames: number;
  readonly onFrame: (frame: number, picture: Buffer) => void;
}

export async function* filmFrames(filming: Filming): AsyncGenerator<Buffer> {
  const { painters, videos, frames, onFrame } = filming;
  const last: (Buffer | undefined)[] = painters.map(() => undefined);
  const ahead: Promise<Buffer>[] = [];
  const busy: Promise<unknown>[] = painters.map(() => Promise.resolve());
  let ordering: Promise<unknown> = Promise.resolve();
  const order = (frame: number): void => {
    const index = frame % painters.length;
    // Videos are decoded in the order of time, whichever page asks.
    const pictures = ordering.then(() => videos.at(frame));
    ordering = pictures.catch(() => undefined);
    const painted = Promise.all([pictures, busy[index]]).then(async ([shown]) => {
      const picture = (await painters[index]?.paint(frame, shown)) ?? last[index];
      if (picture === undefined) throw new Error("a page painted nothing");
      last[index] = picture;
      return picture;
    });
    busy[index] = painted.catch(() => undefined);
    ahead.push(painted);
  };
  for (let frame = 0; frame < Math.min(painters.length, frames); frame++) order(frame);
  for (let frame = 0; frame < frames; frame++) {
    const next = ahead[0];
    if (next === undefined) return;
    const picture = await next;
    if (frame + painters.length < frames) order(frame + painters.length);
    void ahead.shift();
    onFrame(frame, picture);
    yield picture;
  }
}
