import { join } from "node:path";
import t from "tap";
import { root } from "./opened-folder.ts";
import { startPreview } from "./preview-process.ts";

t.test("a preview is served until Ctrl-C, and that is no failure", async (t) => {
  const folder = t.testdir({ "index.html": root("<p>hello</p>") });
  const { url = "", child, ended } = await startPreview(t, folder);
  t.match(url, /^http:\/\/127\.0\.0\.1:\d+\/[\w-]{32}\/$/);
  t.equal((await fetch(url)).status, 200);
  t.match(await (await fetch(`${url}timeline`)).json(), { width: 320, duration_seconds: 2 });
  child.kill("SIGINT");
  t.match(await ended, { code: 0, said: /^Open this address .*\n$/ });
});

t.test("what cannot be previewed is said in one sentence", async (t) => {
  const folder = t.testdir({
    film: { "index.html": root("") },
    empty: {},
    "file.txt": "x",
  });
  const running = await startPreview(t, join(folder, "film"));
  const { port } = new URL(running.url ?? "");
  const cases: readonly (readonly [RegExp, number, readonly string[]])[] = [
    [/^\S+nothing is not a folder\.\n$/, 1, [join(folder, "nothing")]],
    [/^\S+file\.txt is not a folder\.\n$/, 1, [join(folder, "file.txt")]],
    [/^The folder has no index\.html\.\n$/, 1, [join(folder, "empty")]],
    [/^Port \d+ is in use; choose another\.\n$/, 1, [join(folder, "film"), "--port", port]],
    [/^Name the folder\. See klieg preview --help\.\n$/, 2, []],
    [/^--port is 70000; set it to a port from 0 to 65535\./, 2, [folder, "--port", "70000"]],
    [/^--port is "x"; set it to a whole number\./, 2, [folder, "--port", "x"]],
  ];
  for (const [sentence, code, args] of cases) {
    const { url, ended } = await startPreview(t, ...args);
    t.equal(url, undefined);
    t.match(await ended, { code, said: sentence }, String(sentence));
  }
});
