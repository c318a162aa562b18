/** Films that two nodes make together. */
import type { Test } from "tap";
import type { JobMessage } from "../../actors/protocol/job.ts";
import type { Objects } from "../../engine/ports/objects.ts";
import { composition, type FilmBench } from "./film-bench.ts";
import { twoNodes } from "./two-nodes.ts";

export const mover = `<div id="m" class="clip" data-start="0" data-duration="5"
  style="left:0;top:0;width:40px;height:30px;background:#fc0"></div>
  <style>@keyframes go { to { transform: translate(60px, 20px) rotate(80deg) } }
  #m { animation: go 5s linear }</style>`;

/** Builds a composition of five seconds, long enough to be split. */
export function shareFilm(root: string) {
  return composition(root, 'data-duration="5"', [96, 54]);
}

/** Opens a farm of two nodes, and notes the keys of the objects that only they need. */
export function openFarm(bench: FilmBench) {
  const keys: string[] = [];
  const left = new Set<string>();
  let lastRemoved = (): void => undefined;
  /** Resolves when none of those objects is there any more. */
  const removed = new Promise<void>((resolve) => {
    lastRemoved = resolve;
  });
  const objects: Objects = {
    ...bench.objects,
    put: (key, bytes) => {
      if (key.startsWith("volatile/")) {
        keys.push(key);
        left.add(key);
      }
      return bench.objects.put(key, bytes);
    },
    async remove(key) {
      await bench.objects.remove(key);
      left.delete(key);
      if (left.size === 0) lastRemoved();
    },
  };
  const readBytes = (ending: JobMessage): Promise<Buffer> => {
    if (ending.kind !== "finished" || ending.outcome.kind !== "succeeded")
      throw new Error(JSON.stringify(ending));
    return bench.readBytes(ending.outcome.outputs[0]?.media.objectKey);
  };
  return { ...twoNodes({ ...bench.studio, objects }), keys, removed, bytesOf: readBytes };
}

/** Makes a film with one node and then with two, and compares them. */
export async function compareFilms(t: Test, bench: FilmBench, capture: string, root: string) {
  const files = shareFilm(root);
  const alone = await bench.film(files);
  t.match(alone.details, { capture });
  const { lead, other, run, keys, removed, bytesOf } = openFarm(bench);
  const made: number[] = [];
  lead.hold("take");
  other.onSaid((message) => {
    if (message.kind !== "made") return;
    made.push(message.part);
    lead.letGo();
  });
  const { ending, attempts } = await run(await bench.readInput(files));
  t.equal(attempts, 1);
  t.equal(made[0], 0, "the other node made parts");
  t.ok((await bytesOf(ending)).equals(await bench.readBytes(alone.key)), "the same bytes");
  t.ok(
    keys.some((key) => key.endsWith("/frame-0")),
    "the lead looked at its pictures",
  );
  await t.resolves(removed, "what they stored for each other is removed");
}
