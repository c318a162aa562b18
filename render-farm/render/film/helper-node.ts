import type { TaskOutcome } from "../../../engine/ports/tasks.ts";
import { refuseInput, type TaskWorker } from "../../node/task-loop.ts";
import { openPagePool } from "../page/page-pool.ts";
import type { RenderStage } from "../render-stage.ts";
import { onStage, type Studio } from "../staging.ts";
import { collectFaults, recordersOf } from "./capture.ts";
import { segmentsIn, takeByTake } from "./segment-recorders.ts";
import type { Segment } from "./segments.ts";
import {
  type HelperInput,
  isHelperInput,
  type MadeSegment,
  type SegmentReport,
  SegmentStore,
} from "./shared-segments.ts";
import { pagesFor, setUpVideo } from "./video.ts";

/**
 * Task kind `render-help`: opens a film that another node leads, as that node does, and makes
 * segments of it until there are none left. The broker removes the stored segments when the lead is
 * done, and this node what it stored of a film that is no longer wanted.
 */
export function recordShare(studio: Studio): TaskWorker {
  return {
    timeoutMs: studio.timeoutMs,
    async run(context): Promise<TaskOutcome> {
      const { input } = context;
      if (!isHelperInput(input)) return refuseInput("render-help", isHelperInput.faults(input));
      return onStage(studio, input.render, context, async (stage) => {
        await recordParts(stage, input);
        return { kind: "succeeded", outputs: [] };
      });
    },
  };
}

async function recordParts(stage: RenderStage, { capture, frames }: HelperInput): Promise<void> {
  const { context, objects } = stage;
  const setup = await setUpVideo(stage);
  const pages = await openPagePool(
    capture,
    setup.plan,
    pagesFor(capture, setup, stage),
    stage,
    false,
  );
  const film = { stage, setup, frames, shared: undefined };
  const store = new SegmentStore(objects, context.outputPrefix, frames);
  const parts = context.join();
  const stored: Segment[] = [];
  const keeping: Promise<void>[] = [];
  const keep = async (segment: Segment, made: MadeSegment): Promise<void> => {
    stored.push(segment);
    await store.put(segment, made);
    collectFaults(pages, film);
    const report: SegmentReport = { warnings: [...stage.warnings.all()] };
    parts.storePart(segment.index, report);
  };
  const work = recordersOf[capture](pages, film).map((recorder) =>
    takeByTake(segmentsIn(parts, frames, setup), (segment) => {
      const wanted = new Set(store.listSampledIn(segment));
      const pictures = new Map<number, Buffer>();
      const { filmed, path } = recorder.film(segment, (frame, { picture }) => {
        if (wanted.has(frame)) pictures.set(frame, Buffer.from(picture));
      });
      const kept = path.then((made) => keep(segment, { path: made, pictures }));
      keeping.push(kept);
      return { filmed, kept };
    }).finally(() => recorder.close()),
  );
  try {
    await Promise.all(work);
  } finally {
    parts.close();
    await pages.close();
    await Promise.allSettled([...work, ...keeping]);
    if (context.signal.aborted) await store.remove(stored);
  }
}
