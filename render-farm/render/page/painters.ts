import type { PicturePlaces } from "../../../film/page/plan.ts";
import type { Picture } from "../../browser/stage.ts";
import type { VideoPicture } from "../videos/video-frames.ts";
import type { FilmSession } from "./film-page-session.ts";

/** Makes pictures of the requested frames with one page. */
export interface Painter {
  /** Gives the page the pictures of videos, frame by frame, at most two frames ahead of `paint`. */
  place(videos: Shown): Promise<PicturePlaces>;
  /**
   * Resolves to `undefined` when the frame looks like the last one that this painter painted.
   * `videos` and `next` are the pictures placed for this frame and for the one after it.
   */
  paint(
    frame: number,
    videos: PicturePlaces,
    next: PicturePlaces | undefined,
  ): Promise<Painting | undefined>;
}

/** Pictures of videos by clip key. */
type Shown = ReadonlyMap<string, VideoPicture>;

/** The next frame may be painted before `picture` resolves, but not the one after that. */
export interface Painting {
  readonly picture: Promise<Buffer>;
}

/**
 * Lets the compositor paint, which is right for every page. While nothing changes, a frame only
 * costs a check instead of a picture.
 */
export function compositorPainter(session: FilmSession, picture: Picture): Painter {
  let isStill = false;
  let last: Buffer | undefined;
  return {
    place: placer(session),
    async paint(frame, videos) {
      await session.seek(frame, videos);
      if (isStill && !(await session.paint()).hasDamage) return undefined;
      const { image } = await session.paint(picture);
      isStill = image === undefined || (last !== undefined && image.equals(last));
      if (image === undefined || isStill) return undefined;
      last = image;
      return { picture: Promise.resolve(image) };
    },
  };
}

/** Lets the page draw itself into a canvas: several times faster, for pages that allow it. */
export function selfCapturePainter(session: FilmSession): Painter {
  return {
    place: placer(session),
    async paint(frame, videos, next = {}) {
      const drawn = await session.draw(frame, videos, next);
      return drawn && { picture: drawn.planes };
    },
  };
}

/** Places only the pictures that the page does not have yet. */
function placer(session: FilmSession): Painter["place"] {
  const sent = new Map<string, VideoPicture>();
  return (videos) => {
    const news = new Map([...videos].filter(([key, picture]) => sent.get(key) !== picture));
    for (const [key, picture] of news) sent.set(key, picture);
    return session.place(news);
  };
}
