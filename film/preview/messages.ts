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
