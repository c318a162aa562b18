/** What strangers' compositions hold that the format's own examples do not. */
import t from "tap";
import { effectiveTimeline } from "../../actors/timeline/timeline.ts";
import { bundleOf, clipNamed, lengths, messages, page, times } from "./timeline-bundle.ts";

const beside = (more: string) => page("").replace("</body>", `${more}</body>`);

t.test("media beside the root are clips in its time", async (t) => {
  const media = `<div id="frame"><video id="v" src="a.mp4" data-start="1"></video></div>
    <audio id="a" src="a.mp4" data-start="v - 1" data-duration="9"></audio>`;
  const files = { "index.html": beside(media) };
  const timeline = effectiveTimeline(bundleOf("", files, lengths({ "a.mp4": 2 })));
  t.strictSame(times(timeline), { v: [1, 3], a: [2, 5] });
  t.match(clipNamed(timeline, "v"), { kind: "video", composition: "" });
  t.strictSame(messages(timeline), []);
});

t.test("whatever else shows outside the root is named", async (t) => {
  const logo = `<!-- 1 --><script></script><p id="logo">Klieg</p><p hidden>2</p>`;
  const wrapped = beside(logo)
    .replace("<div id", "<main><div id")
    .replace("</div>", "</div></main>");
  for (const text of [beside(logo), wrapped])
    t.strictSame(messages(effectiveTimeline(bundleOf("", { "index.html": text }))), [
      "warning: index.html: p#logo stands outside the root and is shown for the whole film",
    ]);
});

t.test("a registry in which nothing registers is a hint", async (t) => {
  const hint =
    "warning: index.html: script makes window.__timelines and registers nothing in it, " +
    "so it moves nothing";
  const wordings = [
    "window.__timelines = window.__timelines || {};",
    "window.__timelines ??= {}",
    "window.__timelines = {}",
  ];
  for (const script of wordings) {
    const root = `<script>${script}</script>`;
    t.strictSame(messages(effectiveTimeline(bundleOf(root))), [hint]);
    const registered = `${root}<script>window.__timelines.main = make();</script>`;
    t.strictSame(messages(effectiveTimeline(bundleOf(registered))), []);
    const elsewhere = `${root}<script src="own.js"></script>`;
    const found = effectiveTimeline(bundleOf(elsewhere, {}, { has: () => true }));
    t.strictSame(messages(found), [], "a file that cannot be read may register");
  }
});
