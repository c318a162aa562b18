import { readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import t, { type Test } from "tap";
import { RawConnection } from "../http/raw-http.ts";
import { Events, openFolder, root } from "./opened-folder.ts";

const film = {
  "index.html": root('<img id="a" data-start="0" data-duration="1" src="media/a.png">'),
  media: { "a.png": "0123456789" },
  "part.html": "<template></template>",
};

async function open(t: Test, files: Parameters<Test["testdir"]>[0] = film) {
  const path = t.testdir(files);
  const opened = await openFolder(t, path);
  const events = await Events.open(t, opened.url);
  const { preview } = await events.next(() => true);
  const base = `${opened.origin}${preview}`.replace(/index\.html$/, "");
  return { ...opened, path, events, base };
}

/** Sends the request exactly as written, because `fetch` would normalise it. */
async function ask(t: Test, port: number, lines: readonly string[]) {
  const connection = new RawConnection(port);
  t.teardown(() => connection.end());
  connection.write(`${lines.join("\r\n")}\r\nConnection: close\r\n\r\n`);
  return connection.reply();
}

t.test("only this machine's own names are answered", async (t) => {
  const { url, base, port } = await open(t);
  const paths = [new URL(url).pathname, new URL(base).pathname, "/look/look.css"];
  for (const path of paths) {
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`]) {
      const line = `GET ${path}${path.startsWith("/preview") ? "index.html" : ""} HTTP/1.1`;
      t.equal((await ask(t, port, [line, `Host: ${host}`])).status, 200, host);
    }
    for (const host of ["evil.example", `evil.example:${port}`, "127.0.0.1", `127.0.0.1:1`, ""]) {
      const { status, head } = await ask(t, port, [`GET ${path} HTTP/1.1`, `Host: ${host}`]);
      t.equal(status, 403, `"${host}"`);
      t.notMatch(head, /access-control/i);
    }
  }
});

t.test("the page is answered below its own path alone", async (t) => {
  const { url, origin } = await open(t);
  t.equal((await fetch(url)).status, 200);
  for (const path of ["/", "/events", "/timeline", "/edits", "/x/", "/x/timeline", "/index.html"])
    t.equal((await fetch(origin + path)).status, 404, path);
  for (const path of ["nothing", "look/look.css", "../", "timeline/"])
    t.equal((await fetch(url + path)).status, 404, path);
});

t.test("the page's policy lets nothing in, and nothing of it is open to others", async (t) => {
  const { url, origin } = await open(t);
  const page = await fetch(url);
  const policy = page.headers.get("content-security-policy") ?? "";
  t.match(policy, /^default-src 'none'; script-src 'nonce-/);
  t.match(policy, /frame-ancestors 'none'/);
  t.notMatch(policy, /unsafe/);
  t.equal(page.headers.get("referrer-policy"), "no-referrer", "its path is told to nobody");
  for (const path of [url, `${url}timeline`, `${url}edits`, `${origin}/look/look.css`]) {
    const { headers } = await fetch(path);
    t.equal(headers.get("access-control-allow-origin"), null);
    t.equal(headers.get("x-frame-options"), "DENY");
    t.equal(headers.get("x-content-type-options"), "nosniff");
  }
});

t.test("the composition runs in a sandbox that reaches its own path alone", async (t) => {
  const { base, url } = await open(t);
  const secret = new URL(url).pathname;
  const own = `http://${new URL(base).host}${new URL(base).pathname}`;
  for (const name of ["index.html", "part.html"]) {
    const answer = await fetch(base + name);
    const policy = answer.headers.get("content-security-policy") ?? "";
    t.match(policy, /^sandbox allow-scripts; default-src 'none';/);
    t.ok(policy.includes(`connect-src ${own} `));
    const isEntry = name === "index.html";
    t.equal(policy.endsWith("; frame-ancestors 'self'"), isEntry, "others may be in frames of it");
    t.notOk(policy.includes("'self' "));
    t.equal(answer.headers.get("access-control-allow-origin"), "*");
    t.equal(answer.headers.get("referrer-policy"), "no-referrer");
    t.notOk((await answer.text()).includes(secret), "the page's path is not told");
  }
  const picture = await fetch(`${base}media/a.png`);
  t.equal(picture.headers.get("access-control-allow-origin"), "*");
  t.match(picture.headers.get("content-security-policy"), /sandbox/);
});

t.test("files are answered whole or by a range, and media elements are left out", async (t) => {
  const { base } = await open(t);
  const get = (range: string) => fetch(`${base}media/a.png`, { headers: { range } });
  t.equal(await (await get("")).text(), "0123456789");
  const part = await get("bytes=2-4");
  t.strictSame([part.status, part.headers.get("content-range")], [206, "bytes 2-4/10"]);
  t.equal(await part.text(), "234");
  t.equal(await (await get("bytes=-3")).text(), "789");
  t.equal((await get("bytes=20-")).status, 416);
});

t.test("no path leaves the folder", async (t) => {
  const path = t.testdir({ "secret.txt": "secret", film });
  await symlink("../secret.txt", join(path, "film/link.txt"));
  const { origin, port, folder, faults } = await openFolder(t, join(path, "film"));
  const { shown } = folder;
  const base = shown.kind === "preview" ? shown.preview.base : "";
  const { host } = new URL(origin);
  const tries = [
    ...["../secret.txt", "%2e%2e/secret.txt", "..%2fsecret.txt", "%2e%2e%2fsecret.txt"],
    ...["..\\secret.txt", "..%5csecret.txt", "%252e%252e%252fsecret.txt", "media/../../secret.txt"],
    ...["/secret.txt", join(path, "secret.txt"), encodeURIComponent(join(path, "secret.txt"))],
    ...["link.txt", "film/../../secret.txt", "index.html/../../secret.txt", "secret.txt%00.png"],
    ...[`x?klieg-as=${encodeURIComponent("../secret.txt")}`, "x?klieg-as=/etc/hostname"],
    ...["x?klieg-as=../secret.txt&klieg-from=../film/index.html", ".klieg/asset/../../secret.txt"],
    ...[".klieg/faces/../../../package.json", ".klieg/faces/%2e%2e%2fpackage.json", "//secret.txt"],
  ];
  for (const name of tries) {
    const { status, body } = await ask(t, port, [`GET ${base}${name} HTTP/1.1`, `Host: ${host}`]);
    t.equal(status, 404, name);
    t.notMatch(body.toString(), /secret$/);
  }
  t.strictSame(faults, []);
});

t.test("other methods than needed are refused", async (t) => {
  const { url, base, origin } = await open(t);
  const refuse = async (path: string, method: string) => {
    const { status, headers } = await fetch(path, { method });
    t.equal(status, 405, `${method} ${path}`);
    t.match(headers.get("allow"), /^GET/);
  };
  for (const method of ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"]) {
    for (const path of [url, `${url}timeline`, `${url}events`, `${base}index.html`])
      await refuse(path, method);
    await refuse(`${origin}/look/look.css`, method);
  }
  await refuse(`${url}edits`, "POST");
});

const edits = (start: number) => JSON.stringify({ version: 1, clips: { a: { start } } });

t.test("edits are saved over the version that they were made of", async (t) => {
  const { url, origin, path, events } = await open(t);
  const place = join(path, "klieg-edits.json");
  const save = (body: string | undefined, headers: Record<string, string>) =>
    fetch(`${url}edits`, {
      method: body === undefined ? "DELETE" : "PUT",
      headers: { origin, ...headers },
      ...(body === undefined ? {} : { body }),
    });
  t.equal((await fetch(`${url}edits`)).status, 204, "there are none");
  t.equal((await save(edits(1), {})).status, 400, "a save says what it replaces");
  const first = await save(edits(1), { "if-none-match": "*" });
  t.equal(first.status, 200);
  const { etag } = (await first.json()) as { etag: string };
  t.equal(await readFile(place, "utf8"), edits(1));
  t.strictSame(await (await fetch(`${url}edits`)).json(), { text: edits(1), etag });
  t.match(await (await fetch(`${url}timeline`)).json(), { clips: [{ start_seconds: 1 }] });
  t.equal((await save(edits(2), { "if-none-match": "*" })).status, 412);
  await writeFile(place, edits(3));
  t.equal((await save(edits(2), { "if-match": etag })).status, 412, "somebody else's stay");
  t.equal(await readFile(place, "utf8"), edits(3));
  t.equal((await save("{", { "if-match": "*" })).status, 400, "what are no edits is not saved");
  const told = await events.next(({ revision }) => revision === 2);
  t.match(told, { faults: [], preview: /^\/preview\// });
  t.equal((await save(undefined, { "if-match": "*" })).status, 204);
  await t.rejects(readFile(place), { code: "ENOENT" });
});

t.test("nothing but the page itself changes edits", async (t) => {
  const { url, origin, path } = await open(t);
  const headers = { "if-none-match": "*" };
  for (const from of [undefined, "null", "http://evil.example", origin.replace("http", "https")]) {
    const given = from === undefined ? headers : { ...headers, origin: from };
    const answer = await fetch(`${url}edits`, { method: "PUT", headers: given, body: edits(1) });
    t.equal(answer.status, 403, String(from));
  }
  t.rejects(readFile(join(path, "klieg-edits.json")), { code: "ENOENT" });
  const large = `{"version":1,"x":"${"x".repeat(6 * 1024 ** 2)}"}`;
  const answer = await fetch(`${url}edits`, {
    method: "PUT",
    headers: { ...headers, origin },
    body: large,
  });
  t.equal(answer.status, 413);
});

t.test("edits that are a link are neither read nor written through", async (t) => {
  const folder = t.testdir({ "secret.json": "secret", film });
  await symlink("../secret.json", join(folder, "film/klieg-edits.json"));
  const { url, origin } = await openFolder(t, join(folder, "film"));
  t.equal((await fetch(`${url}edits`)).status, 409);
  const headers = { origin, "if-match": "*" };
  const saved = await fetch(`${url}edits`, { method: "PUT", headers, body: edits(1) });
  t.equal(saved.status, 409);
  t.equal(await readFile(join(folder, "secret.json"), "utf8"), "secret");
});
