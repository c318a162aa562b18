import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { Klieg } from "../../clients/typescript/src/klieg.ts";
import { createZip } from "../spec/zip-archive.ts";
import { runCommand } from "./run-command.ts";
import { json, standIn } from "./stand-in.ts";

const id = "01990000-0000-7000-8000-000000000001";
const manifest = (origin: string, path = "media/0001-sea.mp4") => ({
  duration_frames: 300,
  frame_rate: 30,
  warnings: ["element#title is drawn by the page"],
  media: [
    { ref: "sea.mp4", path, url: `${origin}/objects/sea`, expires_at: "" },
    { ref: "asset:x", path: "media/0002-x.png", url: null, expires_at: null },
  ],
});

async function run(t: Test, args: readonly string[], path?: string) {
  const folder = t.testdir({ film: { "index.html": "<p>", "sea.mp4": "a film" }, out: {} });
  const { origin, asked } = await standIn(t, {
    "POST /v1/compositions": [json(201, { id })],
    [`POST /v1/compositions/${id}/bundle`]: [json(200, { id })],
    [`GET /v1/compositions/${id}/export`]: [
      (response) => {
        const listed = JSON.stringify(manifest(origin, path));
        const entries = [{ name: "README.txt" }, { name: "manifest.json", bytes: listed }];
        response.writeHead(200).end(createZip(entries));
      },
    ],
    "GET /objects/sea": [(response) => response.writeHead(200).end("a film")],
  });
  const output = join(folder, "out", "sea.zip");
  const given = args.map((arg) =>
    arg.replace("FOLDER", join(folder, "film")).replace("OUT", output),
  );
  const ended = await runCommand(["export", ...given], {
    client: async () => new Klieg({ url: origin, token: "x", surface: "cli" }),
  });
  return { ...ended, asked, output, folder };
}

t.test("klieg export saves the archive of a composition and names what it lacks", async (t) => {
  const { code, out, said, output, asked } = await run(t, [id, "--format", "fcpxml", "-o", "OUT"]);
  t.equal(code, 0, said.join(""));
  t.match(readFileSync(output).toString("latin1"), /^PK/);
  t.strictSame(out, [`${output}  10 s, 2 media files, 1 warning, 1 KiB`]);
  t.strictSame(said, ["warning: element#title is drawn by the page\n"]);
  t.strictSame(
    asked.map(({ route }) => route),
    [`GET /v1/compositions/${id}/export`],
  );
});

t.test("--with-media saves the media beside the archive, with a line of progress", async (t) => {
  const args = [id, "--format", "aejsx", "-o", "OUT", "--with-media"];
  const { code, said, folder } = await run(t, args);
  t.equal(code, 0, said.join(""));
  t.equal(readFileSync(join(folder, "out/media/0001-sea.mp4"), "utf8"), "a film");
  t.notOk(existsSync(join(folder, "out/media/0002-x.png")));
  t.strictSame(said.slice(1), [
    "running: 1 of 2 files: media/0001-sea.mp4\n",
    "running: 2 of 2 files: media/0002-x.png\n",
    "warning: asset:x has no link and was not saved\n",
  ]);
});

t.test("of a folder it makes a composition first", async (t) => {
  const { code, said, asked } = await run(t, ["FOLDER", "--format", "fcpxml", "-o", "OUT"]);
  t.equal(code, 0, said.join(""));
  t.strictSame(
    asked.map(({ route }) => route),
    [
      "POST /v1/compositions",
      `POST /v1/compositions/${id}/bundle`,
      `GET /v1/compositions/${id}/export`,
    ],
  );
});

t.test("nothing is written outside of media/, whatever a manifest says", async (t) => {
  const args = [id, "--format", "fcpxml", "-o", "OUT", "--with-media"];
  const { code, said, folder } = await run(t, args, "../evil");
  t.equal(code, 1);
  t.match(said.join(""), "Nothing can be saved at ../evil.");
  t.notOk(existsSync(join(folder, "evil")));
});

t.test("a wrong format and what is no composition are said before anything is asked", async (t) => {
  for (const [args, sentence, code] of [
    [[id], "Choose a format with --format: one of fcpxml, aejsx.", 2],
    [[id, "--format", "otio"], '--format is "otio"; set it to one of fcpxml, aejsx.', 2],
    [
      ["nothing", "--format", "aejsx"],
      "nothing is neither a folder nor the id of a composition",
      1,
    ],
  ] as const) {
    const { said, asked, ...rest } = await run(t, args);
    t.equal(rest.code, code);
    t.match(said.join(""), sentence);
    t.strictSame(asked, []);
  }
});
