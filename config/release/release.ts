import { execFileSync } from "node:child_process";

export interface Release {
  /** Folder of the clone, which has been built. */
  readonly root: string;
  /** Folder that receives what is delivered. */
  readonly output: string;
  readonly version: string;
}

/** Runs a program; what it prints is shown only if it fails, by the error that is thrown. */
export function run(program: string, args: readonly string[], cwd: string): string {
  return execFileSync(program, args, {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    maxBuffer: 64 * 1024 * 1024,
  });
}

export function say(sentence: string): void {
  process.stderr.write(`${sentence}\n`);
}
