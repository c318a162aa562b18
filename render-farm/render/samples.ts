/** Frames of a film that are looked at: first, last and some between. */
export class Samples {
  readonly frames: readonly number[];
  readonly #arrivalsByFrame: ReadonlyMap<number, Arrival>;

  constructor(frames: number) {
    const places = Array.from({ length: wanted }, (_, at) => at / (wanted - 1));
    this.frames = [...new Set(places.map((place) => Math.round(place * (frames - 1))))];
    this.#arrivalsByFrame = new Map(this.frames.map((frame) => [frame, arrival()]));
  }

  /** Keeps the picture if this frame is one of them. */
  add(frame: number, picture: Buffer): void {
    this.#arrivalsByFrame.get(frame)?.resolve(Buffer.from(picture));
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
  async at(frame: number): Promise<Buffer> {
    const arrival = this.#arrivalsByFrame.get(frame);
    if (arrival === undefined) throw new Error(`frame ${frame} is not looked at`);
    return arrival.picture;
  }

  /** All of them, by their frames. */
  async all(): Promise<ReadonlyMap<number, Buffer>> {
    const pictures = new Map<number, Buffer>();
    for (const [frame, { picture }] of this.#arrivalsByFrame) pictures.set(frame, await picture);
    return pictures;
  }
}

const wanted = 9;

interface Arrival {
  readonly picture: Promise<Buffer>;
  readonly resolve: (picture: Buffer) => void;
  readonly reject: (why: unknown) => void;
}

function arrival(): Arrival {
  let settle: Pick<Arrival, "resolve" | "reject"> | undefined;
  const picture = new Promise<Buffer>((resolve, reject) => {
    settle = { resolve, reject };
  });
  picture.catch(() => undefined);
  return {
    picture,
    resolve: (bytes) => settle?.resolve(bytes),
    reject: (why) => settle?.reject(why),
  };
}
