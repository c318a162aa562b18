import { rm } from "node:fs/promises";
import { join } from "node:path";
import { limits } from "../../../config/limits.ts";
import { check, type Static, Type } from "../../../config/schema.ts";
import { type Objects, volatileRoot } from "../../../engine/ports/objects.ts";
import { PortError } from "../../../engine/ports/port-error.ts";
import type { SharedParts } from "../../node/task-parts.ts";
import { fetchSource, storeFile } from "../../node/workspace.ts";
import { countFrames, type FilmSetup } from "../inputs/film-setup.ts";
import { RenderInput } from "../render-input.ts";
import type { RenderStage } from "../render-stage.ts";
import { sampleFrames } from "./samples.ts";
import { planSegments, type Segment } from "./segments.ts";

/** The ways in which pages are captured that nodes can share. */
const ShareableCapture = Type.Enum(["self-captured", "compositor-captured"]);
export type ShareableCapture = Static<typeof ShareableCapture>;

/** Task kind `render-help`: makes segments of a film that another node leads. */
const HelperInput = Type.Object(
  {
    render: RenderInput,
    capture: ShareableCapture,
    frames: Type.Integer({ minimum: 1, maximum: 3_600 * 240 }),
  },
  { additionalProperties: false },
);
export type HelperInput = Static<typeof HelperInput>;
export const isHelperInput = check<HelperInput>(HelperInput);

/** Report on a stored segment; its bytes are found by its number. */
const SegmentReport = Type.Object({ warnings: Type.Array(Type.String()) });
export type SegmentReport = Static<typeof SegmentReport>;
const isSegmentReport = check<SegmentReport>(SegmentReport);

/** A segment that is available as a file, and its sampled frames. */
export interface MadeSegment {
  readonly path: string;
  readonly pictures: ReadonlyMap<number, Buffer>;
}

/** Segments of one film in the object store, on their way from helper nodes to the lead. */
export class SegmentStore {
  private readonly objects: Objects;
  private readonly prefix: string;
  private readonly sampled: readonly number[];

  constructor(objects: Objects, prefix: string, frames: number) {
    this.objects = objects;
    this.prefix = prefix;
    this.sampled = sampleFrames(frames);
  }

  /** Stores the segment's file and removes it from this node. */
  async put(segment: Segment, { path, pictures }: MadeSegment): Promise<void> {
    const all = [...pictures];
    await Promise.all([
      storeFile(this.objects, this.segmentKey(segment), path),
      ...all.map(([frame, picture]) => this.objects.put(this.pictureKey(frame), [picture])),
    ]);
    await rm(path);
  }

  /** Fetches a segment to `path`. Throws `PortError` when that fails. */
  async fetch(segment: Segment, path: string, signal: AbortSignal): Promise<MadeSegment> {
    const source = { objectKey: this.segmentKey(segment), mimeType: "video/mp4" };
    const [pictures] = await Promise.all([
      Promise.all(this.listSampledIn(segment).map((frame) => this.picture(frame))),
      fetchSource(this.objects, source, path, signal),
    ]);
    return { path, pictures: new Map(pictures) };
  }

  async remove(segments: readonly Segment[]): Promise<void> {
    for (const segment of segments) {
      await this.objects.remove(this.segmentKey(segment));
      for (const frame of this.listSampledIn(segment))
        await this.objects.remove(this.pictureKey(frame));
    }
  }

  /** Returns the sampled frames of the segment. */
  listSampledIn({ from, to }: Segment): readonly number[] {
    return this.sampled.filter((frame) => frame >= from && frame < to);
  }

  private segmentKey({ index }: Segment): string {
    return `${this.prefix}/segment-${index}.mp4`;
  }

  private pictureKey(frame: number): string {
    return `${this.prefix}/frame-${frame}`;
  }

  private async picture(frame: number): Promise<[frame: number, picture: Buffer]> {
    const chunks: Uint8Array[] = [];
    const range = { start: 0, end: pictureBytesMax };
    for await (const chunk of this.objects.read(this.pictureKey(frame), range)) chunks.push(chunk);
    return [frame, Buffer.concat(chunks)];
  }
}

/** A film that this node leads and that other nodes may join. */
export class SharedFilm {
  readonly parts: SharedParts;
  private readonly stage: RenderStage;
  private readonly capture: ShareableCapture;
  private readonly segments: readonly Segment[];
  private readonly store: SegmentStore;

  private constructor(
    capture: ShareableCapture,
    frames: number,
    setup: FilmSetup,
    stage: RenderStage,
  ) {
    this.stage = stage;
    this.capture = capture;
    this.segments = planSegments(frames, setup);
    const { context, input, objects } = stage;
    const outputPrefix = `${volatileRoot}/${context.outputPrefix}/${capture}`;
    this.store = new SegmentStore(objects, outputPrefix, frames);
    const helpers: HelperInput = { render: input, capture, frames };
    const task = { kind: "render-help", input: helpers, outputPrefix };
    this.parts = context.split(this.segments.length, task);
  }

  /** Returns undefined for a short film, or for one whose length only its page knows. */
  static open(
    capture: ShareableCapture,
    setup: FilmSetup,
    stage: RenderStage,
  ): SharedFilm | undefined {
    const { timeline } = setup;
    const frames = timeline.duration === undefined ? 0 : countFrames(timeline, undefined);
    return frames < framesMin ? undefined : new SharedFilm(capture, frames, setup, stage);
  }

  /** Fetches a segment that another node reported. */
  async fetch(segment: Segment, report: unknown): Promise<MadeSegment> {
    const { folder, context, warnings } = this.stage;
    if (!isSegmentReport(report)) throw new PortError("a farm node made no segment", true);
    for (const warning of report.warnings) warnings.add(warning);
    const path = join(folder, `${this.capture}-${segment.index}.mp4`);
    try {
      return await this.store.fetch(segment, path, context.signal);
    } catch (error) {
      if (!(error instanceof PortError)) throw error;
      // A segment that the store has lost is made again with the next attempt.
      throw new PortError(`a segment of the film could not be fetched: ${error.message}`, true);
    }
  }

  /** Ends the work of the helper nodes; their stored files are removed with the task's lease. */
  close(): void {
    this.parts.close();
  }
}

/** Bytes in memory of one frame of the largest film. */
const pictureBytesMax = 4 * limits.capture.longEdgeMax * limits.capture.shortEdgeMax;

/** Shortest film to share, in frames, since other nodes take a second or two to join. */
const framesMin = 150;
