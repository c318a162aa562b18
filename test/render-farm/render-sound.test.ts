/** Basic tests of a film's sound; `test/long/render/` has the rest. */
import t from "tap";
import { gainCurve } from "../../render-farm/render/encode/ducking.ts";
import { audio, openSoundBench } from "./sound-bench.ts";

const bench = await openSoundBench(t);
const { levels, soundFilm } = bench;

t.test("each sound begins, ends and is as loud as the timeline says", async (t) => {
  const plain = 'data-start="0.5" data-duration="1" data-volume="0.5"';
  const made = await soundFilm(audio("a", "low.wav", plain));
  const heard = await levels(made);
  t.equal(heard.length, 20);
  const sounding = heard.map((level) => level > -50);
  t.strictSame(sounding, [
    ...Array.from({ length: 5 }, () => false),
    ...Array.from({ length: 10 }, () => true),
    ...Array.from({ length: 5 }, () => false),
  ]);
  const full = await levels(
    await soundFilm(
      audio("a", "low.wav", plain.replace('0.5"', '0.5"').replace('data-volume="0.5"', "")),
    ),
  );
  const drop = (full[9] ?? 0) - (heard[9] ?? 0);
  t.ok(Math.abs(drop - 6) < 0.5, `half is ${drop} dB less`);
  const codecs = await bench.codecs(made.key);
  for (const line of ["codec_name=aac", "profile=LC", "sample_rate=48000", "channels=2"])
    t.ok(codecs.includes(line), line);
});

t.test("the curve of ducking falls with the attack and rises with the release", async (t) => {
  const loud = [
    ...Array.from({ length: 300 }, () => true),
    ...Array.from({ length: 700 }, () => false),
  ];
  const gains = gainCurve(loud, { enabled: true, amount_db: -20, attack_ms: 10, release_ms: 100 });
  const db = (at: number) => Math.round(20 * Math.log10(gains[at] ?? 1));
  t.strictSame([db(4), db(9), db(299), db(540), db(599), db(999)], [-10, -20, -20, -20, -10, 0]);
});

t.test(
  "D10: ducking leaves music as it is outside, and lowers it by the amount inside",
  async (t) => {
    const music = audio("m", "low.wav", 'data-start="0" data-duration="2" data-audio-role="music"');
    const narration = 'data-start="1" data-duration="1" data-audio-role="narration"';
    const voice = audio("n", "high.wav", narration);
    const ducking = { enabled: true, amount_db: -12, attack_ms: 20, release_ms: 100 };
    const hear = async (mix: object) =>
      levels(await soundFilm(music + voice, mix), "lowpass=f=400,lowpass=f=400,");
    const [plain, ducked] = [await hear({}), await hear({ ducking })];
    for (const [tenth, drop] of [
      [3, 0],
      [7, 0],
      [13, 12],
      [17, 12],
    ] as const) {
      const found = (plain[tenth] ?? 0) - (ducked[tenth] ?? 0);
      t.ok(Math.abs(found - drop) < 0.4, `${tenth}: ${found.toFixed(2)} dB of ${drop}`);
    }
  },
);

t.test("D10: a volume that changes with time is as loud as one that does not", async (t) => {
  const plain = 'data-start="0" data-duration="2" data-volume="0.5"';
  const script = `<script>
    const v = document.getElementById("a");
    window.__timelines = { main: { duration: () => 2, seek(seconds) {
      v.volume = seconds < 1 ? 0.5 : 0.25;
    } } };
  </script>`;
  const [fixed, moved] = [
    await levels(await soundFilm(audio("a", "low.wav", plain))),
    await levels(await soundFilm(audio("a", "low.wav", plain) + script)),
  ];
  for (const [tenth, drop] of [
    [4, 0],
    [15, 6],
  ] as const) {
    const found = (fixed[tenth] ?? 0) - (moved[tenth] ?? 0);
    t.ok(Math.abs(found - drop) < 0.4, `${tenth}: ${found.toFixed(2)} dB of ${drop}`);
  }
});
