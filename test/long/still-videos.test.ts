import t from "tap";
import { composition, type Files, openFilmBench } from "../render-farm/film-bench.ts";

const bench = await openFilmBench(t, 1);

async function still(options: object, files: Files) {
  const film = await bench.film(files, { target: "still", still: options });
  return { film, bytes: await bench.readBytes(film.key) };
}

t.test("a page shows the pictures of a video that ffmpeg decodes", async (t) => {
  const coded = ["-c:v", "libx264", "-pix_fmt", "yuv420p", "-bf", "3", "-g", "40"];
  const colors = ["-colorspace", "bt709", "-color_range", "tv"];
  const source = ["-f", "lavfi", "-i", "testsrc=s=160x90:r=25:d=3"];
  const args = [...source, ...coded, ...colors, "-x264-params", "open-gop=1"];
  const counted = await bench.store("counted.mp4", "video/mp4", [...args, "-map", "0:v"]);
  // ffmpeg decides which of the two streams is meant.
  const twice = await bench.store("twice.mp4", "video/mp4", [
    ...args,
    "-map",
    "0:v",
    "-map",
    "0:v",
  ]);
  const show = (more: string, video: typeof counted) => ({
    ...composition(`<video src="counted.mp4" muted style="width:320px" ${more}></video>`),
    "counted.mp4": video,
  });
  for (const [more, frames] of [
    ['data-start="0" data-duration="1"', [0, 1, 15, 29]],
    ['data-start="0" data-duration="1" data-media-start="1.3"', [0, 9, 29]],
    ['data-start="0.2" data-duration="0.8" data-playback-rate="2.3"', [6, 18]],
    ['data-start="0" data-duration="1" data-media-start="2.5" loop', [14, 15, 29]],
    ['data-start="0" data-duration="1" data-media-start="2.5"', [15]],
  ] as const) {
    // Films are read one after the other, because stills of the same film share a browser.
    const stills = async (video: typeof counted) => {
      const made = [];
      for (const frame of frames) made.push(await still({ frame }, show(more, video)));
      return made;
    };
    const [pages, ffmpeg] = [await stills(counted), await stills(twice)];
    for (const [at, frame] of frames.entries()) {
      t.ok(ffmpeg[at] && pages[at]?.bytes.equals(ffmpeg[at].bytes), `${frame} of ${more}`);
      t.strictSame(pages[at]?.film.warnings, ffmpeg[at]?.film.warnings);
    }
  }
});
