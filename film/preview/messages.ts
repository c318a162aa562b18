/** Messages between the frame of a preview and the page around it. */

/** Messages from the page around the preview to its frame. */
export type PreviewOrder =
  | { readonly kind: "seek"; readonly frame: number }
  | { readonly kind: "play" }
  | { readonly kind: "pause" }
  | { readonly kind: "mute"; readonly isMuted: boolean };

/**
 * Messages from the frame to the page around it. Scripts in the frame are untrusted and may send
 * anything, so the receiving page checks each member.
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
 * Messages between a page of a preview and the pages in its frames. Those pages are untrusted too,
 * so their messages are used only to learn how far each frame is.
 */
export type FrameMessage =
  /** The page in the frame has opened. */
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
