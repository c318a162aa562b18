import { writeFileSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import t, { type Test } from "tap";
import { Events, openFolder, root } from "./opened-folder.ts";

async function open(t: Test) {
  const path = t.testdir({ "index.html": root(""), media: { "a.txt": "1" } });
  const opened = await openFolder(t, path);
  const events = await Events.open(t, opened.url);
  const first = await events.next(() => true);
  return { ...opened, path, events, first };
}

t.test("a change of any file makes another preview", async (t) => {
  const { path, events, first, origin } = await open(t);
  t.match(first, { faults: [], revision: 1 });
  const changes: readonly (() => Promise<unknown>)[] = [
    () => writeFile(join(path, "index.html"), root("<p>changed</p>")),
    () => writeFile(join(path, "media/a.txt"), "12"),
    () => writeFile(join(path, "media/b.txt"), "new"),
    () => rename(join(path, "media/b.txt"), join(path, "media/c.txt")),
    () => mkdir(join(path, "more/deep"), { recursive: true }),
    () => writeFile(join(path, "more/deep/a.txt"), "in a new folder"),
    () => rm(join(path, "media"), { recursive: true }),
    () => mkdir(join(path, "media")).then(() => writeFile(join(path, "media/a.txt"), "1")),
  ];
  let { preview } = first;
  for (const [at, change] of changes.entries()) {
    await change();
    // Adding an empty folder counts as no change.
    if (at === 4) continue;
    const told = await events.next((one) => one.preview !== preview);
    t.strictSame(told.faults, []);
    preview = told.preview;
    t.equal((await fetch(origin + preview)).status, 200);
  }
});

t.test("a broken folder says why, and recovers by itself", async (t) => {
  const { path, events, url } = await open(t);
  const entry = join(path, "index.html");
  await rename(entry, join(path, "other.html"));
  const gone = await events.next(({ faults }) => faults.length > 0);
  t.match(gone, { preview: null, faults: ["The folder has no index.html."] });
  t.match(await (await fetch(`${url}timeline`)).json(), { status: 404, detail: gone.faults[0] });
  await rename(join(path, "other.html"), entry);
  t.match(await events.next(({ faults }) => faults.length === 0), { preview: /^\/preview\// });
  await writeFile(entry, "<p>no film</p>");
  const empty = await events.next(({ revision }) => revision > gone.revision + 1);
  t.match(empty, { preview: null, faults: [/^index\.html: /] });
  t.match(await (await fetch(`${url}timeline`)).json(), { diagnostics: [{ severity: "error" }] });
  await rename(path, `${path}-away`);
  t.match(await events.next(({ faults }) => faults.length > 0), { faults: [/cannot be read/] });
  await rename(`${path}-away`, path);
  await writeFile(entry, root("<p>mended</p>"));
  await events.next(({ faults }) => faults.length === 0);
});

t.test("saved edits are told once", async (t) => {
  const { url, origin, events, path } = await open(t);
  const saved = await fetch(`${url}edits`, {
    method: "PUT",
    headers: { origin, "if-none-match": "*" },
    body: '{"version":1}',
  });
  t.equal(saved.status, 200);
  t.match(await events.next(({ revision }) => revision === 2), { faults: [] });
  await writeFile(join(path, "media/a.txt"), "the next change");
  const told = await events.next(({ revision }) => revision > 2);
  t.equal(told.revision, 3, "nothing was told between them");
});

t.test("a file under way counts when it is whole", async (t) => {
  const { path, events } = await open(t);
  const entry = join(path, "index.html");
  writeFileSync(entry, "");
  writeFileSync(entry, root("<p>whole</p>"));
  t.match(await events.next(({ revision }) => revision === 2), { faults: [] });
  await writeFile(entry, root("<p>the next change</p>"));
  const told = await events.next(({ revision }) => revision > 2);
  t.equal(told.revision, 3, "nothing was told between them");
});

t.test("the preview of a moment ago is still there, those before it are not", async (t) => {
  const { path, events, first, origin } = await open(t);
  const previews = [first.preview];
  for (let at = 0; at < 3; at++) {
    await writeFile(join(path, "media/a.txt"), "x".repeat(at + 2));
    previews.unshift((await events.next((one) => one.preview !== previews[0])).preview);
  }
  const statuses = await Promise.all(
    previews.map(async (one) => (await fetch(origin + one)).status),
  );
  t.strictSame(statuses, [200, 200, 200, 404]);
});
