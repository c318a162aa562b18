/** Tests `klieg-edits.json` as the console's studio writes it. */
import fc from "fast-check";
import t from "tap";
import {
  deleteClip,
  type Editable,
  placeClip,
  putBack,
  setHidden,
  setVolume,
  toggleTrack,
} from "../../console/studio/clip-edits.ts";
import { type Edits, readEdits, writeEdits } from "../../console/studio/edits-document.ts";
import { begin, type History, record, redo, undo } from "../../console/studio/history.ts";
import {
  changeRate,
  drag,
  moveTo,
  noSnap,
  trimEnd,
  trimStart,
} from "../../console/studio/placement.ts";
import { addText, changeText, newTextId } from "../../console/studio/text-edits.ts";
import { readOverlay } from "../../timeline/overlay.ts";

const fps = 30;
const none: Edits = { version: 1 };
const shot: Editable = {
  id: "shot",
  isText: false,
  start: 2,
  end: 5,
  lane: 1,
  mediaStart: 1,
  rate: 2,
};
const size = { width: 1_000, height: 500 };

t.test("a moved clip keeps its length and lies on a whole frame", async (t) => {
  const moved = moveTo(shot, 3.51, fps);
  t.match(moved, { start: 3.5, end: 6.5, mediaStart: 1 });
  t.strictSame(placeClip(none, shot, moved), { version: 1, clips: { shot: { start: 3.5 } } });
  t.equal(moveTo(shot, -4, fps).start, 0, "the film's start is the first");
});

t.test("a trimmed start leaves the source where it was in time", async (t) => {
  const trimmed = trimStart(shot, 2.5, fps);
  t.match(trimmed, { start: 2.5, end: 5, mediaStart: 2 });
  t.strictSame(placeClip(none, shot, trimmed), {
    version: 1,
    clips: { shot: { start: 2.5, duration: 2.5, media_start: 2 } },
  });
  t.match(trimStart(shot, 0, fps), { start: 1.5, mediaStart: 0 }, "not before the source begins");
  t.match(trimStart(shot, 9, fps), { start: 4.966666667 }, "a frame is left");
});

t.test("a trimmed end changes the duration alone, and a frame is left", async (t) => {
  const trimmed = placeClip(none, shot, trimEnd(shot, 4, fps));
  t.strictSame(trimmed, { version: 1, clips: { shot: { duration: 2 } } });
  t.match(trimEnd(shot, 0, fps), { end: 2.033333333 });
});

t.test("another speed plays the same part of the source", async (t) => {
  const slow = placeClip(none, shot, changeRate(shot, 1));
  t.strictSame(slow, { version: 1, clips: { shot: { duration: 6, playback_rate: 1 } } });
});

t.test("edges snap to near points, the nearer edge first", async (t) => {
  const snap = { points: [0, 5.2, 3.04], withinSeconds: 0.1 };
  t.match(drag(shot, "whole", 0.15, fps, snap), { start: 2.2, end: 5.2 });
  t.match(drag(shot, "start", 1, fps, snap), { start: 3.033333333 });
  t.match(drag(shot, "end", 0.15, fps, snap), { end: 5.2 });
  t.match(drag(shot, "end", 0.15, fps, noSnap), { end: 5.166666667 });
});

t.test("nothing is changed on a locked track, or moved to one", async (t) => {
  const locked = toggleTrack(none, 1, "locked");
  t.strictSame(locked, { version: 1, tracks: { 1: { locked: true } } });
  t.equal(placeClip(locked, shot, moveTo(shot, 3, fps)), locked);
  t.equal(deleteClip(locked, shot), locked);
  t.equal(setHidden(locked, shot, true), locked);
  t.equal(placeClip(locked, { ...shot, lane: 0 }, shot), locked);
  t.strictSame(toggleTrack(locked, 1, "locked"), { version: 1, tracks: {} });
});

t.test("deleted elements are named, and can be put back", async (t) => {
  const gone = deleteClip(none, shot);
  t.strictSame(gone, { version: 1, deleted: ["shot"] });
  t.strictSame(putBack(gone, "shot"), none);
});

t.test("texts are added, changed, moved and removed", async (t) => {
  const id = newTextId(new Set(["text-1"]));
  const added = addText(none, { id, start: 1, duration: 3, lane: 2, ...size });
  t.match(added.texts, [{ id: "text-2", x: 100, y: 350, width: 800, track_index: 2 }]);
  const said = changeText(added, id, { text: "Light", width: undefined, font_size: 1e9 });
  t.match(JSON.parse(writeEdits(said)), { texts: [{ text: "Light", font_size: 10_000 }] });
  t.notOk("width" in JSON.parse(writeEdits(said)).texts[0], "no longer wrapped");
  const bar = { ...shot, id, isText: true, start: 1, end: 4, lane: 2, mediaStart: undefined };
  const moved = placeClip(added, bar, { ...moveTo(bar, 2, fps), lane: 0 });
  t.match(moved.texts, [{ start: 2, duration: 3, track_index: 0 }]);
  t.strictSame(deleteClip(moved, bar).texts, []);
});

t.test("members that are not known are kept", async (t) => {
  const text = `{"version":1,"grid":4,"clips":{"shot":{"note":"n","transform":{"x":1}}}}`;
  const next = setVolume(read(text), shot, 0.5);
  t.strictSame(next, {
    version: 1,
    grid: 4,
    clips: { shot: { note: "n", transform: { x: 1 }, volume: 0.5 } },
  });
});

t.test("a document that is none is said, not read", async (t) => {
  t.strictSame(read(undefined), none);
  t.match(read('{"version":1,"fault":"x"}'), { fault: "x" }, "a member of that name is kept");
  for (const text of ["{", "[]", '{"version":2}', '{"version":1,"texts":{}}', "null"])
    t.match(readEdits(text), { fault: /^klieg-edits\.json is/ }, text);
});

t.test("changes of one group are one step back", async (t) => {
  const typed = ["L", "Li", "Lig"].reduce(
    (history, letters) => record(history, letters, "text-1 text"),
    begin("start"),
  );
  t.strictSame(undo(typed), { past: [], now: "start", future: ["Lig"] });
  t.equal(redo(undo(typed)).now, "Lig");
});

function read(text: string | undefined): Edits {
  const found = readEdits(text);
  if ("fault" in found) throw new Error(found.fault);
  return found.edits;
}

const seconds = fc.double({ min: -10, max: 100_000, noNaN: true });
const step = fc.oneof(
  fc.record({ kind: fc.constant("move" as const), at: seconds, lane: fc.integer() }),
  fc.record({ kind: fc.constantFrom("start" as const, "end" as const), at: seconds }),
  fc.record({ kind: fc.constant("rate" as const), at: seconds }),
  fc.record({ kind: fc.constant("volume" as const), at: seconds }),
  fc.record({ kind: fc.constant("text" as const), words: fc.string(), at: seconds }),
  fc.record({ kind: fc.constantFrom("hide" as const, "delete" as const, "mute" as const) }),
);
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

function take(edits: Edits, clip: Editable, one: Step, count: number): Edits {
  const place = (next: Parameters<typeof placeClip>[2]) => placeClip(edits, clip, next);
  switch (one.kind) {
    case "move":
      return place({ ...moveTo(clip, one.at, fps), lane: one.lane });
    case "start":
      return place(trimStart(clip, one.at, fps));
    case "end":
      return place(trimEnd(clip, one.at, fps));
    case "rate":
      return place(changeRate(clip, one.at));
    case "volume":
      return setVolume(edits, clip, one.at);
    case "text": {
      const id = `text-${count}`;
      const added = addText(edits, { id, start: 0, duration: 1, lane: 0, ...size });
      const { at } = one;
      return changeText(added, id, { text: one.words, x: at, width: at, font_weight: at });
    }
    case "hide":
      return setHidden(edits, clip, true);
    case "delete":
      return deleteClip(edits, clip);
    case "mute":
      return toggleTrack(edits, clip.lane, "muted");
  }
}

const clip = fc.record({
  id: fc.constantFrom("shot", "title", "__proto__", "constructor", ""),
  isText: fc.constant(false),
  start: fc.double({ min: 0, max: 1_000, noNaN: true }),
  length: fc.double({ min: 0.1, max: 1_000, noNaN: true }),
  lane: fc.integer({ min: -5, max: 5 }),
  mediaStart: fc.option(fc.double({ min: 0, max: 100, noNaN: true }), { nil: undefined }),
  rate: fc.double({ min: 0.1, max: 5, noNaN: true }),
});

t.test("the service takes whatever was edited, and undo gives back every byte", async (t) => {
  const first = ` {"version": 1,\t"clips": {"a": {"start": 1.50}}}\r\n`;
  fc.assert(
    fc.property(fc.array(fc.tuple(clip, step), { maxLength: 12 }), (steps) => {
      let history: History = begin(first);
      steps.forEach(([{ length, ...placed }, one], count) => {
        const edits = read(history.now);
        const next = take(edits, { ...placed, end: placed.start + length }, one, count);
        if (next !== edits) history = record(history, writeEdits(next));
        const taken = readOverlay(history.now ?? "");
        if ("fault" in taken) throw new Error(`${taken.fault}: ${history.now}`);
      });
      const last = history.now;
      const count = history.past.length;
      for (let back = 0; back < count; back++) history = undo(history);
      if (history.now !== first) throw new Error("undo gave back something else");
      for (let on = 0; on < count; on++) history = redo(history);
      return history.now === last;
    }),
  );
  t.pass();
});
