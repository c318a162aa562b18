import t from "tap";
import { composition, isNear, openFilmBench, sees } from "../../render-farm/film-bench.ts";
import { squareFont } from "../../render-farm/square-font.ts";

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

/** Turns green where a text of ten letters is as wide as it should be. */
const measure = (id: number, family: string, letters: string, wanted: number) =>
  `<span id="s${id}" style="position:absolute;top:0;font:100px ${family}">${letters}</span>
  <div id="b${id}"
    style="position:absolute;left:${id * 40}px;top:80px;width:40px;height:40px"></div>
  <script>{
    const { width } = document.getElementById("s${id}").getBoundingClientRect();
    const isRight = Math.abs(width - ${wanted}) < 2;
    document.getElementById("b${id}").style.background = isRight ? "#0f0" : "#f00";
  }</script>`;

t.test("common families take the room that they take elsewhere, whatever is here", async (t) => {
  const root = [
    measure(0, "Arial", "m".repeat(10), 833),
    measure(1, "'Helvetica Neue', sans-serif", "m".repeat(10), 833),
    measure(2, "'Times New Roman'", "m".repeat(10), 778),
    measure(3, "'Courier New'", "i".repeat(10), 600),
    measure(4, "Georgia", "m".repeat(10), 880),
  ].join("");
  const film = await bench.film(composition(root), { target: "still", still: { frame: 0 } });
  t.strictSame(film.warnings, []);
  const places = [0, 1, 2, 3, 4].map((id) => [id * 40 + 20, 100] as const);
  sees(
    t,
    await bench.colorsAt(composition(root), 0, ...places),
    places.map(() => [0, 255, 0]),
  );
});

t.test("a family that nothing has is named, and so are letters", async (t) => {
  const root = `<p style="font-family:'Nowhere Sans',Arial">seen</p>
    <p style="font-family:Nothing">also</p><p style="font-family:Arial">\ue123 caf\u00e9</p>`;
  const film = await bench.film(composition(root), { target: "still", still: { frame: 0 } });
  t.strictSame(film.warnings, [
    "no font named Nowhere Sans is available; its text is shown in Arial",
    "no font named Nothing is available; its text is shown in another font",
    'no font here has the letters "\ue123"; they are shown as empty boxes',
  ]);
});

t.test("a family that the bundle brings itself is the bundle's", async (t) => {
  const face = "<style>@font-face{font-family:Arial;src:url(square.ttf)}</style>";
  const late = text("").replace("color:", "font-family:Arial;color:");
  const files = { ...composition(face + late), "square.ttf": font };
  sees(t, await bench.colorsAt(files, 0, [30, 20]), [white]);
});
