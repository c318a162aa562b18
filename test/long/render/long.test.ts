import { readFileSync } from "node:fs";
import t from "tap";
import { alone } from "../../render-farm/alone.ts";
import { childProcesses } from "../../render-farm/child-processes.ts";
import { composition, openFilmBench } from "../../render-farm/film-bench.ts";

const bench = await openFilmBench(t);
const seconds = 600;
const fps = 6;
const beats = [1, 300, 599];

/** A click of ten milliseconds at each beat. */
const clicks = await bench.store("clicks.flac", "audio/flac", [
  ...["-f", "lavfi", "-i"],
  `aevalsrc='${beats.map((at) => `between(t,${at},${at}.01)`).join("+")}':s=8000:d=${seconds}`,
]);
const flashes = beats.map(
  (at) => `<div id="f${at}" class="clip" data-start="${at}" data-duration="0.25"
    style="inset:0;background:#fff"></div>`,
);
const slides = Array.from({ length: 60 }, (_, at) => {
  const color = `hsl(${at * 6} 40% 30%)`;
  return `<div id="s${at}" class="clip" data-start="${at * 10}" data-duration="10"
    style="inset:0;background:${color}"></div>`;
});

/** Memory of everything that the film needs, this process included. */
function memoryBytes(): number {
  const own = readFileSync("/proc/self/status", "latin1");
  const parts = childProcesses().map(({ status }) => status("VmRSS"));
  const texts = [/VmRSS:\s+(.*)/.exec(own)?.[1] ?? "", ...parts];
  return texts.reduce((sum, text) => sum + (Number.parseInt(text, 10) || 0) * 1_024, 0);
}

t.test(
  "ten minutes: not a frame of drift between flashes and clicks, in flat memory",
  async (t) => {
    const sound = '<audio src="clicks.flac" data-start="0"></audio>';
    const files = {
      ...composition(
        [...slides, ...flashes, sound].join(""),
        `data-duration="${seconds}" data-fps="${fps}"`,
        [32, 18],
      ),
      "clicks.flac": clicks,
    };
    const memory: number[] = [];
    let next = 0.1;
    const outcome = await bench.worker.run({
      ...alone,
      input: await bench.readInput(files, { quality: "fast" }),
      outputPrefix: "out/long",
      signal: new AbortController().signal,
      reportProgress: (fraction) => {
        if (fraction < next) return;
        next += 0.1;
        memory.push(memoryBytes());
      },
    });
    t.match(outcome, { kind: "succeeded", details: { frames: seconds * fps } });
    const key = outcome.kind === "succeeded" ? outcome.outputs[0]?.objectKey : undefined;
    const pictures = await bench.look(key, [
      "-vf",
      "scale=1:1",
      "-f",
      "rawvideo",
      "-pix_fmt",
      "gray",
    ]);
    t.equal(pictures.length, seconds * fps);
    const samples = await bench.look(key, ["-ac", "1", "-ar", "1000", "-f", "u8"]);
    for (const beat of beats) {
      const flash = [...pictures.keys()].find(
        (at) => at >= (beat - 1) * fps && at < (beat + 1) * fps && (pictures[at] ?? 0) > 180,
      );
      const click = [...samples.keys()].find(
        (at) => at >= (beat - 1) * 1_000 && Math.abs((samples[at] ?? 128) - 128) > 40,
      );
      t.equal(flash, beat * fps, "the flash is at its frame");
      t.ok(Math.abs((click ?? 0) / 1_000 - beat) < 1 / 30, `the click is at ${click} ms`);
    }
    const [early = 0, late = 0] = [Math.max(...memory.slice(0, 3)), Math.max(...memory.slice(-3))];
    t.comment(memory.map((bytes) => Math.round(bytes / 1e6)).join(" "));
    t.ok(late < early * 1.2 + 30e6, `from ${early} to ${late} bytes`);
  },
);
