import { link, mkdir, realpath, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import t, { type Test } from "tap";
import { FolderSource } from "../../cli/preview/folder-source.ts";
import { readFolder } from "../../cli/preview/read-folder.ts";
import { limits } from "../../config/limits.ts";
import { ports, root } from "./opened-folder.ts";

async function read(folder: string) {
  const place = await realpath(folder);
  const found = await readFolder(place);
  return { place, found, source: new FolderSource(place, found, ports.check) };
}

const paths = ({ files }: { readonly files: readonly { readonly path: string }[] }) =>
  files.map(({ path }) => path).sort();

async function getBytes(source: FolderSource, key: string, start: number, end: number) {
  const chunks: Uint8Array[] = [];
  for await (const chunk of source.objects.read(key, { start, end })) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

t.test("its files are those of a bundle: nothing hidden, no node_modules", async (t) => {
  const folder = t.testdir({
    "index.html": root(""),
    ".env": "secret",
    ".git": { config: "x" },
    node_modules: { a: { "index.js": "x" } },
    media: { "a b.png": "12345", ".hidden.png": "x" },
  });
  const { found, source } = await read(folder);
  t.strictSame(paths(found), ["index.html", "media/a b.png"]);
  t.equal(found.fault, undefined);
  t.equal(found.folders.length, 2);
  t.equal(await getBytes(source, "media/a b.png", 1, 4), "234");
  await t.rejects(getBytes(source, ".env", 0, 1), /not in the folder/);
  await t.rejects(getBytes(source, "../x", 0, 1), /not in the folder/);
});

t.test("links are followed inside the folder, and left out where they lead out", async (t) => {
  const folder = t.testdir({
    outside: { "secret.txt": "secret", deep: { "a.txt": "secret" } },
    film: { "index.html": root(""), real: { "a.png": "picture" } },
  });
  const film = join(folder, "film");
  await symlink("real/a.png", join(film, "inside.png"));
  await symlink("real", join(film, "again"));
  await symlink("../outside/secret.txt", join(film, "secret.txt"));
  await symlink("../outside", join(film, "outside"));
  await symlink("/etc/hostname", join(film, "absolute.txt"));
  const { found, source } = await read(film);
  t.strictSame(paths(found), ["again/a.png", "index.html", "inside.png", "real/a.png"]);
  t.strictSame([...found.leftOut].sort(), ["absolute.txt", "outside/", "secret.txt"]);
  t.equal(await getBytes(source, "inside.png", 0, 7), "picture");
  const { diagnostics } = await source.timeline();
  t.match(diagnostics[0], { severity: "warning", message: /^absolute\.txt: .* leads out/ });
});

t.test("a file that becomes a link out of the folder is not read any more", async (t) => {
  const folder = t.testdir({
    "secret.txt": "secret",
    film: { "index.html": root(""), media: { "a.txt": "public" } },
  });
  const { source } = await read(join(folder, "film"));
  t.equal(await getBytes(source, "media/a.txt", 0, 6), "public");
  const file = join(folder, "film/media/a.txt");
  await rm(file);
  await symlink("../../secret.txt", file);
  await t.rejects(getBytes(source, "media/a.txt", 0, 6), /leads out/);
  await rm(join(folder, "film/media"), { recursive: true });
  await mkdir(join(folder, "media"));
  await link(join(folder, "secret.txt"), join(folder, "media/a.txt"));
  await symlink("../media", join(folder, "film/media"));
  await t.rejects(getBytes(source, "media/a.txt", 0, 6), /leads out/, "nor by its folder");
});

t.test("a file that vanishes or becomes shorter is a fault that passes", async (t) => {
  const folder = t.testdir({ "index.html": root(""), "a.txt": "0123456789" });
  const { source } = await read(folder);
  await truncate(join(folder, "a.txt"), 3);
  await t.rejects(getBytes(source, "a.txt", 0, 10), { name: "PortError", retryable: true });
  await rm(join(folder, "a.txt"));
  await t.rejects(getBytes(source, "a.txt", 0, 10), { name: "PortError", retryable: true });
});

async function createFault(t: Test, change: (folder: string) => Promise<unknown>) {
  const folder = await realpath(t.testdir({ "index.html": root("") }));
  await change(folder);
  return (await readFolder(folder)).fault;
}

t.test("what is no bundle has a reason", async (t) => {
  const { textBytesMax, mediaBytesMax, bytesMax, filesMax } = limits.compositions;
  const sparse = async (file: string, size: number) => {
    await writeFile(file, "");
    await truncate(file, size);
  };
  const cases: readonly (readonly [RegExp, (folder: string) => Promise<unknown>])[] = [
    [/no index\.html/, (folder) => rm(join(folder, "index.html"))],
    [/main\.js has \d+ bytes/, (folder) => sparse(join(folder, "main.js"), textBytesMax + 1)],
    [/a\.mp4 has \d+ bytes/, (folder) => sparse(join(folder, "a.mp4"), mediaBytesMax + 1)],
    [/The path .* must/, (folder) => writeFile(join(folder, "a\\b.png"), "")],
    [
      /contains a link to a folder that contains it/,
      (folder) => symlink(".", join(folder, "loop")),
    ],
    [/lost\.png cannot be read/, (folder) => symlink("nothing", join(folder, "lost.png"))],
    [/cannot be read/, (folder) => rm(folder, { recursive: true })],
    [
      /at most \d+\.$/,
      async (folder) => {
        for (let at = 0; at <= bytesMax / mediaBytesMax; at++)
          await sparse(join(folder, `${at}.mp4`), mediaBytesMax);
      },
    ],
    [
      /more than the 2000 files/,
      async (folder) => {
        for (let at = 0; at < filesMax; at++) await writeFile(join(folder, `${at}.txt`), "");
      },
    ],
  ];
  for (const [reason, change] of cases)
    await t.test(String(reason), async (t) => t.match(await createFault(t, change), reason));
});

t.test(
  "its timeline is that of klieg lint, with a word on what only the service has",
  async (t) => {
    const folder = t.testdir({
      "index.html": root(
        '<video id="v" data-start="0" data-duration="1" data-asset-id="asset-1"></video>',
      ),
    });
    const { source } = await read(folder);
    const { clips, diagnostics } = await source.timeline();
    t.match(clips, [{ id: "v", media: { source: { kind: "asset", assetId: "asset-1" } } }]);
    t.match(diagnostics.at(-1), {
      code: "remote",
      message: /v is an asset, which only the service/,
    });
  },
);
