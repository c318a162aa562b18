import t from "tap";
import { parseMarkup, stampTags } from "../../timeline/markup.ts";
import { effectiveTimeline } from "../../timeline/timeline.ts";
import { messages, readBundle } from "./timeline-bundle.ts";

const say = (root: string, files: Readonly<Record<string, string>> = {}) =>
  messages(effectiveTimeline(readBundle(root, files)));
const numbers = (count: number) => Array.from({ length: count }, (_, at) => at);
const host = (at: number, path = "card.html") =>
  `<div id="h${at}" data-composition-src="${path}" data-start="0" data-duration="1"></div>`;
const card = (inner: string) =>
  `<template><div data-composition-id="card">${inner}</div></template>`;

t.test("markup that nests too deep is named, and not read on", async (t) => {
  t.strictSame(say("<div>".repeat(500)), []);
  for (const tag of ["<div>", "<div class=clip data-start=0>", "<a><div>"])
    t.strictSame(say(tag.repeat(600)), ["error: index.html: nests elements more than 512 deep"]);
  const kept = numbers(600).map((at) => `<p><b id="b${at}"></p>`);
  t.strictSame(say(kept.join("")), ["error: index.html: nests elements more than 512 deep"]);
});

t.test("so is what has too many elements, end tags or attributes", async (t) => {
  for (const text of ["<i></i>", "</zz>", "<table>x<i></i>", "<a><p></a></p>", "<body a>"])
    t.strictSame(say(text.repeat(250_001)), ["error: index.html: has more than 250000 elements"]);
  for (const names of [numbers(257).map((at) => `a${at}`), numbers(257).map(() => "a")])
    t.strictSame(say(`<div ${names.join(" ")}>`), [
      "error: index.html: has more than 256 attributes in a tag",
    ]);
  const bodies = numbers(257).map((at) => `<body a${at}>`);
  t.match(say(bodies.join("")), ["error: index.html: has more than 256 attributes in a tag"]);
});

t.test("an included file that holds too much is named by whoever includes it", async (t) => {
  t.strictSame(say(host(1), { "card.html": card("<div>".repeat(600)) }), [
    "error: index.html: div#h1 data-composition-src leads to card.html, which nests elements more than 512 deep",
  ]);
});

t.test("a file is parsed once, however many hosts include it", async (t) => {
  const texts: Record<string, string> = { "card.html": card("<p class=clip></p>") };
  const reads: string[] = [];
  const { read, ...bundle } = readBundle(
    numbers(40)
      .map((at) => host(at))
      .join(""),
    texts,
  );
  const timeline = effectiveTimeline({
    ...bundle,
    has: () => true,
    read(path) {
      reads.push(path);
      return read(path);
    },
  });
  t.equal(timeline.clips.length, 80);
  t.strictSame(reads.sort(), ["card.html", "index.html", "klieg-edits.json"]);
});

t.test("what is included counts each time, up to 32 Mi characters", async (t) => {
  const large = card(`<p class=clip></p>${" ".repeat(1_000_000)}`);
  t.strictSame(
    say(
      numbers(30)
        .map((at) => host(at))
        .join(""),
      { "card.html": large },
    ),
    [],
  );
  t.strictSame(
    say(
      numbers(40)
        .map((at) => host(at))
        .join(""),
      { "card.html": large },
    ),
    ["error: index.html: includes more than 33554432 characters in all"],
  );
  const below = (path: string) =>
    card(
      numbers(40)
        .map((at) => host(at, path))
        .join(""),
    );
  const files = { "card.html": below("b.html"), "b.html": below("c.html"), "c.html": card("x") };
  t.match(say(host(0), files), []);
  const deeper = { ...files, "c.html": below("d.html"), "d.html": card("x") };
  t.strictSame(say(host(0), deeper), ["error: index.html: has more than 5000 timed elements"]);
});

t.test("variables count wherever they are passed on", async (t) => {
  const variables = JSON.stringify({ text: "x".repeat(1_000_000) });
  const inner = '<div data-composition-id="y" data-duration="1"></div>';
  const outer = (count: number) =>
    `<div data-composition-id="x" data-duration="1" data-variable-values='${variables}'>
      ${inner.repeat(count)}</div>`;
  t.strictSame(say(outer(20)), []);
  t.strictSame(say(outer(40)), [
    "error: index.html: includes more than 33554432 characters in all",
  ]);
});

t.test("a number of any length is read or refused", async (t) => {
  const digits = (text: string) => say(`<p id="p" class="clip" data-duration="${text}"></p>`);
  t.strictSame(digits("1.50000000000000000000"), []);
  t.match(digits(`${"1".repeat(1_000_000)}x`), [
    /p#p data-duration is "1+", which is not a number$/,
  ]);
});

t.test("a file that holds too much is served as it is", async (t) => {
  const text = "<div data-start=0>".repeat(600);
  t.equal(stampTags(text), text);
  t.match(parseMarkup(text), { excess: "nests elements more than 512 deep" });
});
