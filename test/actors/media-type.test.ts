import t from "tap";
import { detectMediaType } from "../../actors/asset/media-type.ts";

const hex = (text: string) => Buffer.from(text.replaceAll(" ", ""), "hex");
const box = (brand: string) => Buffer.from(`\u0000\u0000\u0000\u0018ftyp${brand}`, "latin1");

for (const [name, bytes, type] of [
  ["PNG", hex("89504e470d0a1a0a 0000000d"), "image/png"],
  ["JPEG", hex("ffd8ffe0 00104a46"), "image/jpeg"],
  ["WebP", Buffer.from("RIFF\u0004\u0000\u0000\u0000WEBPVP8 ", "latin1"), "image/webp"],
  ["GIF", Buffer.from("GIF89a"), "image/gif"],
  ["MP4", box("isom"), "video/mp4"],
  ["QuickTime", box("qt  "), "video/quicktime"],
  ["old QuickTime", Buffer.from("\u0000\u0000\u0000\u0008wide", "latin1"), "video/quicktime"],
  ["M4A", box("M4A "), "audio/mp4"],
  ["WebM", hex("1a45dfa3 9f 4282 84 7765626d"), "video/webm"],
  ["WAV", Buffer.from("RIFF\u0024\u0000\u0000\u0000WAVEfmt ", "latin1"), "audio/wav"],
  ["MP3 with a tag", Buffer.from("ID3\u0004\u0000", "latin1"), "audio/mpeg"],
  ["Ogg", Buffer.from("OggS\u0000", "latin1"), "audio/ogg"],
  ["FLAC", Buffer.from("fLaC"), "audio/flac"],
  ["GLB", Buffer.from("glTF\u0002\u0000\u0000\u0000", "latin1"), "model/gltf-binary"],
  ["glTF", Buffer.from('{"asset": {"version": "2.0"}}'), "model/gltf+json"],
  ["WOFF2", Buffer.from("wOF2"), "font/woff2"],
  ["TTF", hex("00010000 000c"), "font/ttf"],
] as const)
  t.test(`${name} is told from its bytes`, async (t) => {
    t.equal(detectMediaType(bytes), type);
    t.equal(detectMediaType(bytes, "wrong.svg"), type);
  });

t.test("MP3 without a tag is two frames, one where the other says that it ends", async (t) => {
  const frame = Buffer.alloc(417);
  frame.set(hex("fffb9000"));
  t.equal(detectMediaType(Buffer.concat([frame, frame])), "audio/mpeg");
  t.equal(detectMediaType(Buffer.concat([frame, Buffer.alloc(417)])), undefined);
});

t.test("a look-up table shows itself only under its own name", async (t) => {
  const table = Buffer.from('# made by hand\nTITLE "warm"\nLUT_3D_SIZE 2\n0 0 0\n');
  t.equal(detectMediaType(table, "Warm.CUBE"), "application/octet-stream");
  t.equal(detectMediaType(table, "warm.txt"), undefined);
  t.equal(detectMediaType(Buffer.from("hello"), "warm.cube"), undefined);
});

t.test("SVG, HTML, Matroska, HEIC, text and nothing are no accepted type", async (t) => {
  for (const bytes of [
    Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
    Buffer.from('<?xml version="1.0"?><svg/>'),
    Buffer.from("<!doctype html>"),
    hex("1a45dfa3 a3 4282 88 6d6174726f736b61"),
    box("heic"),
    Buffer.from("#EXTM3U"),
    Buffer.from('{"name": "x"}'),
    Buffer.alloc(0),
  ])
    t.equal(detectMediaType(bytes, "a.png"), undefined);
});
