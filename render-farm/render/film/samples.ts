import type { VideoPicture } from "../videos/video-frames.ts";

/** A sampled frame. */
export interface Sample {
  readonly picture: Buffer;
  /** What its videos showed, by the clip's key, where that is at hand. */
  readonly videos?: ReadonlyMap<string, VideoPicture>;
}

export interface Looking {
  /** Whether a picture is black. */
  readonly isBlack: (picture: Buffer) => boolean | Promise<boolean>;
  /** Every `step`th sample is compared; 0: none is. */
  readonly step: number;
  /** Whether frames near a long film's begin are compared besides. */
  readonly isJudgedEarly?: boolean;
}

/** The sampled frames of a film. Only those to be compared are kept, until they were. */
export class Samples {
  readonly frames: readonly number[];
  /** In the order of time. */
  readonly compared: readonly number[];
  private readonly isBlack: Looking["isBlack"];
  private readonly darknessByFrame: ReadonlyMap<number, Arrival<boolean>>;
  private readonly samplesByFrame: Map<number, Arrival<Sample>>;
  /** One that is not black is enough. */
  private isLit = false;

  constructor(frames: number, { isBlack, step, isJudgedEarly = false }: Looking) {
    this.frames = sampleFrames(frames);
    const seldom = evenFrames(frames).filter((_, at) => at % step === 0);
    const early = isJudgedEarly ? earlyFrames(frames) : [];
    this.compared = this.frames.filter((frame) => seldom.includes(frame) || early.includes(frame));
    this.isBlack = isBlack;
    this.darknessByFrame = new Map(this.frames.map((frame) => [frame, arrival()]));
    this.samplesByFrame = new Map(this.compared.map((frame) => [frame, arrival()]));
  }

  /** Checks the frame for black, and keeps a copy if it is to be compared. */
  add(frame: number, { picture, videos }: Sample): void {
    const darkness = this.darknessByFrame.get(frame);
    if (darkness === undefined) return;
    darkness.resolve(this.isLit ? false : this.look(picture));
    const sample = this.samplesByFrame.get(frame);
    if (sample === undefined) return;
    const kept = videos && new Map([...videos].map(([key, video]) => [key, copyPicture(video)]));
    sample.resolve({
      picture: Buffer.from(picture),
      ...(kept !== undefined && { videos: kept }),
    });
  }

  private async look(picture: Buffer): Promise<boolean> {
    const isBlack = await this.isBlack(picture);
    this.isLit ||= !isBlack;
    return isBlack;
  }

  /** No more will come. */
  end(why: unknown): void {
    for (const { reject } of this.darknessByFrame.values()) reject(why);
    for (const { reject } of this.samplesByFrame.values()) reject(why);
  }

  /** One that is compared, when it is there. */
  async at(frame: number): Promise<Sample> {
    const arrival = this.samplesByFrame.get(frame);
    if (arrival === undefined) throw new Error(`frame ${frame} is not compared`);
    return arrival.thing;
  }

  /** It was compared. */
  forget(frame: number): void {
    this.samplesByFrame.delete(frame);
  }

  /** Whether every one of them is black, when all are there. */
  async areUnlit(): Promise<boolean> {
    const all = [...this.darknessByFrame.values()].map(({ thing }) => thing);
    return (await Promise.all(all)).every((isBlack) => isBlack);
  }
}

/** First, last and some between; of a long film some at its begin, so that it is judged early. */
export function sampleFrames(frames: number): readonly number[] {
  const all = new Set([...evenFrames(frames), ...earlyFrames(frames)]);
  return [...all].sort((one, other) => one - other);
}

function evenFrames(frames: number): readonly number[] {
  const places = Array.from({ length: wanted }, (_, at) => at / (wanted - 1));
  return [...new Set(places.map((place) => Math.round(place * (frames - 1))))];
}

function earlyFrames(frames: number): readonly number[] {
  return frames < longFrames ? [] : [15, 60, 150];
}

/** Of shorter films a quarter is early enough. */
const longFrames = 900;
const wanted = 9;

interface Arrival<T> {
  readonly thing: Promise<T>;
  readonly resolve: (thing: T | Promise<T>) => void;
  readonly reject: (why: unknown) => void;
}

function arrival<T>(): Arrival<T> {
  let settle: Pick<Arrival<T>, "resolve" | "reject"> | undefined;
  const thing = new Promise<T>((resolve, reject) => {
    settle = { resolve, reject };
  });
  thing.catch(() => undefined);
  return {
    thing,
    resolve: (one) => settle?.resolve(one),
    reject: (why) => settle?.reject(why),
  };
}

function copyPicture({ planes, ...look }: VideoPicture): VideoPicture {
  return { planes: Buffer.from(planes), ...look };
}
