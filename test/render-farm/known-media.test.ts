import { join } from "node:path";
import t from "tap";
import { PortError } from "../../engine/ports/port-error.ts";
import type { MediaTools } from "../../render-farm/programs/media-tools.ts";
import { KnownMedia } from "../../render-farm/render/inputs/known-media.ts";

const sound = { streams: [{ codec_type: "audio", codec_name: "aac" }], format: { duration: "2" } };
const { signal } = new AbortController();

/** Media tools that answer every question about a file with the next of `answers`. */
function toolsSaying(answers: readonly (object | PortError)[]): MediaTools & { asked: number } {
  const neverCalled = () => {
    throw new Error("nothing is made");
  };
  const tools = {
    asked: 0,
    ffmpeg: neverCalled,
    stream: neverCalled,
    output: neverCalled,
    espeak: neverCalled,
    async ffprobe(): Promise<Buffer> {
      const answer = answers[tools.asked++];
      if (answer instanceof PortError) throw answer;
      return Buffer.from(JSON.stringify(answer));
    },
  };
  return tools;
}

const folder = t.testdir({ one: "the same", copy: "the same", two: "another" });

function file(name: string) {
  return { path: join(folder, name), mimeType: "audio/mp4", sizeBytes: 9, version: name };
}

t.test("media of equal bytes are looked into once", async (t) => {
  const tools = toolsSaying([sound, sound]);
  const known = new KnownMedia();
  t.match(await known.look(tools, file("one"), signal), { recording: { durationSeconds: 2 } });
  t.match(await known.look(tools, file("one"), signal), { recording: { durationSeconds: 2 } });
  t.match(await known.look(tools, file("copy"), signal), { recording: { durationSeconds: 2 } });
  t.equal(tools.asked, 1);
  await known.look(tools, file("two"), signal);
  t.equal(tools.asked, 2);
});

t.test("a look that failed is tried again", async (t) => {
  const tools = toolsSaying([new PortError("the tool was killed", true), sound]);
  const known = new KnownMedia();
  await t.rejects(known.look(tools, file("one"), signal), { message: "the tool was killed" });
  t.match(await known.look(tools, file("one"), signal), { recording: { durationSeconds: 2 } });
});
