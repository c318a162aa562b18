import t from "tap";
import { studioMusic, studioSound } from "../../../render-farm/models/studio-music.ts";
import { composeScore } from "../../../render-farm/models/studio-sound/music.ts";
import { openMediaBench } from "../../render-farm/media-bench.ts";

const bench = await openMediaBench(t);
const music = studioMusic(bench.workspaces, bench.objects, 600_000);
const effect = studioSound(bench.workspaces, bench.objects, 600_000);
const plain = {
  prompt: "lofi study beats with guitar",
  durationSeconds: 6,
  format: "wav",
  seed: 1,
};

async function loudness(key: string): Promise<{ readonly mean: number; readonly peak: number }> {
  const said = await bench.hear(key, "volumedetect");
  const read = (name: string) => Number(new RegExp(`${name}_volume: (-?[\\d.]+)`).exec(said)?.[1]);
  return { mean: read("mean"), peak: read("max") };
}

t.test("music has the length asked for in every format, even and not clipped", async (t) => {
  for (const [format, mimeType] of [
    ["mp3", "audio/mpeg"],
    ["wav", "audio/wav"],
    ["flac", "audio/flac"],
    ["ogg", "audio/ogg"],
  ] as const) {
    const output = await bench.make(music, { ...plain, format });
    t.match(output, { mimeType, hasAudio: true, thumbnailKey: /\.thumb\.png$/ });
    t.ok(Math.abs((output.durationSeconds ?? 0) - 6) < 0.1, `${format} ${output.durationSeconds}`);
    const { mean, peak } = await loudness(output.objectKey);
    t.ok(mean > -26 && mean < -12 && peak < -0.3, `${format} mean ${mean} dB, peak ${peak} dB`);
  }
});

t.test("equal words and seed give equal bytes, others another piece", async (t) => {
  const first = await bench.make(music, plain);
  t.equal((await bench.make(music, plain)).sha256, first.sha256);
  t.not((await bench.make(music, { ...plain, seed: 2 })).sha256, first.sha256);
  t.not((await bench.make(music, { ...plain, prompt: "epic battle" })).sha256, first.sha256);
});

t.test("the prompt's words choose tempo, mode and instrument", async (t) => {
  const tempo = (prompt: string) => 60 / composeScore(prompt, 30, 1).secondsPerBeat;
  t.ok(tempo("techno") > tempo("lofi"), "techno is faster than lofi");
  t.ok(tempo("lofi") > tempo("slow ambient drone"), "lofi is faster than a drone");
  t.ok(Math.abs(tempo("house at 120 bpm") - 120) < 10, "a number of beats is kept");
  t.equal(composeScore("a sad song", 30, 1).scale[2], 3, "sad is minor");
  t.equal(composeScore("a happy song", 30, 1).scale[2], 4, "happy is major");
  t.equal(composeScore("techno with violin", 30, 1).lead, "strings");
});

t.test("a second of music is as good as a minute", async (t) => {
  const output = await bench.make(music, { ...plain, durationSeconds: 1 });
  t.ok(Math.abs((output.durationSeconds ?? 0) - 1) < 0.05);
});

t.test("sound effects are heard, and each word has a sound of its own", async (t) => {
  const hashes = new Set<string>();
  const prompts = ["rain", "explosion", "footsteps", "a door bell", "laser", "zzyzx"];
  for (const prompt of prompts) {
    const output = await bench.make(effect, { ...plain, prompt, durationSeconds: 2 });
    const { mean, peak } = await loudness(output.objectKey);
    t.ok(mean > -40 && peak > -20 && peak < 0, `${prompt} mean ${mean} dB, peak ${peak} dB`);
    hashes.add(output.sha256);
  }
  t.equal(hashes.size, prompts.length);
});

t.test("rain is a hiss and thunder a rumble", async (t) => {
  const share = async (prompt: string) => {
    const { objectKey } = await bench.make(effect, { ...plain, prompt, durationSeconds: 3 });
    const low = await bench.hear(objectKey, "lowpass=f=250,volumedetect");
    const high = await bench.hear(objectKey, "highpass=f=2000,volumedetect");
    const [below, above] = [low, high].map((said) =>
      Number(/mean_volume: (-?[\d.]+)/.exec(said)?.[1]),
    );
    return (above ?? 0) - (below ?? 0);
  };
  t.ok((await share("rain")) > 10);
  t.ok((await share("distant thunder")) < -10);
});

t.test("a stopped piece ends at once", async (t) => {
  const abort = new AbortController();
  const running = bench.run(music, { ...plain, durationSeconds: 180 }, abort.signal);
  setImmediate(() => abort.abort());
  t.match(await running, { kind: "failed", retryable: true });
});

t.test("bad input is refused for good and names the field", async (t) => {
  t.match(await bench.run(music, { ...plain, durationSeconds: 181 }), {
    kind: "failed",
    message: /^music: \/durationSeconds /,
    retryable: false,
  });
  t.match(await bench.run(effect, { ...plain, prompt: "" }), {
    message: /^sound_effect: \/prompt /,
  });
  t.match(await bench.run(effect, { ...plain, format: "aac" }), {
    message: "sound_effect: /format must be one of mp3, wav, flac, ogg",
  });
});
