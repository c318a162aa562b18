import { createHash } from "node:crypto";
import t from "tap";
import { simulatedMedia } from "../../providers/simulated/simulated-media.ts";
import { probe } from "../../render-farm/probe/probe.ts";
import { openMediaBench } from "./media-bench.ts";

const bench = await openMediaBench(t);
const worker = probe(bench.workspaces, bench.objects, 600_000);

for (const [name, { bytes, media }] of Object.entries(simulatedMedia))
  t.test(`the simulated ${name} is valid, tiny, and what it is said to be`, async (t) => {
    t.ok(bytes.length < 4_096);
    t.equal(createHash("sha256").update(bytes).digest("hex"), media.sha256);
    await bench.objects.put(media.objectKey, [bytes]);
    const { objectKey, mimeType } = media;
    const { thumbnailKey, ...found } = await bench.make(worker, {
      source: { objectKey, mimeType },
    });
    t.strictSame(found, media);
    t.equal(thumbnailKey === undefined, name === "three_d");
  });
