import type { Picture } from "../stage.ts";
import type { FilmSession } from "./film-page-session.ts";
import type { VideoPicture } from "./video-frames.ts";

/** One page's part in a film: pictures of the frames that it is asked for. */
export interface Painter {
  /** `undefined` when the frame looks like the one that this painter painted before. */
  paint(frame: number, videos: ReadonlyMap<string, VideoPicture>): Promise<Painting | undefined>;
}

/** The next frame may be painted before the picture is there, but not the one after that. */
export interface Painting {
  readonly picture: Promise<Buffer>;
}

/**
 * Painted by the compositor, which is right for every page. While nothing changes a frame costs a
 * question instead of a picture.
 */
export function drivenPainter(session: FilmSession, picture: Picture): Painter {
  const news = newPictures();
  let isStill = false;
  let last: Buffer | undefined;
  return {
    async paint(frame, videos) {
      const wasChanged = await session.seek(frame, news(videos));
      if (isStill && !wasChanged && !(await session.paint()).hasDamage) return undefined;
      const { image } = await session.paint(picture);
      isStill = image === undefined || (last !== undefined && image.equals(last));
      if (image === undefined || isStill) return undefined;
      last = image;
      return { picture: Promise.resolve(image) };
    },
  };
}

/** Drawn by the page itself into a canvas: several times faster, for pages that allow it. */
export function drawnPainter(session: FilmSession): Painter {
  const news = newPictures();
  return {
    async paint(frame, videos) {
      const drawn = await session.draw(frame, news(videos));
      return drawn && { picture: drawn.planes };
    },
  };
}

/** Of all pictures of videos those that the page does not have yet. */
function newPictures(): (
  videos: ReadonlyMap<string, VideoPicture>,
) => ReadonlyMap<string, VideoPicture> {
  const sent = new Map<string, VideoPicture>();
  return (videos) => {
    const news = new Map([...videos].filter(([key, picture]) => sent.get(key) !== picture));
    for (const [key, picture] of news) sent.set(key, picture);
    return news;
  };
}
