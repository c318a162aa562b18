import t from "tap";
import { runCommandLine } from "../../http/cli/command-line.ts";

const root = (inner: string) =>
  `<div data-composition-id="m" data-width="320" data-height="180" data-duration="2">${inner}</div>`;

async function lint(...args: readonly string[]) {
  const out: string[] = [];
  const said: string[] = [];
  const refuse = () => {
    throw new Error("no service is needed");
  };
  const terminal = {
    print: (line: string) => out.push(line),
    say: (text: string) => said.push(text),
    isInteractive: false,
  };
  const code = await runCommandLine(["lint", ...args], {
    client: refuse,
    settings: refuse,
    terminal,
  });
  return { code, out, said };
}

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
