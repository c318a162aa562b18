import t from "tap";
import { studioMatte } from "../../../render-farm/models/studio-matte.ts";
import { openMediaBench } from "../../render-farm/media-bench.ts";

const bench = await openMediaBench(t);
const worker = studioMatte(bench.workspaces, bench.objects, 600_000);
const [width, height] = [160, 90];
/** Arguments for a red box that moves over a backdrop, with sound. */
const over = (backdrop: string) => [
  ...["-f", "lavfi", "-i", backdrop],
  ...["-f", "lavfi", "-i", "color=c=0xc02020:s=24x40:r=10:d=2"],
  ...["-f", "lavfi", "-i", "sine=440:duration=2"],
  ...["-filter_complex", "[0:v][1:v]overlay=x='10+60*t':y=24:shortest=1,noise=alls=3:allf=t[v]"],
  ...["-map", "[v]", "-map", "2:a", "-c:v", "libx264", "-crf", "12", "-pix_fmt", "yuv420p"],
  ...["-c:a", "aac", "-shortest"],
];
const size = `s=${width}x${height}:r=10:d=2`;
const green = await bench.store("green.mp4", "video/mp4", over(`color=c=0x1fa545:${size}`));
const white = await bench.store("white.mp4", "video/mp4", over(`color=c=0xf0f0f0:${size}`));
const ripples = `nullsrc=${size},geq=lum='128+60*sin(X/6)*cos(Y/9)':cb=140:cr=110`;
const scene = await bench.store("scene.mp4", "video/mp4", over(ripples));

/** Measures how much of the frame at one second is opaque inside and outside the box. */
async function opacity(key: string, decoder: readonly string[] = []) {
  const alpha = ["-vf", "select=eq(n\\,10),format=yuva444p,alphaextract,format=gray"];
  const frame = ["-frames:v", "1", "-f", "rawvideo"];
  const pixels = await bench.look(key, [...alpha, ...frame], decoder);
  let [inside, outside] = [0, 0];
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const isInside = x > 73 && x < 91 && y > 28 && y < 60;
      const isFarOutside = x < 52 || x > 108 || y < 16 || y > 72;
      const isOpaque = (pixels[y * width + x] ?? 0) > 200;
      if (isInside && isOpaque) inside++;
      if (isFarOutside && isOpaque) outside++;
    }
  return { inside: inside / (17 * 31), outside: outside / (width * height) };
}

t.test("a coloured screen, a white wall and a still scene are taken away", async (t) => {
  for (const [name, source] of Object.entries({ green, white, scene })) {
    const input = { source, background: "transparent", format: "mov" };
    const output = await bench.make(worker, input);
    t.match(output, { mimeType: "video/quicktime", width, height, hasAudio: true, frameRate: 10 });
    const { inside, outside } = await opacity(output.objectKey);
    t.ok(inside > 0.93, `${name}: ${inside} of the subject stays`);
    t.ok(outside < 0.03, `${name}: ${outside} of the background stays`);
  }
});

t.test("WebM is VP9 with transparency, and its sound in a codec that it takes", async (t) => {
  const input = { source: green, background: "transparent", format: "webm" };
  const output = await bench.make(worker, input);
  t.match(output, { mimeType: "video/webm", width, height, hasAudio: true });
  const codecs = await bench.codecs(output.objectKey);
  for (const line of ["codec_name=vp9", "codec_name=opus", "TAG:alpha_mode=1"])
    t.ok(codecs.toLowerCase().includes(line.toLowerCase()), line);
  const { inside, outside } = await opacity(output.objectKey, ["-c:v", "libvpx-vp9"]);
  t.ok(inside > 0.93 && outside < 0.03, `inside ${inside}, outside ${outside}`);
});

t.test("MP4 shows the subject over the colour, with its sound unchanged", async (t) => {
  const input = { source: green, background: "color", color: "#3050c0", format: "mp4" };
  const output = await bench.make(worker, input);
  const frame = [
    "-vf",
    "select=eq(n\\,10)",
    "-frames:v",
    "1",
    "-f",
    "rawvideo",
    "-pix_fmt",
    "rgb24",
  ];
  const pixels = await bench.look(output.objectKey, frame);
  const at = (x: number, y: number) => [
    ...pixels.subarray((y * width + x) * 3, (y * width + x) * 3 + 3),
  ];
  const [red = 0, , blue = 0] = at(80, 44);
  t.ok(red > 150 && blue < 80, `the box: ${at(80, 44)}`);
  const distance = at(10, 80).map((value, i) => Math.abs(value - ([0x30, 0x50, 0xc0][i] ?? 0)));
  t.ok(Math.max(...distance) < 12, `the sheet: ${at(10, 80)}`);
  const sound = ["-map", "0:a", "-c", "copy", "-f", "adts"];
  const before = await bench.look(green.objectKey, sound);
  t.ok((await bench.look(output.objectKey, sound)).equals(before), "the sound's packets");
});

t.test("what contradicts itself is refused and names the field", async (t) => {
  const mp4 = { source: green, background: "transparent", format: "mp4" };
  t.match(await bench.run(worker, mp4), {
    kind: "failed",
    message: "matte: /format mp4 cannot be transparent; ask for webm or mov",
    retryable: false,
  });
  const plain = { source: green, background: "color", format: "mp4" };
  t.match(await bench.run(worker, plain), { message: "matte: /color is required with a color" });
  const color = { ...plain, color: "red" };
  t.match(await bench.run(worker, color), { message: /^matte: \/color / });
});

t.test("a picture is no video", async (t) => {
  const source = await bench.store("a.png", "video/mp4", [
    "-f",
    "lavfi",
    "-i",
    "testsrc=size=64x64",
    "-frames:v",
    "1",
  ]);
  t.match(await bench.run(worker, { source, background: "transparent", format: "mov" }), {
    kind: "failed",
    message: "The source is not a video.",
    retryable: false,
  });
});

t.test("a subject on a screen keeps its own colours", async (t) => {
  const yellow = over(`color=c=0x1fa545:${size}`).map((word) =>
    word.replace("0xc02020", "0xb8c030"),
  );
  const source = await bench.store("yellow.mp4", "video/mp4", yellow);
  const output = await bench.make(worker, { source, background: "transparent", format: "mov" });
  const frame = ["-vf", "select=eq(n\\,10),format=rgba", "-frames:v", "1", "-f", "rawvideo"];
  const pixels = await bench.look(output.objectKey, frame);
  const [red = 0, green = 0, blue = 0, alpha] = pixels.subarray(4 * (44 * width + 82));
  t.equal(alpha, 255);
  const isOwn =
    Math.abs(red - 0xb8) < 14 && Math.abs(green - 0xc0) < 14 && Math.abs(blue - 0x30) < 20;
  t.ok(isOwn, `${red}, ${green}, ${blue}`);
});

t.test("a background that moves is a warning, one that stands still is not", async (t) => {
  const moving = `nullsrc=${size},geq=lum='128+80*sin((X+60*T)/9)*cos((Y+40*T)/9)':cb=140:cr=110`;
  const panned = await bench.store("panned.mp4", "video/mp4", over(moving));
  for (const [source, warnings] of [
    [panned, [/^the background moves or its light changes/]],
    [scene, []],
    [green, []],
  ] as const) {
    const input = { source, background: "transparent", format: "webm" };
    t.match(await bench.run(worker, input), { kind: "succeeded", warnings });
  }
});
