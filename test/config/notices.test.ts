/** Checks THIRD-PARTY.md against the lock file. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { noticesFile, writeNotices } from "../../config/notices/notices.ts";
import { type LockFile, listDelivered } from "../../config/notices/packages.ts";

const root = join(import.meta.dirname, "../../..");
const lock: LockFile = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
const notices = readFileSync(join(root, noticesFile), "utf8");

t.test("E9: the notices of third parties have every delivered package and its text", async (t) => {
  const again = "run node dist/config/notices/main.js and commit what it writes";
  t.ok(notices === writeNotices(root), again);
  const rows = [...notices.matchAll(/^\| (\S+) \| (\d\S*) \| /gm)].map(([, ...row]) =>
    row.join(" "),
  );
  const installed = Object.entries(lock.packages).filter(([, { dev }]) => dev !== true);
  for (const [path, { name, version }] of installed)
    if (path !== "")
      t.ok(rows.includes(`${name ?? path.replace(/.*node_modules\//, "")} ${version}`));
  for (const words of [
    "SIL OPEN FONT LICENSE",
    "Mozilla Public License Version 2.0",
    "Apache License",
  ])
    t.match(notices, words);
  t.match(notices, /^### minisearch 7\.2\.0/m);
  for (const [, name] of notices.matchAll(/^\| (\S+) \| \S+ \| see its text \|/gm))
    t.match(notices, new RegExp(`^### .*${name} `, "m"));
});

t.test(
  "E9: a package for another platform is listed, and its files are not asked for",
  async (t) => {
    const packages = {
      "": { dependencies: { a: "1" } },
      "node_modules/a": {
        version: "1.0.0",
        license: "MIT",
        optionalDependencies: { "a-mars": "1" },
      },
      "node_modules/a-mars": {
        version: "1.0.0",
        license: "MIT",
        os: ["mars"],
        dependencies: { c: "1" },
      },
      "node_modules/a-mars/node_modules/c": { version: "2.0.0", license: "ISC" },
      "node_modules/tool": { version: "3.0.0", license: "MIT", dev: true },
    };
    const listed = listDelivered({ packages }).map(({ name, isForPlatform }) => [
      name,
      isForPlatform,
    ]);
    t.strictSame(listed, [
      ["a", false],
      ["a-mars", true],
      ["c", true],
    ]);
  },
);

t.test("E9: GSAP and HyperFrames are in no delivery", async (t) => {
  const isTheirs = (path: string) => /(^|node_modules\/)(gsap|@hyperframes\/[^/]+)$/.test(path);
  const theirs = Object.entries(lock.packages).filter(([path]) => isTheirs(path));
  t.ok(theirs.length >= 2);
  for (const [path, { dev }] of theirs) t.equal(dev, true, path);
  t.notOk(listDelivered(lock).some(({ name }) => isTheirs(name)));
  const container = readFileSync(join(root, "config/deploy/Containerfile"), "utf8");
  t.match(container, /^RUN sh config\/setup start && npm prune --omit=dev$/m, "nor in an image");
  const built = join(root, "dist");
  const scripts = ["film", "http", "console"].flatMap((folder) =>
    readdirSync(join(built, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => /\.bundle\.js$|public\/.*\.js$/.test(name))
      .map((name) => join(built, folder, name)),
  );
  t.ok(scripts.length >= 8);
  for (const script of scripts)
    t.notMatch(readFileSync(script, "utf8"), /GreenSock|_gsScope|@hyperframes\/\S+ v\d/, script);
});
