/** What the frame of a preview and the page around it tell each other. */

/** To the frame. */
export type PreviewOrder =
  | { readonly kind: "seek"; readonly frame: number }
  | { readonly kind: "play" }
  | { readonly kind: "pause" }
  | { readonly kind: "mute"; readonly isMuted: boolean };

/**
 * From the frame. Its scripts are strangers' and may say anything, so each member is checked
 * by the page that gets it.
 */
export type PreviewNews =
  | {
      readonly kind: "ready";
      readonly frames: number;
      readonly fps: number;
      readonly warnings: readonly string[];
    }
  /** The frame that is shown, and whether more follow by themselves. */
  | { readonly kind: "at"; readonly frame: number; readonly isPlaying: boolean }
  | { readonly kind: "failed"; readonly message: string };

/**
 * Between a page of a preview and the pages in its frames. They too are strangers', so a word of
 * theirs says no more than how far their frame is.
 */
export type FrameMessage =
  /** A page has opened in the frame. */
  | { readonly kliegFrame: "open" }
  /** To the page: it is to show this frame of the film, into which it came at `firstMs`. */
  | {
      readonly kliegFrame: "hold";
      readonly id: number;
      readonly frame: number;
      readonly fps: number;
      readonly firstMs: number;
    }
  /** And it does. */
  | { readonly kliegFrame: "held"; readonly id: number };

export function isFrameMessage(data: unknown): data is FrameMessage {
  return typeof data === "object" && data !== null && "kliegFrame" in data;
}
