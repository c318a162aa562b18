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

/** Returns the cost of a command; throws with the last line of its output when it fails. */
export async function runCommand(command: Command): Promise<Cost> {
  const { pid, ended } = start(command);
  return (await watchCost(pid, () => ended)).cost;
}

/** Returns all output, errors included; throws with its last line when the command fails. */
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

/** A program that failed; the message is the program's own. */
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
