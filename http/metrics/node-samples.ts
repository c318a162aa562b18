/** Metrics of this node, gathered when operators ask for them. */
import { modelTag } from "../../actors/job/job-index.ts";
import { limits } from "../../config/limits.ts";
import { metrics } from "../../engine/metrics/metrics.ts";
import { gauge, type Sample } from "../../engine/metrics/tally.ts";
import type { Clock } from "../../engine/ports/clock.ts";
import type { Service } from "../service.ts";

export interface SampleSources {
  readonly service: Service;
  /** Returns what each shard's thread has counted since the previous call. */
  readonly askShards: () => readonly Promise<readonly Sample[]>[];
  /** Bytes of the store on this disk; undefined when the disk does not say. */
  readonly storeBytes: () => Promise<number | undefined>;
}

/**
 * A thread that answers late is left out, and its counts are in the next answer. Resolves within
 * `limits.metrics.gatherMs` plus the time that the disk takes.
 */
export async function gatherSamples(sources: SampleSources): Promise<readonly Sample[]> {
  const { service, askShards, storeBytes } = sources;
  const { tally, following, line, clock } = service;
  const bytes = await storeBytes();
  const now = [
    gauge("sse_streams", {}, following.open("stream")),
    gauge("waiters", {}, following.open("wait")),
    ...(bytes === undefined ? [] : [gauge("store_bytes", {}, bytes)]),
    ...service.warnings.waiting.map((wait) => gauge("shard_waiting", { ...wait }, 1)),
  ];
  const modelOf = modelNames(service);
  const take = (samples: readonly Sample[]) => {
    for (const sample of samples)
      if (metrics[sample.name].kind === "gauge") now.push(sample);
      else tally.add(modelOf(sample));
  };
  // A thread that is not running is asked again the next time.
  const asked = [line.samples(), ...askShards()].map((told) => told.then(take, () => {}));
  await inTime(Promise.all(asked), clock);
  return [...tally.samples(), ...now];
}

/** Jobs name their model by a tag, which is replaced by the model's id here. */
function modelNames({ catalogue }: Service): (sample: Sample) => Sample {
  const nameByTag = new Map(catalogue.models.map(({ id }) => [String(modelTag(id)), id]));
  return (sample) => {
    const { model } = sample.labels;
    if (model === undefined) return sample;
    return { ...sample, labels: { ...sample.labels, model: nameByTag.get(model) ?? "other" } };
  };
}

function inTime(done: Promise<unknown>, clock: Clock): Promise<unknown> {
  const late = new Promise<void>((resolve) => {
    const cancel = clock.after(limits.metrics.gatherMs, resolve);
    void done.finally(cancel);
  });
  return Promise.race([done, late]);
}
