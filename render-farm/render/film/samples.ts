import type { VideoPicture } from "../videos/video-frames.ts";

/** A sampled frame. */
export interface Sample {
  readonly picture: Buffer;
  /** Pictures of the frame's videos by clip key, where they are available. */
  readonly videos?: ReadonlyMap<string, VideoPicture>;
}

export interface Looking {
  /** Whether a picture is black. */
  readonly isBlack: (picture: Buffer) => boolean | Promise<boolean>;
  /** Every `step`th sample is compared with the reference; 0 means none. */
  readonly step: number;
  /** Whether frames near the beginning of a long film are compared as well. */
  readonly isJudgedEarly?: boolean;
}

/** The sampled frames of a film. Frames to be compared are kept until they were; others are not. */
export class Samples {
  readonly frames: readonly number[];
  /** Frames to be compared, in ascending order. */
  readonly compared: readonly number[];
  private readonly isBlack: Looking["isBlack"];
  private readonly darknessByFrame: ReadonlyMap<number, Arrival<boolean>>;
  private readonly samplesByFrame: Map<number, Arrival<Sample>>;
  /** Set by the first sample that is not black; further samples need not be checked. */
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

  /** Ends the wait for all samples that have not arrived, with `why` as the error. */
  end(why: unknown): void {
    for (const { reject } of this.darknessByFrame.values()) reject(why);
    for (const { reject } of this.samplesByFrame.values()) reject(why);
  }

  /** Resolves to a frame that is compared, once it has arrived. */
  async at(frame: number): Promise<Sample> {
    const arrival = this.samplesByFrame.get(frame);
    if (arrival === undefined) throw new Error(`frame ${frame} is not compared`);
    return arrival.thing;
  }

  /** Drops a frame that has been compared. */
  forget(frame: number): void {
    this.samplesByFrame.delete(frame);
  }

  /** Whether all samples are black; resolves once all have arrived. */
  async areUnlit(): Promise<boolean> {
    const all = [...this.darknessByFrame.values()].map(({ thing }) => thing);
    return (await Promise.all(all)).every((isBlack) => isBlack);
  }
}

/** First and last frame and some between; for long films more at the beginning, to judge early. */
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

/** For shorter films a quarter of the length is early enough. */
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
