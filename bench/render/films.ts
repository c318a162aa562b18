/**
 * The films that renderers are compared by: each a folder in `films/` whose HTML runs in Klieg and
 * in HyperFrames unchanged, and once more for Remotion in `peers/remotion/`. The bars are those of
 * the design: how many times as fast Klieg has to be as a peer in the same run.
 */
export type PeerName = "hyperframes" | "remotion" | "ffmpeg";
export type RendererName =
  | "klieg standard"
  | "klieg fast"
  | "hyperframes standard"
  | "hyperframes draft"
  | "remotion"
  | "ffmpeg";

export interface Film {
  readonly name: string;
  readonly seconds: number;
  readonly height: number;
  readonly renderers: readonly RendererName[];
  readonly bars: readonly Bar[];
  /** Largest memory that Klieg's own processes may use, in MB. */
  readonly megabytesMax?: number;
  /** Whether Klieg's memory must stay level after the film's first minute. */
  readonly isFlat?: boolean;
  /** Whether the film is rendered only when it is requested by name. */
  readonly isLeftOut?: boolean;
}

export interface Bar {
  readonly klieg: RendererName;
  readonly peer: RendererName;
  readonly times: number;
}

export const framesPerSecond = 30;

export const films: readonly Film[] = [
  {
    name: "images",
    seconds: 10,
    height: 1080,
    renderers: [
      "klieg standard",
      "hyperframes standard",
      "remotion",
      "klieg fast",
      "hyperframes draft",
    ],
    bars: [
      { klieg: "klieg standard", peer: "hyperframes standard", times: 2.5 },
      { klieg: "klieg standard", peer: "remotion", times: 2 },
      { klieg: "klieg fast", peer: "hyperframes draft", times: 2.5 },
      { klieg: "klieg fast", peer: "remotion", times: 3.5 },
    ],
  },
  {
    name: "video",
    seconds: 10,
    height: 1080,
    renderers: ["klieg standard", "hyperframes standard", "remotion"],
    bars: [
      { klieg: "klieg standard", peer: "hyperframes standard", times: 2.5 },
      { klieg: "klieg standard", peer: "remotion", times: 3 },
    ],
    megabytesMax: 1_000,
  },
  {
    name: "slides",
    seconds: 30,
    height: 1080,
    renderers: ["klieg standard", "hyperframes standard", "remotion"],
    bars: [{ klieg: "klieg standard", peer: "hyperframes standard", times: 6 }],
  },
  {
    name: "clips",
    seconds: 12,
    height: 1080,
    renderers: ["klieg standard", "ffmpeg", "hyperframes standard", "remotion"],
    bars: [{ klieg: "klieg standard", peer: "ffmpeg", times: 0.8 }],
  },
  {
    name: "blocks",
    seconds: 501 / framesPerSecond,
    height: 1080,
    renderers: ["klieg standard", "ffmpeg"],
    bars: [{ klieg: "klieg standard", peer: "ffmpeg", times: 0.8 }],
  },
  {
    name: "short",
    seconds: 2,
    height: 720,
    renderers: ["klieg standard", "hyperframes standard"],
    bars: [],
    isLeftOut: true,
  },
  {
    name: "long",
    seconds: 600,
    height: 720,
    renderers: ["klieg standard"],
    bars: [],
    isFlat: true,
    isLeftOut: true,
  },
];
