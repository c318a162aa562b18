/**
 * README.md and the guides, followed word for word: the commands of their shell blocks in their
 * order, and beside them those of their sentences, in a folder like a clone with the service that
 * `npm start` starts there. What cannot be run here is listed with the reason.
 */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import t, { type Test } from "tap";
import { guides } from "../../http/docs/guides.ts";
import { freePort } from "../http/raw-http.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../../..");
const readable = ["README.md", ...guides.map(({ slug }) => `docs/${slug}.md`)];
const readme = readable.map((path) => readFileSync(join(root, path), "utf8")).join("\n");

const notRun: Readonly<Record<string, string>> = {
  "npm test": "takes minutes",
  "npm run test:long": "runs this test",
  "npm run sim -- --seed 7": "needs the sources, as test/simulation/ has them",
  "npm run sim:mutants": "takes hours",
  "npm run bench -- all --quick": "loads the machine for minutes",
  "npm run bench -- submit --rounds 5 --json before.json": "the same",
  "npm run bench -- submit --rounds 5 --against before.json --html report.html": "the same",
  "npm run bench -- guard <commit>": "the same",
  "npm run bench -- guard HEAD~1 --record": "the same",
  "npm run bench -- latency": "the same",
  "npm run bench -- render": "the same, and installs other renderers",
  "npm run bench -- nodes": "the same",
  "npm run bench -- farm": "the same",
  "npm run farm": "needs NATS, as crash/nats-farm.test.ts has one",
  "klieg farm": "the same",
  "npm run cluster": "takes the machine, as long/local-cluster.test.ts does",
  "npm run chaos": "takes the machine, as long/chaos.test.ts does",
  "npm run chaos -- --rounds 20 --seed 7": "the same",
  "npm run bench -- hostile": "loads the machine for minutes",
  "npm run bench -- share": "the same",
  "klieg providers pause <name>": "needs a provider, as crash/paused-provider.test.ts has one",
  "klieg providers resume <name>": "the same",
  'npx klieg generate image "a red kite over dunes" --model comfyui-sd15 -o comfyui.png':
    "needs a ComfyUI, as whose simulator providers/examples.test.ts runs the model",
  "klieg objects move --to s3": "needs an object store, as long/object-moves.test.ts has one",
  "klieg store restore <folder>": "needs a backup, as the same test has one",
  "klieg cluster join": "needs a stopped service and NATS, as crash/cluster.test.ts has them",
  "klieg node forget <node>": "the same",
  "klieg enhance-prompt": "needs a prompt, as cli/cli-options.test.ts gives it one",
  "klieg remove-background": "needs a video, as the same test gives it one",
  "klieg restore": "the same",
  "klieg asset delete": "needs an asset, as the same test gives it one",
  "klieg share revoke": "needs a share, as cli/share-command.test.ts gives it one",
  "klieg blocks": "needs a file of blocks, as cli/composition-commands.test.ts gives it one",
  "klieg backup": "needs an empty folder, as crash/backup.test.ts has one",
  "klieg backup <folder>": "the same",
  "klieg doctor": "examines this machine, as cli/doctor.test.ts does",
  "klieg open": "opens a browser, as the same test has it do",
  "klieg drain <node>": "needs another node, as crash/forwarding.test.ts has one",
  "klieg shard rebuild <shard>": "the same",
  "klieg reshard <count>": "needs a stopped service, as crash/reshard.test.ts has one",
  "npm pack ./clients/typescript": "makes the tarball, as clients/scenario.test.ts does",
  "npx klieg mcp --ceiling 20": "waits for an agent, as which clients/mcp.test.ts acts",
  "klieg agent approve <session> 40": "needs the run of an agent, as the same test has one",
  "npx klieg preview examples/product-film":
    "serves until Ctrl-C, as http/preview-command.test.ts has it do",
  "npx -p ./klieg-server-0.1.0.tgz klieg-server":
    "needs the package of a release, as long/release.test.ts makes and starts one",
  "npm link": "changes the machine; the clone has the link that it makes",
  "npx klieg login": "waits for a person, as whom crash/credentials.test.ts acts",
  'npm install "uWebSockets.js@github:uNetworking/uWebSockets.js#<tag>"':
    "fetches from elsewhere, for a Node that nothing here is tested with",
};
/** Ends the credential that all other commands run with. */
const lastOfAll = ["npx klieg token reset"];
const ofStoppedService = ["klieg store check"];

const block = /```sh\n([\s\S]*?)```/g;
const blocks = [...readme.matchAll(block)].flatMap(([, text = ""]) =>
  text
    .replaceAll("\\\n", " ")
    .split("\n")
    .map((line) => line.replace(/\s+#.*/, ""))
    .filter((line) => line !== ""),
);
const spans = [...readme.replaceAll(/```[\s\S]*?```/g, "").matchAll(/`([^`]+)`/g)]
  .map(([, text = ""]) => text)
  .filter((text) => /^(\w+=\S+ )?(npm|npx|node|sh|curl|klieg) /.test(text));
const named = ["npm start", ...Object.keys(notRun), ...lastOfAll, ...ofStoppedService];

/** Makes a folder like a clone after its set-up; what was built and installed is borrowed. */
function clone(t: Test): string {
  const folder = t.testdir({ bin: {}, home: {}, dist: { ".built": "" } });
  for (const name of [
    "LICENSE",
    "clients",
    "config",
    "examples",
    "package.json",
    "package-lock.json",
    "tsconfig.json",
  ])
    cpSync(join(root, name), join(folder, name), { recursive: true });
  utimesSync(join(folder, "package-lock.json"), 0, 0);
  utimesSync(join(folder, "dist/.built"), 4_000_000_000, 4_000_000_000);
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  for (const name of readdirSync(join(root, "dist")))
    if (!name.startsWith(".")) symlinkSync(join(root, "dist", name), join(folder, "dist", name));
  symlinkSync(join(folder, "config/klieg"), join(folder, "bin/klieg"));
  // The service must not install anything in the background.
  writeFileSync(join(folder, "bin/apt-get"), "#!/bin/sh\nexit 1\n");
  chmodSync(join(folder, "bin/apt-get"), 0o755);
  return folder;
}

async function startService(t: Test, folder: string, env: NodeJS.ProcessEnv) {
  const log = openSync(join(folder, "log"), "w");
  const stdio = ["ignore", "pipe", log] as const;
  const service = spawn("npm", ["start"], { cwd: folder, env, stdio: [...stdio], detached: true });
  const ended = once(service, "close");
  const stop = async () => {
    const isRunning = service.exitCode === null && service.signalCode === null;
    if (isRunning) process.kill(-(service.pid ?? 0), "SIGTERM");
    return ended;
  };
  t.teardown(stop);
  const serves = (async () => {
    for await (const text of service.stdout ?? []) if (String(text).includes("serves")) return true;
    return false;
  })();
  if (!(await serves)) throw new Error(readFileSync(join(folder, "log"), "utf8"));
  return stop;
}

/** Runs the guide's first programs, each in its language. */
async function runPrograms(
  t: Test,
  folder: string,
  places: ReadonlyMap<string, string>,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  for (const [language, command] of [
    ["js", "node --input-type=module"],
    ["python", "python3 -"],
  ]) {
    const [, text = ""] = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(readme) ?? [];
    let script = text;
    for (const [place, other] of places) script = script.replaceAll(place, other);
    writeFileSync(join(folder, `program.${language}`), script);
    const shell = `export KLIEG_TOKEN=$(cat data/admin-token); ${command} <program.${language}`;
    const { stdout } = await run("sh", ["-euc", shell], {
      cwd: folder,
      env: { ...env, PYTHONPATH: join(root, "clients/python") },
    });
    t.match(stdout, /complete succeeded\nhttp:/, shell);
  }
}

t.test("each command of README.md and the guides is run, or listed with why not", async (t) => {
  for (const command of named) t.ok([...blocks, ...spans].includes(command), command);
  const folder = clone(t);
  const address = `127.0.0.1:${await freePort()}`;
  const operators = `${await freePort()}`;
  const env = {
    PATH: `${join(folder, "bin")}:${process.env["PATH"]}`,
    HOME: join(folder, "home"),
    KLIEG_PORT: address.split(":")[1],
    KLIEG_OPERATOR_PORT: operators,
    npm_config_update_notifier: "false",
  };
  const stop = await startService(t, folder, env);
  const places = new Map([
    ["127.0.0.1:8080", address],
    ["127.0.0.1:8081", `127.0.0.1:${operators}`],
    // With `-f` a refusal counts as a failure.
    ["curl -s ", "curl -sf "],
    ["<folder>", "examples/title-card"],
    ["<command>", "render"],
    ["<path>", "actors/tables"],
    ["<name>", "script"],
  ]);
  let variables = "";
  const follow = async (command: string) => {
    let script = command;
    for (const [place, text] of places) script = script.replaceAll(place, text);
    const [, variable] = /^(\w+)=\$/.exec(script) ?? [];
    if (variable !== undefined) script += `\nprintf %s "$${variable}"`;
    const { stdout } = await run("sh", ["-euc", variables + script], { cwd: folder, env });
    t.ok(stdout !== "" || !/^curl|^\w+=/.test(command), command);
    if (variable !== undefined) variables += `${variable}='${stdout}'\n`;
    for (const [, file = ""] of command.matchAll(/ -o (\S+)/g))
      t.ok(statSync(join(folder, file)).size > 0, file);
    if (!command.startsWith("curl -H")) return;
    const { id = "", status = "" } = JSON.parse(stdout) as { id?: string; status?: string };
    t.match(status, /queued|running|succeeded/, stdout);
    places.set("<id>", id);
  };
  const inOrder = async (commands: readonly string[]) => {
    for (const command of commands) if (!named.includes(command)) await follow(command);
  };
  await Promise.all([inOrder(blocks), inOrder(spans)]);
  mkdirSync(join(folder, "smallest"));
  const [, smallest = ""] = /```html\n([\s\S]*?)```/.exec(readme) ?? [];
  writeFileSync(join(folder, "smallest/index.html"), smallest);
  await follow("npx klieg lint smallest");
  places.set('from "klieg"', `from "${join(root, "dist/clients/typescript/src/klieg.js")}"`);
  await runPrograms(t, folder, places, env);
  for (const command of lastOfAll) await follow(command);
  await stop();
  for (const command of ofStoppedService) await follow(command);
});
