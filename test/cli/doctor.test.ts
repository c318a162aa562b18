/** Tests `klieg doctor` and `klieg open`, as commands and as checks of this machine. */
import { once } from "node:events";
import { chmodSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import t, { type Test } from "tap";
import type { Session } from "../../cli/command.ts";
import { checkNatsServer, checkNode, examine } from "../../cli/doctor/examine.ts";
import type { Finding } from "../../cli/doctor/finding.ts";
import { runCommand } from "./run-command.ts";

async function run(args: readonly string[], given: Partial<Session>) {
  const { code, out, said } = await runCommand(args, given);
  return { code, out, said: said.join("") };
}

const fine: Finding = { status: "ok", subject: "disk", found: "9.0 GiB are free." };
const old: Finding = {
  status: "warning",
  subject: "Node",
  found: "Node 20.15.0 no longer receives security fixes.",
  remedy: "Use Node 22.",
};
const gone: Finding = { status: "problem", subject: "NATS", found: "No server answers." };

t.test("klieg doctor prints a line for each finding, and fails for problems alone", async (t) => {
  t.strictSame(await run(["doctor"], { examine: async () => [fine, old] }), {
    code: 0,
    out: [
      "STATUS   CHECKED  FOUND",
      "ok       disk     9.0 GiB are free.",
      "warning  Node     Node 20.15.0 no longer receives security fixes. Use Node 22.",
    ],
    said: "No problems found.\n",
  });
  const { code, said } = await run(["doctor"], { examine: async () => [fine, gone] });
  t.match({ code, said }, { code: 1, said: /1 problem found/ });
  const { out } = await run(["doctor", "--json"], { examine: async () => [old] });
  t.strictSame(JSON.parse(out.join("\n")), [old]);
});

t.test("klieg doctor knows which versions of Node are supported", async (t) => {
  const getStatus = (version: string) => checkNode(version).status;
  t.strictSame(["18.20.0", "20.14.0", "21.1.0", "22.1.0"].map(getStatus), Array(4).fill("problem"));
  t.strictSame(["22.2.0", "24.0.0"].map(getStatus), ["ok", "ok"]);
  t.equal(getStatus("20.15.0"), "warning");
});

/** Occupies a port of this machine and returns its number. */
async function occupyPort(t: Test): Promise<number> {
  const server = createServer((socket) => socket.destroy());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => server.close());
  return (server.address() as AddressInfo).port;
}

const refuse = () => Promise.reject(new Error("no server answers"));
const ways = { openProvider: refuse, askNats: refuse, askObjects: refuse };

t.test("klieg doctor finds a port in use, an open data directory and a silent NATS", async (t) => {
  const dataDir = t.testdir({});
  chmodSync(dataDir, 0o755);
  const port = await occupyPort(t);
  const found = await examine(
    {
      PATH: "/nowhere",
      KLIEG_CHROMIUM: "/nowhere/chromium",
      KLIEG_DATA_DIR: dataDir,
      KLIEG_PORT: String(port),
      KLIEG_NATS_URL: `nats://user:secret@127.0.0.1:${port}`,
    },
    ways,
  );
  const byName = new Map(found.map((finding) => [finding.subject, finding]));
  t.match(byName.get("service"), { status: "problem", found: /^Port \d+ on 127.0.0.1 is in use/ });
  t.match(byName.get("data directory"), { status: "warning", remedy: /^Run chmod 700 / });
  t.match(byName.get("Chromium"), { status: "problem", remedy: /KLIEG_CHROMIUM/ });
  t.match(byName.get("ffmpeg"), { status: "problem", remedy: /KLIEG_FFMPEG/ });
  t.match(byName.get("espeak-ng"), { status: "warning" });
  t.match(byName.get("NATS"), { status: "problem", found: "No server answers." });
  t.notMatch(JSON.stringify(found), /secret/);
});

t.test("klieg doctor warns of a server of NATS that is slow to elect a leader", async (t) => {
  const getStatus = (version: string) => checkNatsServer({ version, isClustered: true }).status;
  t.strictSame(["1.4.1", "2.8.4", "2.9.14"].map(getStatus), Array(3).fill("warning"));
  t.strictSame(["2.9.15", "2.10.0", "2.16.0-RC.1", "3.0.0"].map(getStatus), Array(4).fill("ok"));
  t.equal(checkNatsServer({ version: "2.9.10", isClustered: false }).status, "ok");
  const found = await examine(
    {
      PATH: "/nowhere",
      KLIEG_CHROMIUM: "/nowhere/chromium",
      KLIEG_NATS_URL: "nats://127.0.0.1:4222",
    },
    { ...ways, askNats: async () => ({ version: "2.9.10", isClustered: true }) },
  );
  t.match(
    found.find(({ subject }) => subject === "NATS"),
    { status: "warning", found: /^NATS 2.9.10 answers. After failures/, remedy: /current server/ },
  );
});

t.test("klieg doctor names a setting that cannot be read, and asks nothing else", async (t) => {
  const found = await examine({ KLIEG_PORT: "many" }, ways);
  t.match(found.at(-1), { status: "problem", subject: "settings", found: /KLIEG_PORT/ });
  t.equal(found.length, 2);
});

t.test(
  "klieg open prints the console's address, and opens it where there is a browser",
  async (t) => {
    const opened: string[] = [];
    const origin = async () => "http://127.0.0.1:8080";
    const openBrowser = async (address: string) => opened.push(address) > 0;
    t.match(await run(["open"], { origin, openBrowser }), { code: 0, said: "" });
    const { out } = await run(["open", "jobs"], { origin, openBrowser });
    t.strictSame(out, ["http://127.0.0.1:8080/console/jobs"]);
    t.strictSame(opened, ["http://127.0.0.1:8080/console", "http://127.0.0.1:8080/console/jobs"]);
    const none = await run(["open"], { origin, openBrowser: async () => false });
    t.match(none, { code: 0, said: /^No browser could be opened/ });
    t.match(await run(["open", "//elsewhere.example"], { origin }), { code: 2 });
  },
);
