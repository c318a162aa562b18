import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { type Cost, watchCost } from "../machine/cost.ts";

export interface Command {
  readonly path: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** What the command took; throws with the last line that it said when it failed. */
export async function runCommand(command: Command): Promise<Cost> {
  const { pid, ended } = start(command);
  return (await watchCost(pid, () => ended)).cost;
}

/** All that it says, errors included; throws with the last line when it fails. */
export function output(command: Command): Promise<string> {
  return start(command).ended;
}

function start({ path, args, cwd, env }: Command) {
  const child = spawn(path, args, {
    cwd,
    env: env && { ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const stop = (): void => void child.kill("SIGTERM");
  process.once("exit", stop);
  const ended = (async () => {
    const said = Promise.all([text(child.stdout), text(child.stderr)]);
    const [code, signal] = await once(child, "close");
    process.removeListener("exit", stop);
    const [plain, errors] = await said;
    if (code === 0) return plain + errors;
    const line = lastLine(errors) ?? lastLine(plain) ?? `it ended by ${signal ?? code}`;
    throw new CommandError(line);
  })();
  ended.catch(() => undefined);
  return { pid: child.pid, ended };
}

/** A failed program, with its own message. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}

const escapes = new RegExp(`${String.fromCharCode(27)}\\[[\\d;]*m`, "g");

function lastLine(said: string): string | undefined {
  const lines = said.replace(escapes, "").split("\n");
  return lines
    .map((line) => line.trim())
    .findLast((line) => line !== "")
    ?.slice(0, 200);
}
