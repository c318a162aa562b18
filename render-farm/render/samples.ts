import type { VideoPicture } from "./video-frames.ts";

/** A frame that is looked at. */
export interface Sample {
  readonly picture: Buffer;
  /** What its videos showed, by the clip's key, where that is at hand. */
  readonly videos?: ReadonlyMap<string, VideoPicture>;
}

/** Frames of a film that are looked at: first, last and some between. */
export class Samples {
  readonly frames: readonly number[];
  readonly #arrivalsByFrame: ReadonlyMap<number, Arrival>;

  constructor(frames: number) {
    const places = Array.from({ length: wanted }, (_, at) => at / (wanted - 1));
    this.frames = [...new Set(places.map((place) => Math.round(place * (frames - 1))))];
    this.#arrivalsByFrame = new Map(this.frames.map((frame) => [frame, arrival()]));
  }

  /** Keeps a copy if this frame is one of them. */
  add(frame: number, sample: Sample): void {
    const arrival = this.#arrivalsByFrame.get(frame);
    if (arrival === undefined) return;
    const picture = Buffer.from(sample.picture);
    const { videos } = sample;
    const kept = videos && new Map([...videos].map(([key, video]) => [key, copyOf(video)]));
    arrival.resolve({ picture, ...(kept !== undefined && { videos: kept }) });
  }

  /** No more will come. */
  end(why: unknown): void {
    for (const { reject } of this.#arrivalsByFrame.values()) reject(why);
  }

  /** Every `step`th frame, in the order of time. */
  every(step: number): readonly number[] {
    return this.frames.filter((_, at) => at % step === 0);
  }

  /** When it is there. */
  async at(frame: number): Promise<Sample> {
    const arrival = this.#arrivalsByFrame.get(frame);
    if (arrival === undefined) throw new Error(`frame ${frame} is not looked at`);
    return arrival.sample;
  }

  /** All of them, by their frames. */
  async all(): Promise<ReadonlyMap<number, Sample>> {
    const samples = new Map<number, Sample>();
    for (const [frame, { sample }] of this.#arrivalsByFrame) samples.set(frame, await sample);
    return samples;
  }
}

const wanted = 9;

interface Arrival {
  readonly sample: Promise<Sample>;
  readonly resolve: (sample: Sample) => void;
  readonly reject: (why: unknown) => void;
}

function arrival(): Arrival {
  let settle: Pick<Arrival, "resolve" | "reject"> | undefined;
  const sample = new Promise<Sample>((resolve, reject) => {
    settle = { resolve, reject };
  });
  sample.catch(() => undefined);
  return {
    sample,
    resolve: (one) => settle?.resolve(one),
    reject: (why) => settle?.reject(why),
  };
}

function copyOf({ planes, ...look }: VideoPicture): VideoPicture {
  return { planes: Buffer.from(planes), ...look };
}
