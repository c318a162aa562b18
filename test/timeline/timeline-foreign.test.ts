/** What third-party compositions hold that the format's own examples do not. */
import t from "tap";
import { effectiveTimeline } from "../../timeline/timeline.ts";
import { lengths, messages, page, readBundle, requireClip, times } from "./timeline-bundle.ts";

const beside = (more: string) => page("").replace("</body>", `${more}</body>`);

t.test("media beside the root are clips in its time", async (t) => {
  const media = `<div id="frame"><video id="v" src="a.mp4" data-start="1"></video></div>
    <audio id="a" src="a.mp4" data-start="v - 1" data-duration="9"></audio>`;
  const files = { "index.html": beside(media) };
  const timeline = effectiveTimeline(readBundle("", files, lengths({ "a.mp4": 2 })));
  t.strictSame(times(timeline), { v: [1, 3], a: [2, 5] });
  t.match(requireClip(timeline, "v"), { kind: "video", composition: "" });
  t.strictSame(messages(timeline), []);
});

t.test("whatever else shows outside the root is named", async (t) => {
  const logo = `<!-- 1 --><script></script><p id="logo">Klieg</p><p hidden>2</p>`;
  const wrapped = beside(logo)
    .replace("<div id", "<main><div id")
    .replace("</div>", "</div></main>");
  for (const text of [beside(logo), wrapped])
    t.strictSame(messages(effectiveTimeline(readBundle("", { "index.html": text }))), [
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
    t.strictSame(messages(effectiveTimeline(readBundle(root))), [hint]);
    const registered = `${root}<script>window.__timelines.main = make();</script>`;
    t.strictSame(messages(effectiveTimeline(readBundle(registered))), []);
    const elsewhere = `${root}<script src="own.js"></script>`;
    const found = effectiveTimeline(readBundle(elsewhere, {}, { has: () => true }));
    t.strictSame(messages(found), [], "a file that cannot be read may register");
  }
});

t.test("a film on which nothing paints a background is a warning", async (t) => {
  const black =
    "warning: index.html: div#root has no background, nor has its page; the film is black behind it";
  const makeStyled = (style: string) =>
    page("").replace('<body style="background:#000">', `<head>${style}</head><body>`);
  const find = (style: string, css = "") => {
    const files = { "index.html": makeStyled(style), "own.css": css };
    return messages(effectiveTimeline(readBundle("", files)));
  };
  const linked = '<link rel="stylesheet" href="own.css">';
  t.strictSame(find(""), [black]);
  t.strictSame(find("<style>p{background:#fff}body{background:none}</style>"), [black]);
  t.strictSame(find(linked, "#root p{background:#fff}"), [black]);
  for (const style of [
    "<style>html, body { background: #fff }</style>",
    "<style>@media all { #root{color:red;background-color:#fff} }</style>",
    "<style>/* } */ [data-composition-id=main] { background-image: linear-gradient(red, blue) }</style>",
    "<style>div { background: #fff }</style>",
  ])
    t.strictSame(find(style), []);
  t.strictSame(find(linked, "body{background:#fff}"), []);
});

t.test("styles are looked into: what they name and is not there is named", async (t) => {
  const style = `<style>@import "more.css"; @import url(https://fonts.example.org/css?family=A:b;c);
    /* url(no.png) */ html { background: #fff url('there.png') }
    p { background: url(gone.png), url(data:image/png;base64,AA) }</style>`;
  const css =
    "@font-face{font-family:A;src:url(a.woff2)} i{background:url('//x.example.org/i.png')}";
  const files = {
    "index.html": page(`<p style="background:url(&quot;inline.png&quot;)"></p>`).replace(
      "<body",
      `<head>${style}</head><body`,
    ),
    "more.css": css,
    "there.png": "x",
  };
  t.strictSame(messages(effectiveTimeline(readBundle("", files))), [
    "warning: index.html: style names https://fonts.example.org/css?family=A:b;c, which is not fetched",
    "warning: index.html: style names gone.png, which is not in the bundle",
    "warning: more.css: style names a.woff2, which is not in the bundle",
    "warning: more.css: style names //x.example.org/i.png, which is not fetched",
    "warning: index.html: p names inline.png, which is not in the bundle",
  ]);
});
