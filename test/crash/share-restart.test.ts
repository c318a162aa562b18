import t from "tap";
import type { Job } from "../../contract/job.ts";
import type { ShareLink, ShareList } from "../../contract/share.ts";
import { ask } from "./accounts.ts";
import { firstToken, startKlieg } from "./klieg-process.ts";

t.test("links, passwords, cookies and counts survive SIGKILL", async (t) => {
  const dataDir = t.testdir();
  const first = await startKlieg(t, dataDir);
  const image = { model: "sim-instant", prompt: "a kite" };
  const { json: job } = await ask<Job>(first.port, firstToken, "/generate/image", image);
  const wait = `/jobs/${job.id}/wait?timeout_seconds=60`;
  const asset = (await ask<Job>(first.port, firstToken, wait)).json.asset?.id;
  const path = `/assets/${asset}/share`;
  const body = { password: "open sesame" };
  const { json: link } = await ask<ShareLink>(first.port, firstToken, path, body);
  const { json: revoked } = await ask<ShareLink>(first.port, firstToken, path, {});
  const revoke = `http://127.0.0.1:${first.port}/v1${path}/${revoked.id}`;
  const headers = { authorization: `Bearer ${firstToken}` };
  t.equal((await fetch(revoke, { method: "DELETE", headers })).status, 204);
  const open = async (port: number, { token }: ShareLink, headers: Record<string, string> = {}) =>
    (await fetch(`http://127.0.0.1:${port}/v1/share/${token}`, { headers })).status;
  const right = { "x-share-password": "open sesame" };
  for (let visit = 0; visit < 3; visit++) t.equal(await open(first.port, link, right), 200);
  const unlocked = await fetch(`http://127.0.0.1:${first.port}/v1/share/${link.token}`, {
    method: "POST",
    body: new URLSearchParams(body),
    redirect: "manual",
  });
  const cookie = (unlocked.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  await first.kill("SIGKILL");

  const { port } = await startKlieg(t, dataDir);
  t.equal(await open(port, link), 401);
  t.equal(await open(port, link, { cookie }), 200);
  t.equal(await open(port, link, right), 200);
  t.equal(await open(port, revoked), 410);
  const { json } = await ask<ShareList>(port, firstToken, path);
  t.match(json.items, [{ id: link.id, access_count: 5 }]);
  t.equal(json.items.length, 1);
});
