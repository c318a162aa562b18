import t from "tap";
import { studioVoice } from "../../../render-farm/models/studio-voice.ts";
import { openMediaBench } from "../../render-farm/media-bench.ts";

const bench = await openMediaBench(t);
const worker = studioVoice(bench.workspaces, bench.objects, 600_000);
const plain = {
  text: "The lighthouse keeper counted seven ships before the storm reached the harbour.",
  voice: "juniper",
  speed: 1,
  format: "mp3",
  seed: 1,
};

t.test("a sentence is spoken in each format, even and not clipped", async (t) => {
  for (const [format, mimeType] of [
    ["mp3", "audio/mpeg"],
    ["wav", "audio/wav"],
    ["flac", "audio/flac"],
    ["ogg", "audio/ogg"],
  ] as const) {
    const output = await bench.make(worker, { ...plain, format });
    t.match(output, { mimeType, hasAudio: true, width: undefined, thumbnailKey: /\.thumb\.png$/ });
    const seconds = output.durationSeconds ?? 0;
    t.ok(seconds > 3 && seconds < 7, `${format} ${seconds} s`);
    const said = await bench.hear(output.objectKey, "volumedetect");
    const mean = Number(/mean_volume: (-?[\d.]+)/.exec(said)?.[1]);
    const peak = Number(/max_volume: (-?[\d.]+)/.exec(said)?.[1]);
    t.ok(mean > -26 && mean < -13, `${format} mean ${mean} dB`);
    t.ok(peak < -0.2, `${format} peak ${peak} dB`);
  }
});

t.test(
  "equal input gives equal bytes; voice, speed, language and direction change them",
  async (t) => {
    const wav = { ...plain, format: "wav", text: "Seven ships." };
    const first = await bench.make(worker, wav);
    t.equal((await bench.make(worker, wav)).sha256, first.sha256);
    const changes = [
      { voice: "cedar" },
      { speed: 1.5 },
      { language: "de-CH" },
      { direction: "a deep, slow voice" },
      { direction: "whispering" },
    ];
    const hashes = new Set([first.sha256]);
    for (const change of changes)
      hashes.add((await bench.make(worker, { ...wav, ...change })).sha256);
    t.equal(hashes.size, changes.length + 1);
  },
);

t.test("twice the speed takes about half the time", async (t) => {
  const [slow, fast] = await Promise.all(
    [0.8, 1.6].map((speed) => bench.make(worker, { ...plain, speed, format: "wav" })),
  );
  const share = (fast?.durationSeconds ?? 0) / (slow?.durationSeconds ?? 1);
  t.ok(share > 0.4 && share < 0.68, `${share}`);
});

t.test("text that looks like options or markup is only text", async (t) => {
  const text = "--path=/etc [[a]] <say-as interpret-as='x'>\u0001\u0005 -w /tmp/x";
  t.match(await bench.make(worker, { ...plain, text }), { mimeType: "audio/mpeg" });
});

t.test("what cannot be spoken is refused and names the field", async (t) => {
  for (const [change, message] of [
    [{ language: "tlh" }, "speech: /language tlh is not spoken by this model"],
    [{ voice: "nobody" }, /^speech: \/voice must be one of juniper, /],
    [{ speed: 3 }, /^speech: \/speed /],
    [{ text: "" }, /^speech: \/text /],
    [{ format: "aac" }, "speech: /format must be one of mp3, wav, flac, ogg"],
  ] as const)
    t.match(await bench.run(worker, { ...plain, ...change }), {
      kind: "failed",
      message,
      retryable: false,
    });
});

t.test("speech of any length is as loud: -16 LUFS", async (t) => {
  const long = `${plain.text} ${plain.text} ${plain.text}`;
  for (const text of ["Yes.", "Seven ships.", plain.text, long]) {
    const output = await bench.make(worker, { ...plain, text, format: "wav" });
    // The speech is repeated until there are enough blocks to measure.
    const said = await bench.hear(output.objectKey, "aloop=loop=20:size=220500,ebur128");
    const [, lufs = ""] = [...said.matchAll(/I:\s+(-?[\d.]+) LUFS/g)].at(-1) ?? [];
    t.ok(Math.abs(Number(lufs) + 16) < 1, `${text.length} letters: ${lufs} LUFS`);
  }
});
