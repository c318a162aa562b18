import { chmod } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { isolate } from "../../render-farm/browser/isolation.ts";
import { Fence } from "../../render-farm/fence/fence.ts";
import { SpareBrowsers } from "../../render-farm/render/page/spare-browsers.ts";
import { render } from "../../render-farm/render/render.ts";
import { alone } from "./alone.ts";
import { composition, impatient, isNear, openFilmBench, sameFonts } from "./film-bench.ts";
import { createSimulatedTimers } from "./simulated-timers.ts";

// The bench has one page, so that the bombs go off one at a time.
const bench = await openFilmBench(t, 1);
const box = `<div id="b" class="clip" data-start="0" data-duration="1"
  style="left:0;top:0;width:100px;height:100px;background:#fff"></div>`;

t.test("a script that throws is a warning while the film is what it should be", async (t) => {
  const film = await bench.film(composition(`${box}<script>throw new Error("oops 7")</script>`));
  t.match(film.warnings, [/^a script threw: .*oops 7/]);
});

t.test("without the timeline that its script speaks of the composition is invalid", async (t) => {
  const script = `<script>window.__timelines = {}; gsap.timeline();</script>`;
  t.match(
    await bench.fail(composition(box + script)),
    /^invalid_composition: no timeline registered .* gsap is not defined/,
  );
  const remote = `<script src="https://cdn.example.org/gsap.js"></script>${script}`;
  t.match(
    await bench.fail(composition(box + remote)),
    /^invalid_composition: .*script src leads to https:\/\/cdn\.example\.org\/gsap\.js/,
  );
});

t.test("nothing but the bundle is reached, and what was asked for is named", async (t) => {
  const script = `<script>
    const log = document.getElementById("b");
    const urls = ["http://127.0.0.1:9/a", "http://169.254.169.254/b", "https://example.org/c"];
    window.done = Promise.all(urls.map((url) => fetch(url).then(() => 1, () => 0)))
      .then((all) => { log.style.background = all.includes(1) ? "#f00" : "#0f0"; });
    new WebSocket("ws://127.0.0.1:9/d");
    </script><img src="file:///etc/passwd"><iframe src="file:///etc/passwd"></iframe>
    <img src="/gone.png">`;
  const film = await bench.film(composition(box + script));
  const [pixel] = await film.pixels(20, [50, 50]);
  t.ok(isNear(pixel, [0, 255, 0]), `${pixel}`);
  for (const named of ["127.0.0.1:9/a", "169.254.169.254/b", "example.org/c", "gone.png"])
    t.ok(
      film.warnings.some((warning) => warning.includes(named)),
      `${named} in ${film.warnings}`,
    );
});

t.test("a page that never gets ready ends as such, and so does a bomb of memory", async (t) => {
  const hurried = await openFilmBench(t, 1, impatient);
  t.match(
    await hurried.fail(composition(`${box}<script>for (;;);</script>`)),
    /^render_timeout: the page was not ready in time/,
  );
  const heap = "const a = []; for (;;) a.push(new Array(1e7).fill(0.5));";
  t.match(
    await bench.fail(composition(`${box}<script>${heap}</script>`)),
    /^out_of_memory: the page exceeded its memory limit/,
  );
});

const darkness = `<div class="clip" data-start="0" data-duration="1" id="x"
  style="inset:0;background:#000"></div>`;

t.test("D7: a film that is to be black is black", async (t) => {
  const film = await bench.film(composition(darkness));
  t.strictSame(await film.pixels(15, [160, 90]), [[0, 0, 0]]);
  t.strictSame(film.warnings, []);
});

t.test(
  "D7: a film of black footage is black, and so is one between whose flashes samples fall",
  async (t) => {
    const source = ["-f", "lavfi", "-i", "color=black:s=320x180:d=1:r=30", "-pix_fmt", "yuv420p"];
    const video = '<video id="v" src="black.mp4" data-start="0" data-duration="1"></video>';
    const film = await bench.film({
      ...composition(video),
      "black.mp4": await bench.store("black.mp4", "video/mp4", source),
    });
    t.ok(isNear((await film.pixels(15, [160, 90]))[0], [0, 0, 0]));
    const flashes = `<script>window.__timelines = { main: { duration: () => 1, seek(s) {
    document.getElementById("x").style.background = Math.round(s * 30) % 7 === 5 ? "#fff" : "#000";
  } } };</script>`;
    const flashing = await bench.film(composition(darkness + flashes));
    const [dark, lit] = [await flashing.pixels(4, [160, 90]), await flashing.pixels(5, [160, 90])];
    t.ok(isNear(dark[0], [0, 0, 0]) && isNear(lit[0], [255, 255, 255]), `${dark}, ${lit}`);
  },
);

t.test("a film is no success that is black where its video is not", async (t) => {
  const source = ["-f", "lavfi", "-i", "color=red:s=320x180:d=1:r=30", "-pix_fmt", "yuv420p"];
  const root = `<video id="v" src="red.mp4" data-start="0" data-duration="1"></video>
    <div style="position:absolute;inset:0;background:#000"></div>`;
  const red = await bench.store("red.mp4", "video/mp4", source);
  t.match(
    await bench.fail({ ...composition(root), "red.mp4": red }),
    /^invalid_composition: every sampled frame is black, although video#v is not/,
  );
});

t.test("bad input is refused for good and names the field", async (t) => {
  const input = await bench.readInput(composition(box));
  for (const [change, message] of [
    [{ target: "gif" }, "render: /target must be one of video, still"],
    [{ quality: "best" }, "render: /quality must be one of fast, standard, high"],
    [{ still: { frame: -1 } }, "render: /still/frame must be >= 0"],
    [{ extra: 1 }, "render: /extra is not a known field"],
  ] as const)
    t.match(await bench.run(bench.worker, { ...input, ...change }), {
      kind: "failed",
      message,
      retryable: false,
    });
  t.match(await bench.fail({ "a.html": "x" }), "invalid_composition: index.html: is not in");
});

t.test("a canceled render ends at once", async (t) => {
  const input = await bench.readInput(composition(box, 'data-duration="600"'));
  const abort = new AbortController();
  const running = bench.worker.run({
    ...alone,
    input,
    outputPrefix: "out/canceled",
    signal: abort.signal,
    reportProgress: () => abort.abort(),
  });
  t.match(await running, { kind: "failed", retryable: true });
});

t.test("a page that goes elsewhere stays where it is", async (t) => {
  const leave = `<script>location.href = "https://example.org/"; window.open("/b.html");
    </script>`;
  const film = await bench.film(composition(box + leave));
  t.ok(isNear((await film.pixels(5, [50, 50]))[0], [255, 255, 255]));
});

t.test("where pages cannot be kept off the network nothing is rendered", async (t) => {
  const forbidden = t.testdir({ unshare: "#!/bin/sh\nexit 1\n" });
  await chmod(join(forbidden, "unshare"), 0o755);
  const fence = await Fence.raise(forbidden, forbidden);
  const isolation = await isolate("required", "/usr/bin/false", fence);
  t.match(isolation, { kind: "refused", sentence: /set KLIEG_ISOLATION=off/ });
  t.match(await isolate("off", "/usr/bin/false", fence), { kind: "ready" });
  const browsers = new SpareBrowsers(isolation, () => 0, createSimulatedTimers(), sameFonts);
  const tools = { ...bench.studio.tools, browsers };
  const worker = render({ tools, objects: bench.objects, timeoutMs: 1_000 });
  t.match(await bench.run(worker, await bench.readInput(composition(box))), {
    kind: "failed",
    message: /^internal: this farm node cannot keep pages off the network/,
    retryable: false,
  });
});
