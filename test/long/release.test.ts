/**
 * What `npm run release` makes, installed as its users do, into empty folders: each form starts
 * without a compiler and makes a picture.
 */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import t, { type Test } from "tap";
import { version } from "../../config/version.ts";
import { freePort } from "../http/raw-http.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../../..");
const png = Buffer.from([0x89, 0x50, 0x4e, 0x47]);
const pathBefore = process.env["PATH"] ?? "";

t.test("a release is delivered whole, and every form makes the first picture", async (t) => {
  const folder = t.testdir({ release: {}, npm: { "package.json": "{}" }, deb: {}, home: {} });
  const release = join(folder, "release");
  const program = join(root, "dist/config/release/main.js");
  await run(process.execPath, [program, "--untagged", "--output", release], { cwd: root });
  const names = [
    `klieg-${version}-py3-none-any.whl`,
    `klieg-${version}.cdx.json`,
    `klieg-${version}.tgz`,
    `klieg-container-${version}.tar.gz`,
    `klieg-go-${version}.tar.gz`,
    `klieg-server-${version}.tgz`,
    `klieg_${version}_amd64.deb`,
  ];
  t.strictSame(readdirSync(release).sort(), ["SHA256SUMS", ...names].sort());
  await run("sha256sum", ["--check", "--strict", "SHA256SUMS"], { cwd: release });

  await t.test("the package for npm", async (t) => {
    const place = join(folder, "npm");
    const tarball = join(release, `klieg-server-${version}.tgz`);
    await run("npm", ["install", "--no-audit", "--no-fund", tarball], { cwd: place });
    const bin = join(place, "node_modules/.bin");
    await makePicture(t, join(folder, "home"), [join(bin, "klieg-server")], join(bin, "klieg"));
  });

  await t.test("the package for Debian, with a Node of its own", async (t) => {
    const place = join(folder, "deb");
    await run("dpkg-deb", ["-x", join(release, `klieg_${version}_amd64.deb`), place]);
    const home = join(place, "opt/klieg");
    const node = join(home, "bin");
    const { stdout } = await run(join(node, "node"), ["--version"]);
    t.match(stdout, /^v22\./);
    const serve = ["sh", join(home, "config/serve")];
    const path = `${node}:${pathBefore}`;
    await makePicture(t, join(folder, "home"), serve, join(home, "config/klieg"), path);
  });

  await t.test("the package for Debian, in a new system that has nothing else", async (t) => {
    const place = join(folder, "system");
    const hasTools = process.getuid?.() === 0 && existsSync("/usr/sbin/debootstrap");
    if (!hasTools) {
      t.pass("only root can make a new system, with debootstrap");
      return;
    }
    await run("debootstrap", ["--variant=minbase", "bookworm", place]);
    const name = `klieg_${version}_amd64.deb`;
    cpSync(join(release, name), join(place, name));
    const inside = (...command: readonly string[]) => [...enter, place, ...command];
    const [program = "", ...args] = inside("apt-get", "install", "-y", `/${name}`);
    await run(program, args, { env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } });
    const [stat = "", ...of] = inside("stat", "--format", "%U %G %a", "/var/lib/klieg");
    t.equal((await run(stat, of)).stdout, "klieg klieg 700\n", "it has a user of its own");
    const path = "/opt/klieg/bin:/usr/sbin:/usr/bin:/sbin:/bin";
    const serve = inside("/bin/sh", "/opt/klieg/config/serve");
    const data = "/var/lib/klieg";
    const service = await startService(t, serve, { PATH: path, KLIEG_DATA_DIR: data, HOME: "/" });
    const [klieg = "", ...rest] = inside("klieg", "generate", "image", "a kite", "-o", "/kite.png");
    await run(klieg, rest, { env: { PATH: path } });
    t.ok(isPng(join(place, "kite.png")));
    await service.end();
  });

  await t.test("the context of a container, whose image compiles nothing", async (t) => {
    await run("tar", ["-xzf", join(release, `klieg-container-${version}.tar.gz`)], { cwd: folder });
    const place = join(folder, `klieg-container-${version}`);
    const steps = readFileSync(join(place, "Containerfile"), "utf8");
    t.notMatch(steps, /\bnpm\b|config\/setup/);
    const serve = ["sh", join(place, "config/serve")];
    await makePicture(t, join(folder, "home"), serve, join(place, "config/klieg"));
  });

  await t.test("the list of components has what is installed, and nothing of tests", (t) => {
    const text = readFileSync(join(release, `klieg-${version}.cdx.json`), "utf8");
    const { bomFormat, components } = JSON.parse(text) as {
      readonly bomFormat: string;
      readonly components: readonly { readonly name: string }[];
    };
    t.equal(bomFormat, "CycloneDX");
    const listed = components.map(({ name }) => name);
    t.ok(listed.includes("lmdb"));
    t.notOk(listed.includes("tap"));
    t.end();
  });
});

/** Starts the service on a free port with fresh data, makes a picture, and ends the service. */
async function makePicture(
  t: Test,
  home: string,
  serve: readonly string[],
  klieg: string,
  path = pathBefore,
): Promise<void> {
  const data = t.testdir();
  const env = { HOME: home, PATH: path, KLIEG_DATA_DIR: join(data, "data") };
  const service = await startService(t, serve, env);
  const picture = join(data, "kite.png");
  await run(klieg, ["generate", "image", "a red kite over dunes", "-o", picture], { env });
  t.ok(isPng(picture));
  await service.end();
}

/** Enters a new system, with processes that it can see, for as long as a command runs. */
const enter = [
  ...["unshare", "--mount", "sh", "-c"],
  'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"',
];

/** Starts the service on a free port; `end` stops it in order. */
async function startService(
  t: Test,
  [program = "", ...args]: readonly string[],
  given: Readonly<Record<string, string>>,
) {
  const env = { ...given, KLIEG_PORT: String(await freePort()) };
  const service = spawn(program, args, { env, stdio: ["ignore", "pipe", "ignore"] });
  t.teardown(() => service.kill("SIGKILL"));
  await awaitStart(service);
  return {
    async end() {
      service.kill("SIGTERM");
      await once(service, "exit");
    },
  };
}

function isPng(path: string): boolean {
  return readFileSync(path).subarray(0, png.length).equals(png);
}

/** Resolves once the service says where it serves; rejects if it ends before. */
async function awaitStart(service: ChildProcess): Promise<void> {
  const { stdout } = service;
  if (stdout === null) throw new Error("The service's standard output is not read.");
  for await (const line of createInterface({ input: stdout }))
    if (/ serves http/.test(line)) return;
  throw new Error("The service ended before it served.");
}
