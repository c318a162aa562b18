import { execFileSync } from "node:child_process";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { FencedScript } from "../../render-farm/fence/script.ts";
import { findTool } from "../../render-farm/programs/find-tool.ts";
import { packetBounds, readPackets } from "../../render-farm/render/videos/coded-pictures.ts";
import { raiseFence, searchPath } from "./fenced.ts";

const { programs } = await raiseFence(t);
const folder = t.testdir();
const path = join(folder, "film.mp4");
const source = ["-f", "lavfi", "-i", "testsrc2=s=160x120:r=30:d=2"];
const coded = ["-c:v", "libx264", "-pix_fmt", "yuv420p", "-g", "15", "-bf", "2"];
execFileSync(await findTool(undefined, "ffmpeg", searchPath), [
  "-v",
  "error",
  ...source,
  ...coded,
  path,
]);

t.test(
  "a picture is found from its key frame on, and by a program that opens no file",
  async (t) => {
    const script = new FencedScript(programs.packets(undefined, packetBounds));
    t.teardown(() => script.close());
    const found = await readPackets(script, { path, sizeBytes: statSync(path).size }, 1.3);
    t.match(found?.coded, { codec: /^avc1\./, shownUs: 1_300_000 });
    t.match(found?.coded.packets[0], { timeUs: 1_000_000 });
    const length = found?.coded.packets.reduce((sum, packet) => sum + packet.length, 0) ?? 0;
    t.equal(found?.bytes.length, length + (found?.coded.description ?? 0));
  },
);

t.test("a file whose tables lie costs its own answer, not the farm (B3)", async (t) => {
  const script = new FencedScript(programs.packets(undefined, packetBounds));
  t.teardown(() => script.close());
  const whole = readFileSync(path);
  const liar = join(folder, "liar.mp4");
  for (const box of ["stsz", "stco", "stts", "ctts", "stsc", "stss"]) {
    const bytes = Buffer.from(whole);
    // Overwrites the count of the box's entries.
    bytes.writeUInt32BE(0x7fff_ffff, bytes.indexOf(box) + (box === "stsz" ? 12 : 8));
    writeFileSync(liar, bytes);
    await readPackets(script, { path: liar, sizeBytes: bytes.length }, 1).catch(() => undefined);
  }
  t.ok(await readPackets(script, { path, sizeBytes: whole.length }, 1), "the next is read");
});
