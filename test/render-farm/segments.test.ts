import t from "tap";
import { planSegments } from "../../render-farm/render/film/segments.ts";

function lengths(frames: number, fps: number, videos: readonly unknown[] = []): readonly number[] {
  const segments = planSegments(frames, { timeline: { fps }, videos });
  for (const [at, { index, from, to }] of segments.entries()) {
    const before = segments[at - 1]?.to ?? 0;
    if (index !== at || from !== before || to <= from) throw new Error(`wrong at ${at}`);
  }
  if (segments.length > 0 && segments.at(-1)?.to !== frames) throw new Error("not all frames");
  return segments.map(({ from, to }) => to - from);
}

t.test("the parts of a film get shorter towards its end, and no part is tiny", async (t) => {
  t.strictSame(lengths(300, 30), [75, 57, 42, 32, 24, 18, 18, 17, 17]);
  t.strictSame(lengths(60, 30), [15, 15, 15, 15]);
  t.strictSame(lengths(29, 30), [29], "a short film is one");
  t.strictSame(lengths(1, 30), [1]);
  t.strictSame(lengths(0, 30), []);
});

t.test("a film with videos is cut into fewer parts", async (t) => {
  t.strictSame(lengths(300, 30, ["clip"]), [100, 67, 67, 66]);
});

t.test("no part of a long film has more than 8 s, at any rate", async (t) => {
  for (const fps of [1, 23.976, 30, 240]) {
    const parts = lengths(Math.round(600 * fps), fps);
    t.ok(Math.max(...parts) <= Math.ceil(8 * fps), `${fps}: ${Math.max(...parts)}`);
    t.ok(parts.length < 120, `${fps}: ${parts.length} parts`);
  }
});
