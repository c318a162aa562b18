/** Pictures that the farm does not decode itself but leaves to Chromium. */
import t from "tap";
import { composition, openFilmBench, sees } from "./film-bench.ts";

const bench = await openFilmBench(t, 1);

/** A picture with quadrants of red, lime, blue and white. */
const avif = Buffer.from(
  "AAAAHGZ0eXBhdmlmAAAAAG1pZjFhdmlmbWlhZgAAAOptZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAAAAAAACJpbG9jAAAAAERAAAEAAQAAAAABDgABAAAAAAAAAMcAAAAjaWluZgAAAAAAAQAAABVpbmZlAgAAAAABAABhdjAxAAAAAA5waXRtAAAAAAABAAAAamlwcnAAAABLaXBjbwAAAAxhdjFDgSACAAAAABNjb2xybmNseAABAA0AAIAAAAAUaXNwZQAAAAAAAACgAAAAeAAAABBwaXhpAAAAAAMICAgAAAAXaXBtYQAAAAAAAAABAAEEgQIDBAAAAM9tZGF0EgAKCTgdp/uwgIaAEDK3ARAAAABLF8dKDLUyGTNloy/+D2qENE0cM1kpZofuBezLfy/Rnv4gRapojNUxIxco7Mf5kTdz/QrIBr8AR0TlxXcVfNnLNWRax0X8efY37QMQr7q/kexSSP+37VjSxU4F09lXRBK691JNlTiA8cqPBosDORDKsEL6zc2Ben9bbFWlE6veU0exCtoJNMKV59pjnCGsFn5YLMnM6PXQpOZf7nAXvBlqIDsJcdvfhOqf////////J+fz/Q==",
  "base64",
);
const image = (src: string, more = "") =>
  `<img id="i" class="clip" src="${src}" data-start="0" data-duration="1" ${more}
    style="position:absolute;left:0;top:0;width:320px;height:180px">`;
const quadrants = [
  [40, 40],
  [280, 40],
  [40, 140],
  [280, 140],
] as const;
const colors = [
  [255, 0, 0],
  [0, 255, 0],
  [0, 0, 255],
  [255, 255, 255],
] as const;

async function storeAvif() {
  const objectKey = "sources/q.avif";
  await bench.objects.put(objectKey, [avif]);
  return { objectKey, mimeType: "image/avif" };
}

t.test("D12: a film shows AVIF as a still does", async (t) => {
  const files = {
    ...composition(image("q.avif")),
    "q.avif": await storeAvif(),
  };
  sees(t, await (await bench.film(files)).pixels(15, ...quadrants), colors);
  sees(t, await bench.colorsAt(files, 15, ...quadrants), colors);
});

t.test("D12: a picture of 108 megapixels is shown", async (t) => {
  const source = ["-f", "lavfi", "-i", "color=red:s=12000x9000:d=1:r=1", "-frames:v", "1"];
  const jpeg = await bench.store("huge.jpg", "image/jpeg", [...source, "-c:v", "mjpeg"]);
  const film = await bench.film({ ...composition(image("huge.jpg")), "huge.jpg": jpeg });
  sees(t, await film.pixels(15, [160, 90]), [[255, 0, 0]]);
});

t.test("D12: one that cannot be graded is named", async (t) => {
  const grade = `data-color-grading='{"adjust":{"exposure":0.5}}'`;
  const files = {
    ...composition(image("q.avif", grade)),
    "q.avif": await storeAvif(),
  };
  const failure = await bench.fail(files);
  t.match(failure, /^invalid_composition: q\.avif cannot be graded: .*[^.]$/);
});
