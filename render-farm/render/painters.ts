import type { FrameOrder } from "../film-page/plan.ts";
import type { Picture } from "../stage.ts";
import type { FilmSession } from "./film-page-session.ts";

/** One page's part in a film: pictures of the frames that it is asked for, in rising order. */
export interface Painter {
  /** `undefined` when the frame looks like the one that this painter painted before. */
  paint(frame: number, videos: ReadonlyMap<string, Buffer>): Promise<Buffer | undefined>;
}

/**
 * Painted by the compositor, which is right for every page. While nothing changes a frame costs a
 * question instead of a picture.
 */
export function drivenPainter(session: FilmSession, picture: Picture): Painter {
  const order = orderer();
  let isStill = false;
  let last: Buffer | undefined;
  return {
    async paint(frame, videos) {
      const wasChanged = await session.seek(order(frame, videos));
      if (isStill && !wasChanged && !(await session.paint()).hasDamage) return undefined;
      const { image } = await session.paint(picture);
      isStill = image === undefined || (last !== undefined && image.equals(last));
      if (isStill) return undefined;
      last = image;
      return image;
    },
  };
}

/** Drawn by the page itself into a canvas: several times faster, for pages that allow it. */
export function drawnPainter(session: FilmSession, quality: number): Painter {
  const order = orderer();
  return {
    paint: (frame, videos) => session.draw(order(frame, videos), quality),
  };
}

/** Sends a video's picture only when the page does not have it yet. */
function orderer(): (frame: number, videos: ReadonlyMap<string, Buffer>) => FrameOrder {
  const sent = new Map<string, Buffer>();
  return (frame, videos) => {
    const news: Record<string, string> = {};
    for (const [key, picture] of videos) {
      if (sent.get(key) === picture) continue;
      sent.set(key, picture);
      news[key] = picture.toString("base64");
    }
    return { frame, videos: news };
  };
}
