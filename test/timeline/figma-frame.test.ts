import t from "tap";
import { type FigmaFrame, readFrame } from "../../timeline/figma/figma-frame.ts";
import { insertLayers } from "../../timeline/figma/figma-insertion.ts";
import { node, solid, text } from "../spec/figma-double.ts";

type Frame = Extract<FigmaFrame, { kind: "frame" }>;

function getFrame(children: readonly object[], more: object = {}): Frame {
  const document = node("FRAME", "1:2", [0, 0, 640, 360], { children, ...more });
  const answer = Buffer.from(JSON.stringify({ nodes: { "1:2": { document } } }));
  const found = readFrame({ answer, nodeId: "1:2", includesHidden: false });
  if (found.kind !== "frame") throw new Error(JSON.stringify(found));
  return found;
}

function listObstacles(more: Parameters<typeof text>[3], height = 24): readonly string[] {
  const [draft] = getFrame([text("1:3", [0, 0, 100, height], "Up", more)]).layers;
  return draft?.kind === "text" ? draft.obstacles : ["no text"];
}

t.test("what an added text of the edits cannot hold is named", async (t) => {
  t.strictSame(listObstacles({}), []);
  t.strictSame(listObstacles({ style: { textCase: "UPPER" } }), []);
  t.strictSame(listObstacles({ opacity: 0.5 }), []);
  for (const [more, what] of [
    [{ rotation: 0.5 }, "rotation"],
    [{ style: { letterSpacing: 1 } }, "letter spacing"],
    [{ style: { italic: true } }, "italic letters"],
    [{ style: { textAlignHorizontal: "JUSTIFIED" } }, "justified lines"],
    [{ style: { textCase: "SMALL_CAPS" } }, "small capitals"],
    [{ style: { textDecoration: "UNDERLINE" } }, "decoration"],
    [{ style: { textTruncation: "ENDING" } }, "truncation"],
    [{ style: { textAutoResize: "NONE", textAlignVertical: "CENTER" } }, "vertical alignment"],
    [{ characterStyleOverrides: [0, 4] }, "several styles"],
    [{ lineTypes: ["UNORDERED"] }, "lists"],
    [{ fills: [{ type: "GRADIENT_LINEAR" }] }, "its fill"],
    [{ strokes: [solid(0, 0, 0)] }, "a stroke"],
    [{ effects: [{ type: "DROP_SHADOW", visible: true }] }, "effects"],
    [{ blendMode: "MULTIPLY" }, "blend mode"],
  ] as const)
    t.strictSame(listObstacles(more), [what]);
  t.strictSame(listObstacles({ style: { lineHeightPx: 40 } }, 120), ["line height"]);
});

t.test("a group with a text in it is descended into, and what it loses is named", async (t) => {
  const inside = [text("1:4", [0, 0, 100, 24], "Up"), node("VECTOR", "1:5", [0, 0, 9, 9])];
  const card = { children: inside, fills: [solid(1, 1, 1)], effects: [{ type: "LAYER_BLUR" }] };
  const { layers, warnings } = getFrame([node("FRAME", "1:3", [0, 0, 200, 100], card)]);
  t.match(layers, [{ kind: "text" }, { kind: "image", layer: { node_id: "1:5" } }]);
  t.match(warnings, [/^frame 1:3 \(1:3\): its own fill, effects left out/]);
});

t.test("a hidden text does not split its group", async (t) => {
  const inside = [text("1:4", [0, 0, 100, 24], "Up", { visible: false })];
  const { layers } = getFrame([node("GROUP", "1:3", [0, 0, 200, 100], { children: inside })]);
  t.match(layers, [{ kind: "image", layer: { node_id: "1:3" } }]);
});

t.test("a frame of nothing is one picture of itself", async (t) => {
  const { layers } = getFrame([]);
  t.match(layers, [{ kind: "image", layer: { node_id: "1:2", x: 0, width: 640 } }]);
});

t.test("colours are #rrggbb, or #rrggbbaa when not opaque", async (t) => {
  const parseColor = (fill: object): unknown => {
    const [draft] = getFrame([text("1:3", [0, 0, 9, 24], "x", { fills: [fill] })]).layers;
    return draft?.kind === "text" ? draft.layer.color : undefined;
  };
  t.equal(parseColor(solid(1, 0, 0.2)), "#ff0033");
  t.equal(parseColor(solid(1, 1, 1, 0.5)), "#ffffff80");
  t.equal(parseColor({ ...solid(1, 1, 1), color: { r: 9, g: -1, b: "x", a: 1 } }), "#ff0000");
});

t.test("words keep their place: cases, alignment and the middle of a line", async (t) => {
  const style = { textCase: "TITLE", textAlignHorizontal: "CENTER", lineHeightPx: 30 };
  const { frame, layers } = getFrame([text("1:3", [100, 50, 200, 30], "up high", { style })]);
  const drafts = layers.flatMap((draft) => (draft.kind === "text" ? [draft] : []));
  const task = { page: undefined, edits: undefined, frame, layers: drafts, start: 0, seconds: 1 };
  const inserted = insertLayers(task);
  const edits = inserted.kind === "inserted" ? JSON.parse(inserted.edits ?? "") : undefined;
  const place = { x: 90, y: 53, width: 220, align: "center" };
  t.match(edits, { texts: [{ text: "Up High", ...place }] });
});
