/** How the camera moves through a film, and how that moves near and far planes. */
export const cameraMotions = [
  "static",
  "push_in",
  "pull_out",
  "pan_left",
  "pan_right",
  "tilt_up",
  "tilt_down",
  "orbit",
  "handheld",
] as const;
export type CameraMotion = (typeof cameraMotions)[number];

/** Camera position: offsets to the side and down as shares of the frame, and a zoom. */
export interface View {
  readonly x: number;
  readonly y: number;
  readonly zoom: number;
  /** Shift of far planes against near ones, as a share of the frame. */
  readonly turn: number;
}

const still: View = { x: 0, y: 0, zoom: 0, turn: 0 };
const reach = 0.05;
const closest = 0.14;

/** Size of paintings relative to the frame, so that a moving camera sees no edge. */
export const overscan = 1.14;

/** `share` is 0 at the first frame and 1 at the last. */
export function viewAt(motion: CameraMotion, share: number, seconds: number): View {
  const eased = 0.45 * share + 0.55 * share * share * (3 - 2 * share);
  const across = (2 * eased - 1) * reach;
  switch (motion) {
    case "static":
      return still;
    case "push_in":
      return { ...still, zoom: closest * eased };
    case "pull_out":
      return { ...still, zoom: closest * (1 - eased) };
    case "pan_left":
      return { ...still, x: -across };
    case "pan_right":
      return { ...still, x: across };
    case "tilt_up":
      return { ...still, y: -across * 0.9 };
    case "tilt_down":
      return { ...still, y: across * 0.9 };
    case "orbit":
      return { ...still, turn: across * 1.2, zoom: 0.03 };
    case "handheld":
      return {
        x: 0.006 * (Math.sin(seconds * 1.9) + 0.6 * Math.sin(seconds * 4.3 + 1)),
        y: 0.006 * (Math.sin(seconds * 2.3 + 2) + 0.5 * Math.sin(seconds * 5.1)),
        zoom: 0.03 + 0.004 * Math.sin(seconds * 1.1),
        turn: 0.004 * Math.sin(seconds * 0.8),
      };
  }
}

/** Maps a painting, which is wider than the frame, to the frame: scale, then shift. */
export interface Projection {
  readonly scale: number;
  readonly left: number;
  readonly top: number;
}

export interface Lens {
  /** Size of the frame. */
  readonly width: number;
  readonly height: number;
  /** Size of the paintings. */
  readonly paintedWidth: number;
  readonly paintedHeight: number;
  /** Height in the paintings that neither rises nor sinks when the camera zooms in. */
  readonly horizon: number;
}

/** `depth` is 0 for an infinitely distant plane and 1 for one right before the camera. */
export function project(lens: Lens, { x, y, zoom, turn }: View, depth: number): Projection {
  const scale = 1 + zoom * (0.15 + 0.85 * depth);
  const near = 0.25 + 0.75 * depth;
  const aside = (x * near + turn * (depth - 0.35)) * lens.width;
  const down = y * near * lens.height;
  const middle = lens.height / 2 + lens.horizon - lens.paintedHeight / 2;
  return {
    scale,
    left: lens.width / 2 - (lens.paintedWidth / 2) * scale - aside,
    top: middle - lens.horizon * scale - down,
  };
}
