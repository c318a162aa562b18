import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { effectiveTimeline } from "../../timeline/timeline.ts";
import { type Files, openFilmBench } from "./film-bench.ts";

const bench = await openFilmBench(t, 1);
const examples = join(import.meta.dirname, "../../../examples");
const types: Readonly<Record<string, string>> = { mp4: "video/mp4", mp3: "audio/mpeg" };

async function readFiles(name: string): Promise<Files> {
  const folder = join(examples, name);
  const files = readdirSync(folder).map(async (path) => {
    const mimeType = types[path.slice(path.lastIndexOf(".") + 1)];
    const bytes = readFileSync(join(folder, path));
    if (mimeType === undefined) return [path, bytes.toString("utf8")] as const;
    const objectKey = `examples/${name}/${path}`;
    await bench.objects.put(objectKey, [bytes]);
    return [path, { objectKey, mimeType }] as const;
  });
  return Object.fromEntries(await Promise.all(files));
}

t.test("the examples are without fault, and something is to be seen in each", async (t) => {
  for (const name of readdirSync(examples).filter((name) => name !== "providers")) {
    const files = await readFiles(name);
    const timeline = effectiveTimeline({
      entry: "index.html",
      has: (path) => path in files,
      read: (path) => (typeof files[path] === "string" ? files[path] : undefined),
    });
    t.strictSame(timeline.diagnostics, [], name);
    const still = { atSeconds: (timeline.duration ?? 0) / 2, maxDimension: 320 };
    const film = await bench.film(files, { target: "still", still });
    t.strictSame(film.warnings, [], name);
    const gray = await bench.look(film.key, ["-f", "rawvideo", "-pix_fmt", "gray"]);
    t.ok(new Set(gray).size > 40, `${name} has ${new Set(gray).size} shades`);
  }
});
