import t from "tap";
import { composition } from "../../render-farm/film-bench.ts";
import { audio, ground, openSoundBench } from "../../render-farm/sound-bench.ts";

const bench = await openSoundBench(t);
const { levels, soundFilm } = bench;

t.test("data-media-end ends a sound before its slot", async (t) => {
  const made = await soundFilm(audio("a", "low.wav", 'data-start="0.5" data-media-end="0.8"'));
  const heard = (await levels(made)).map((level) => (level > -50 ? "#" : "."));
  t.equal(heard.join(""), ".....########.......");
});

t.test("roles have their gains, the master has its own", async (t) => {
  const root = audio("a", "low.wav", 'data-start="0" data-audio-role="sfx"');
  const plain = (await levels(await soundFilm(root)))[5] ?? 0;
  const mixed = await soundFilm(root, { sfx_gain_db: -10, music_gain_db: -60, master_gain_db: -5 });
  const drop = plain - ((await levels(mixed))[5] ?? 0);
  t.ok(Math.abs(drop - 15) < 0.5, `${drop} dB`);
});

t.test("a looped sound begins again where it was entered", async (t) => {
  const late = await bench.store("late.wav", "audio/wav", [
    ...["-f", "lavfi", "-i", "sine=frequency=200:duration=1:sample_rate=48000"],
    ...["-af", "volume=12dB,volume=0:enable='lt(t,0.5)'", "-ac", "2"],
  ]);
  const hear = async (more: string): Promise<string> => {
    const root = audio("a", "late.wav", `data-start="0" data-duration="2" loop ${more}`);
    const page = composition(root + ground, 'data-duration="2"');
    const all = await levels(await bench.film({ ...page, "late.wav": late }));
    return all.map((level) => (level > -30 ? "#" : ".")).join("");
  };
  t.equal(await hear(""), ".....#####.....#####");
  t.match(await hear('data-media-start="0.2"'), /^[.]{3}#####[.]{3}#####[.]{3}#$/);
});

t.test("a clip's sound comes and goes over its fades, in straight lines", async (t) => {
  const times = 'data-start="0.2" data-duration="1.6"';
  const plain = await levels(await soundFilm(audio("a", "low.wav", times)));
  const fades = 'data-fade-in="0.8" data-fade-out="0.4"';
  const faded = await levels(await soundFilm(audio("a", "low.wav", `${times} ${fades}`)));
  const gain = (at: number): number => 10 ** (((faded[at] ?? 0) - (plain[at] ?? 0)) / 20);
  for (const [at, wanted] of [
    [3, 0.19],
    [5, 0.44],
    [8, 0.81],
    [11, 1],
    [13, 1],
    [15, 0.63],
    [17, 0.14],
  ] as const)
    t.ok(Math.abs(gain(at) - wanted) < 0.04, `${at}: ${gain(at)} is ${wanted}`);
  const long = 'data-fade-in="4.8" data-fade-out="1.6"';
  const shared = await levels(await soundFilm(audio("a", "low.wav", `${times} ${long}`)));
  const peak = shared.indexOf(Math.max(...shared));
  t.ok(peak === 13 || peak === 14, `three quarters of the clip come: ${peak}`);
});

t.test("a single channel sounds on both sides as loud as it is", async (t) => {
  const args = ["-f", "lavfi", "-i", "sine=frequency=200:duration=2", "-ac", "1"];
  const mono = await bench.store("mono.wav", "audio/wav", args);
  const peak = /max_volume: (-?[\d.]+)/;
  const before = Number(peak.exec(await bench.hear(mono.objectKey, "volumedetect"))?.[1]);
  const root = audio("a", "mono.wav", 'data-start="0"');
  const all = { ...composition(root + ground, 'data-duration="1"'), "mono.wav": mono };
  const made = await bench.film(all);
  const after = Number(peak.exec(await bench.hear(made.key, "volumedetect"))?.[1]);
  t.ok(Math.abs(before - after) < 1, `${before} dB, ${after} dB`);
});

t.test("a timeline may animate the volume", async (t) => {
  const script = `<script>
    const sound = document.getElementById("a");
    window.__timelines = { main: { duration: () => 2, seek(seconds) {
      sound.volume = seconds < 1 ? 1 : 0.1;
    } } };</script>`;
  const heard = await levels(await soundFilm(audio("a", "low.wav", 'data-start="0"') + script));
  const drop = (heard[5] ?? 0) - (heard[15] ?? 0);
  t.ok(Math.abs(drop - 20) < 1, `${drop} dB`);
});

t.test("music gives way while narration sounds", async (t) => {
  const root =
    audio("m", "low.wav", 'data-start="0"') +
    audio("n", "high.wav", 'data-start="0.7" data-duration="0.5" data-audio-role="narration"');
  const ducking = { enabled: true, amount_db: -20, attack_ms: 20, release_ms: 100 };
  const heard = await levels(
    await soundFilm(root, { ducking }),
    "lowpass=f=400:p=2,lowpass=f=400:p=2,",
  );
  const before = heard[4] ?? 0;
  t.ok(Math.abs(before - (heard[9] ?? 0) - 20) < 2, `${heard}`);
  t.ok(Math.abs(before - (heard[18] ?? 0)) < 1, `it comes back: ${heard}`);
});

t.test("loudness, fades and silence are as asked for", async (t) => {
  const root = audio("a", "low.wav", 'data-start="0"');
  const level = await soundFilm(root, { loudness_lufs: -20 });
  const said = await bench.hear(level.key, "ebur128");
  const found = Number(/Integrated loudness:\s+I:\s+(-?[\d.]+)/.exec(said)?.[1]);
  t.ok(Math.abs(found + 20) < 1, `${found} LUFS`);
  const faded = await levels(await soundFilm(root, { fade_in_seconds: 1, fade_out_seconds: 0.5 }));
  t.ok((faded[0] ?? 0) < (faded[5] ?? 0) - 5 && (faded[5] ?? 0) < (faded[12] ?? 0), `${faded}`);
  t.ok((faded[19] ?? 0) < (faded[12] ?? 0) - 10, `${faded}`);
  const mute = await soundFilm(root, { mute: true });
  t.equal(mute.outcome.outputs[0]?.hasAudio, false);
});

t.test("with a loudness no true peak is above -1 dBTP", async (t) => {
  const beats = await bench.store("beats.wav", "audio/wav", [
    ...["-f", "lavfi", "-i", "aevalsrc='0.9*sin(2*PI*440*t)*lt(mod(t,0.5),0.05)':d=2:s=48000"],
    ...["-ac", "2"],
  ]);
  const root = audio("a", "beats.wav", 'data-start="0"') + ground;
  const page = { ...composition(root, 'data-duration="2"'), "beats.wav": beats };
  const made = await bench.film(page, { audioMix: { loudness_lufs: -10 } });
  const said = await bench.hear(made.key, "ebur128=peak=true");
  const peak = Number(/True peak:\s+Peak:\s+(-?[\d.]+)/.exec(said)?.[1]);
  t.ok(peak > -6 && peak < -0.5, `${peak} dBTP, where AAC may add half a decibel`);
});

t.test("no audio stream when nothing sounds", async (t) => {
  for (const more of ['data-start="0" muted', 'data-start="0" data-volume="0"', 'data-start="3"']) {
    const silent = await soundFilm(audio("a", "low.wav", more));
    t.equal(silent.outcome.outputs[0]?.hasAudio, false, more);
  }
});
