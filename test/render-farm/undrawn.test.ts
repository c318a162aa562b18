import t from "tap";
import { undrawnWarnings, undrawnWords } from "../../render-farm/models/studio-image/undrawn.ts";

t.test("words that the studio does not draw are named, each once (E2)", async (t) => {
  for (const [prompt, words] of [
    ["a red kite over dunes", []],
    ["a cup of coffee", ["cup", "coffee"]],
    ["Businesswoman at sunset, businesswoman", ["businesswoman"]],
    ["zwei Hunde am Strand", ["zwei", "hunde", "am", "strand"]],
    ["three boats on a calm lake, golden hour, watercolor style, 4k", []],
  ] as const)
    t.strictSame(undrawnWords(prompt), words, prompt);
});

t.test("the sentence of a long prompt is short (E2)", async (t) => {
  t.strictSame(undrawnWarnings("a lighthouse in a storm"), []);
  t.strictSame(undrawnWarnings("a cup of coffee"), [
    "Not drawn, because this model does not know these words: cup, coffee.",
  ]);
  const many = Array.from({ length: 40 }, (_, n) => `${"q".repeat(30)}${n}`).join(" ");
  const [sentence = ""] = undrawnWarnings(many);
  t.match(sentence, /and 32 more\.$/);
  t.ok(sentence.length < 300);
});
