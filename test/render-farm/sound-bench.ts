/** Films with two tones, and a film's loudness from one tenth of a second to the next. */
import { composition, type Film, type FilmBench, openFilmBench } from "./film-bench.ts";

export interface SoundBench extends FilmBench {
  /** Films two seconds of a page with the tones `low.wav` (200 Hz) and `high.wav` (2 kHz). */
  soundFilm(root: string, audioMix?: object): Promise<Film>;
  /** Returns the level of each tenth of a second in dB; of one band of frequencies if named. */
  levels(film: Film, band?: string): Promise<readonly number[]>;
}

export const ground = '<div class="clip" data-start="0" data-duration="9" style="inset:0"></div>';

export const audio = (id: string, src: string, more: string) =>
  `<audio id="${id}" src="${src}" ${more}></audio>`;

export async function openSoundBench(t: Parameters<typeof openFilmBench>[0]): Promise<SoundBench> {
  const bench = await openFilmBench(t, 1);
  const tone = (name: string, hertz: number) =>
    bench.store(name, "audio/wav", [
      ...["-f", "lavfi", "-i", `sine=frequency=${hertz}:duration=4:sample_rate=48000`],
      ...["-af", "volume=12dB", "-ac", "2"],
    ]);
  const tones = {
    "low.wav": await tone("low.wav", 200),
    "high.wav": await tone("high.wav", 2_000),
  };
  return {
    ...bench,
    soundFilm(root, audioMix) {
      const all = { ...composition(root + ground, 'data-duration="2"'), ...tones };
      return bench.film(all, audioMix && { audioMix });
    },
    async levels(film, band = "") {
      const args = ["-af", `${band}aresample=8000`, "-ac", "1", "-f", "f32le"];
      const bytes = await bench.look(film.key, args);
      const values = new Float32Array(bytes.buffer, bytes.byteOffset, Math.floor(bytes.length / 4));
      return Array.from({ length: Math.floor(values.length / 800) }, (_, at) => {
        const part = values.subarray(at * 800, (at + 1) * 800);
        const mean = part.reduce((sum, value) => sum + value * value, 0) / part.length;
        return 10 * Math.log10(mean + 1e-12);
      });
    },
  };
}
