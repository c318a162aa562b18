import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import t, { type Test } from "tap";
import { type Answer, json, standIn } from "./stand-in.ts";

const main = join(import.meta.dirname, "../../cli/main.js");
const url = "https://klieg.example/v1/share/q83vEjRWeJq83vEjRWeJqyM";
const link = {
  id: "l1",
  token_prefix: "q83vEj",
  name: "Harbor",
  has_password: true,
  view_only: true,
  expires_at: "2026-12-01T00:00:00.000Z",
  access_count: 2,
};
const onGone: Answer = (response) => response.writeHead(204).end();

async function klieg(t: Test, origin: string, ...args: readonly string[]) {
  t.testdir({ data: {} });
  const child = spawn(process.execPath, [main, ...args], {
    cwd: t.testdirName,
    env: { KLIEG_DATA_DIR: "data", KLIEG_TOKEN: "pat_1", KLIEG_URL: origin },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(child, "exit");
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = await ended;
  return { code, out, err };
}

t.test("klieg share prints the address of a new link", async (t) => {
  const { origin, asked } = await standIn(t, {
    "POST /v1/renders/r1/share": [json(201, { ...link, token: "x", url })],
  });
  const options = ["--days", "7", "--password", "open sesame", "--view-only", "--name", "Harbor"];
  const { code, out, err } = await klieg(t, origin, "share", "r1", ...options);
  t.equal(code, 0);
  t.equal(out, `${url}\n`);
  t.equal(err, "The link is shown only this once.\n");
  t.strictSame(asked[0]?.body, {
    expires_in_days: 7,
    password: "open sesame",
    view_only: true,
    name: "Harbor",
  });
});

t.test("what is no render is shared as an asset", async (t) => {
  const { origin, asked } = await standIn(t, {
    "POST /v1/assets/a1/share": [json(201, { ...link, token: "x", url })],
  });
  const { code, out } = await klieg(t, origin, "share", "a1", "--json");
  t.equal(code, 0);
  t.match(JSON.parse(out), { id: "l1", url });
  t.strictSame(
    asked.map(({ route, body }) => [route, body]),
    [
      ["POST /v1/renders/a1/share", {}],
      ["POST /v1/assets/a1/share", {}],
    ],
  );
});

t.test("klieg share list and revoke", async (t) => {
  const { origin } = await standIn(t, {
    "GET /v1/assets/a1/share": [json(200, { items: [link] })],
    "DELETE /v1/assets/a1/share/l1": [onGone],
  });
  const listed = await klieg(t, origin, "share", "list", "a1");
  t.equal(
    listed.out,
    "l1  q83vEj...  2026-12-01T00:00:00.000Z  password  view only  2 visits  Harbor\n",
  );
  const revoked = await klieg(t, origin, "share", "revoke", "a1", "l1");
  t.match(revoked, { code: 0, err: "The link is revoked.\n" });
  const unknown = await klieg(t, origin, "share", "revoke", "a1", "l2");
  t.equal(unknown.code, 1);
  t.match(unknown.err, /Not Found/);
});

t.test("a share command that is written wrongly ends with 2", async (t) => {
  const { origin, asked } = await standIn(t, {});
  for (const args of [["share"], ["share", "a", "b"], ["share", "a", "--days", "soon"]])
    t.equal((await klieg(t, origin, ...args)).code, 2, args.join(" "));
  t.equal((await klieg(t, origin, "share", "revoke", "a1")).code, 2);
  t.strictSame(asked, []);
});
