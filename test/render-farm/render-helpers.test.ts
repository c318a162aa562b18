import t from "tap";
import type { JobMessage } from "../../actors/job/job.ts";
import type { Objects } from "../../engine/ports/objects.ts";
import { composition, openFilmBench } from "./film-bench.ts";
import { twoNodes } from "./two-nodes.ts";

const bench = await openFilmBench(t, 1);

const mover = `<div id="m" class="clip" data-start="0" data-duration="5"
  style="left:0;top:0;width:40px;height:30px;background:#fc0"></div>
  <style>@keyframes go { to { transform: translate(60px, 20px) rotate(80deg) } }
  #m { animation: go 5s linear }</style>`;
const long = 'data-duration="5"';
const small = [96, 54];

/** Two nodes, and the keys under which they stored what only they need. */
function farm() {
  const keys: string[] = [];
  const objects: Objects = {
    ...bench.objects,
    put: (key, bytes) => {
      if (key.startsWith("volatile/")) keys.push(key);
      return bench.objects.put(key, bytes);
    },
  };
  const left = async (): Promise<readonly string[]> => {
    const found = await Promise.all(keys.map((key) => bench.objects.stat(key)));
    return keys.filter((_, at) => found[at] !== undefined);
  };
  return { ...twoNodes({ ...bench.studio, objects }), keys, left };
}

function bytesOf(ending: JobMessage): Promise<Buffer> {
  if (ending.kind !== "finished" || ending.outcome.kind !== "succeeded")
    throw new Error(JSON.stringify(ending));
  return bench.bytesOf(ending.outcome.outputs[0]?.media.objectKey);
}

for (const [capture, root] of Object.entries({
  "self-captured": mover,
  "compositor-captured": `${mover}<canvas width="4" height="4"></canvas>`,
}))
  t.test(`${capture}: a film that two nodes make has the bytes of one node's film`, async (t) => {
    const files = composition(root, long, small);
    const alone = await bench.film(files);
    t.match(alone.details, { capture });
    const { lead, other, run, keys, left } = farm();
    const made: number[] = [];
    lead.hold("take");
    other.onSaid((message) => {
      if (message.kind !== "made") return;
      made.push(message.part);
      lead.letGo();
    });
    const { ending, attempts } = await run(await bench.inputOf(files));
    t.equal(attempts, 1);
    t.equal(made[0], 0, "the other node made parts");
    t.ok((await bytesOf(ending)).equals(await bench.bytesOf(alone.key)), "the same bytes");
    t.ok(
      keys.some((key) => key.endsWith("/frame-0")),
      "the lead looked at its pictures",
    );
    t.strictSame(await left(), [], "what they stored for each other is removed");
  });

t.test("a helper node that is killed midway costs nothing but its part", async (t) => {
  const files = composition(mover, long, small);
  const alone = await bench.film(files);
  const { lead, other, run, left } = farm();
  const made: number[] = [];
  let takes = 0;
  lead.hold("take");
  lead.onSaid((message) => message.kind === "made" && made.push(message.part));
  other.onSaid((message) => {
    if (message.kind !== "take" || ++takes < 4) return;
    other.die();
    lead.letGo();
  });
  const { ending, attempts } = await run(await bench.inputOf(files));
  t.equal(attempts, 1);
  t.equal(takes, 4);
  t.ok(Math.min(...made) >= 2, "two parts of it are there, the rest is made");
  t.ok((await bytesOf(ending)).equals(await bench.bytesOf(alone.key)), "the same bytes");
  t.strictSame(await left(), []);
});

t.test("a film that goes the slow way after all goes it on both nodes", async (t) => {
  const style = "<style>body > #root { background: #00f !important }</style>";
  const files = composition(style + mover, long, small);
  const alone = await bench.film(files);
  t.match(alone.details, { capture: "compositor-captured" });
  const { lead, other, run, left } = farm();
  const crews: string[] = [];
  lead.onSaid((message) => {
    if (message.kind !== "split") return;
    crews.push(JSON.stringify(message.helpers.input));
    if (crews.length === 2) lead.hold("take");
  });
  other.onSaid((message) => message.kind === "made" && crews.length === 2 && lead.letGo());
  const { ending } = await run(await bench.inputOf(files));
  t.match(crews, [/"capture":"self-captured"/, /"capture":"compositor-captured"/]);
  t.match(ending, { outcome: { details: { capture: "compositor-captured" } } });
  t.ok((await bytesOf(ending)).equals(await bench.bytesOf(alone.key)), "the same bytes");
  t.strictSame(await left(), []);
});

t.test("a film that is soon done is not split", async (t) => {
  const { lead, run } = farm();
  const said: string[] = [];
  lead.onSaid(({ kind }) => said.push(kind));
  const { ending } = await run(await bench.inputOf(composition(mover, 'data-duration="4"', small)));
  t.match(ending, { outcome: { kind: "succeeded" } });
  t.strictSame(said, ["finished"]);
});
