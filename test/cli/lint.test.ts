import { symlink } from "node:fs/promises";
import t from "tap";
import { runCommand } from "./run-command.ts";

const root = (inner: string) =>
  `<div data-composition-id="m" data-width="320" data-height="180" data-duration="2"
    style="background:#fff">${inner}</div>`;

const lint = (...args: readonly string[]) => runCommand(["lint", ...args]);

t.test("klieg lint prints the diagnostics of a local bundle", async (t) => {
  const folder = t.testdir({
    "index.html": root('<img id="a" data-start="0" data-duration="1" src="media/a.png">'),
    media: { "b.png": "x" },
  });
  const { code, out } = await lint(folder);
  t.equal(code, 0);
  t.strictSame(out, [
    "warning: index.html: img#a src leads to media/a.png, which is not in the bundle",
    `${folder}: 1 clip, 1 warning`,
  ]);
});

t.test("with --json it prints the whole timeline", async (t) => {
  const { out } = await lint(t.testdir({ "index.html": root("") }), "--json");
  t.match(JSON.parse(out[0] ?? ""), { duration: 2, width: 320, clips: [], diagnostics: [] });
});

t.test("an error makes it fail, with every finding printed", async (t) => {
  const folder = t.testdir({ "index.html": root('<div id="a" data-start="b"></div>') });
  const { code, out, said } = await lint(folder);
  t.equal(code, 1);
  t.match(out, [/^error: index\.html: div#a data-start is "b"/]);
  t.strictSame(said, [`${folder} cannot be rendered: 1 error.\n`]);
  t.match(await lint(`${folder}/nowhere`), { code: 1, said: [/cannot be read/] });
  t.match(await lint(), { code: 2, said: [/Name the folder/] });
});

t.test("links in the folder are followed, and one that leads nowhere is named", async (t) => {
  const shown = `${root("")}<style>body{background:#fff url(linked/a.png)}</style>`;
  const linked = { a: { "index.html": shown }, b: { "a.png": "x" } };
  const folder = t.testdir({ ...linked, gone: t.fixture("symlink", "./nowhere") });
  await symlink("../b", `${folder}/a/linked`);
  t.match(await lint(`${folder}/a`), { code: 0, out: [`${folder}/a: 0 clips, 0 warnings`] });
  t.match(await lint(folder), { code: 1, said: [`${folder}/gone cannot be read.\n`] });
  await symlink("..", `${folder}/a/up`);
  t.match(await lint(`${folder}/a`), {
    code: 1,
    said: [/contains a link to a folder that contains it/],
  });
});

t.test("fonts that neither the bundle nor every farm has are named", async (t) => {
  const style = `<style>@font-face{font-family:Own;src:url(own.woff2)} body{background:#fff;
    font-family:'Nowhere Sans',Arial} p{font-family:Own} b{font-family:arial} i{font-family:serif}
    </style>`;
  const folder = t.testdir({ "index.html": root("") + style, "own.woff2": "x" });
  t.strictSame((await lint(folder)).out, [
    'warning: index.html: asks for the font "Nowhere Sans", which neither the bundle nor every farm has',
    `${folder}: 0 clips, 1 warning`,
  ]);
});
