import t from "tap";
import { composition, isNear, openFilmBench } from "./film-bench.ts";
import { squareFont } from "./square-font.ts";

const bench = await openFilmBench(t);
await bench.objects.put("sources/square.ttf", [squareFont("Square")]);
const font = { objectKey: "sources/square.ttf", mimeType: "font/ttf" };
const white = [255, 255, 255] as const;
const ground = [32, 64, 96] as const;
const text = (more: string) =>
  `<p id="p" style="position:absolute;left:0;top:0;margin:0;font-size:60px;line-height:60px;
    color:#fff" ${more}>.</p>`;

t.test("a font that is first used late is there in its first frame", async (t) => {
  const face = "<style>@font-face{font-family:Square;src:url(square.ttf)}</style>";
  const late = text('class="clip" data-start="1" data-duration="1"').replace(
    "color:",
    "font-family:Square;color:",
  );
  for (const quality of ["fast", "standard", "high"]) {
    const files = { ...composition(face + late, 'data-duration="2.2"'), "square.ttf": font };
    const film = await bench.film(files, { quality });
    t.strictSame(film.warnings, []);
    for (const [frame, wanted] of [
      [29, ground],
      [30, white],
      [31, white],
    ] as const) {
      const [pixel] = await film.pixels(frame, [30, 20]);
      t.ok(isNear(pixel, wanted), `${quality} ${frame}: ${pixel} is ${wanted}`);
    }
  }
});

t.test("a font that a script adds late is there in the next frame", async (t) => {
  const script = `<script>
    setTimeout(async () => {
      const face = new FontFace("Added", "url(square.ttf)");
      document.fonts.add(await face.load());
      document.getElementById("p").style.fontFamily = "Added";
    }, 1000);</script>`;
  const files = { ...composition(text("") + script, 'data-duration="2.2"'), "square.ttf": font };
  for (const quality of ["standard", "high"]) {
    const film = await bench.film(files, { quality });
    t.strictSame(film.warnings, []);
    for (const [frame, wanted] of [
      [29, ground],
      [31, white],
      [32, white],
    ] as const) {
      const [pixel] = await film.pixels(frame, [30, 20]);
      t.ok(isNear(pixel, wanted), `${film.details["capture"]} ${frame}: ${pixel} is ${wanted}`);
    }
  }
});
