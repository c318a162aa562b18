import type { TaskOutcome } from "../../../engine/ports/tasks.ts";
import { refusedInput, type TaskWorker } from "../../node/task-loop.ts";
import { openCast } from "../page/cast.ts";
import type { RenderStage } from "../render-stage.ts";
import { onStage, type Studio } from "../staging.ts";
import { camerasOf, collectFaults } from "./capture.ts";
import { segmentsIn, takeByTake } from "./segment-recorders.ts";
import type { Segment } from "./segments.ts";
import {
  type CrewInput,
  isCrewInput,
  type MadeSegment,
  type SegmentReport,
  SegmentStore,
} from "./shared-segments.ts";
import { pagesFor, setUpVideo } from "./video.ts";

/**
 * Task kind `render-crew`: opens a film that another node leads, as that node does, and makes
 * segments of it until there are none left. What it stored is the lead's to remove, unless nobody
 * wants it any more.
 */
export function renderCrew(studio: Studio): TaskWorker {
  return {
    timeoutMs: studio.timeoutMs,
    async run(context): Promise<TaskOutcome> {
      const { input } = context;
      if (!isCrewInput(input)) return refusedInput("render-crew", isCrewInput.faults(input));
      return onStage(studio, input.render, context, async (stage) => {
        await join(stage, input);
        return { kind: "succeeded", outputs: [] };
      });
    },
  };
}

async function join(stage: RenderStage, { capture, frames }: CrewInput): Promise<void> {
  const { context, objects } = stage;
  const setup = await setUpVideo(stage);
  const cast = await openCast(capture, setup.plan, pagesFor(capture, setup, stage), stage, false);
  const shoot = { stage, setup, frames, shared: undefined };
  const store = new SegmentStore(objects, context.outputPrefix, frames);
  const parts = context.join();
  const stored: Segment[] = [];
  const keeping: Promise<void>[] = [];
  const keep = async (segment: Segment, made: MadeSegment): Promise<void> => {
    stored.push(segment);
    await store.put(segment, made);
    collectFaults(cast, shoot);
    const report: SegmentReport = { warnings: [...stage.warnings.all()] };
    parts.made(segment.index, report);
  };
  const work = camerasOf[capture](cast, shoot).map((camera) =>
    takeByTake(segmentsIn(parts, frames, setup), (segment) => {
      const wanted = new Set(store.sampledIn(segment));
      const pictures = new Map<number, Buffer>();
      const { filmed, path } = camera.film(segment, (frame, { picture }) => {
        if (wanted.has(frame)) pictures.set(frame, Buffer.from(picture));
      });
      const kept = path.then((made) => keep(segment, { path: made, pictures }));
      keeping.push(kept);
      return { filmed, kept };
    }).finally(() => camera.close()),
  );
  try {
    await Promise.all(work);
  } finally {
    parts.close();
    await cast.close();
    await Promise.allSettled([...work, ...keeping]);
    if (context.signal.aborted) await store.remove(stored);
  }
}
